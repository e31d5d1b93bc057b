// A daemon below its guard against an embedded venue in a process of its own, until either ends.

import process from 'node:process';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { embeddedCredentials } from '../app/paper.ts';
import { leaveAccount } from '../app/paper-account.ts';
import type { Part } from '../guard/child.ts';
import type { GuardSettings } from '../settings/load.ts';
import type { AttachedVenue } from './attached-venue.ts';
import type { GuardSession } from './guard-session.ts';
import { type CliIo, complain, printLine } from './io.ts';

export type Play = {
  readonly session: GuardSession;
  readonly settings: GuardSettings;
  readonly venue: AttachedVenue;
  readonly io: CliIo;
  /** The first trader, where it loads already. */
  readonly ahead?: Part | undefined;
  /** Stops when the recording is over. */
  readonly exitAtEnd?: boolean;
  /** HTTP is served on another port where the configured one is taken. */
  readonly mayMovePort: boolean;
};

/** Leaves the account where other commands find it, and trades to the end. */
export async function play({
  session,
  settings,
  venue,
  io,
  ahead,
  exitAtEnd = false,
  mayMovePort,
}: Play): Promise<ExitCode> {
  const { baseUrl, wsUrl } = venue.facts;
  let failure: string | undefined;
  let tellFault = (_failure: string): void => undefined;
  const venueFault = new Promise<string>((resolve) => {
    tellFault = resolve;
  });
  void venue.played.then((played) => {
    failure = played.failure;
    if (failure !== undefined) tellFault(failure);
    // As whoever presses Ctrl-C: what rests is cancelled first.
    if (exitAtEnd) process.kill(process.pid, 'SIGTERM');
  });
  try {
    const account = await leaveAccount(venue.facts, settings);
    session.log.info('paper.venue', { baseUrl, wsUrl, account });
    const exit = await session.run({
      settings: { ...settings, venue: { ...settings.venue, baseUrl, wsUrl } },
      credentials: embeddedCredentials(venue.facts),
      extra: venue.facts,
      ahead,
      isVenueNew: true,
      mayMovePort,
      venueFault,
      venueGone: venue.gone.then((gone) => session.log.error('paper.venue_died', gone)),
    });
    return exit === EXIT.done && failure !== undefined ? EXIT.failed : exit;
  } finally {
    for (const line of await venue.stop()) printLine(io.stdout, line);
    if (failure !== undefined) complain(io, failure);
  }
}
