// `run --dry-run`: the whole daemon with simulated orders on the books of the real venue. It knows no credentials, and
// none of its processes has a connection to the real venue that would take a write.

import { onDryJournal } from '../app/dry-journal.ts';
import type { ExitCode } from '../app/exit.ts';
import { attachVenue } from './attached-venue.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo } from './io.ts';
import { play } from './play.ts';
import type { DryRecordOptions } from './record-options.ts';
import type { SessionOptions } from './session-options.ts';

/** What trades at the real venue; a dry run must do without. */
const CREDENTIALS = /^VENUE_(?:API_|CREDENTIALS_)/;

export async function dryRun(
  given: CliIo,
  options: SessionOptions & DryRecordOptions,
): Promise<ExitCode> {
  const io = { ...given, env: withoutCredentials(given.env) };
  const read = await guardSettings(io, options.config);
  const settings = onDryJournal(read);
  const session = new GuardSession(io, settings, options);
  try {
    const detail = 'orders are simulated, books are real';
    session.log.warn('dry_run.starting', { detail, venue: read.venue.baseUrl });
    const { config, record, recordMaxMb } = options;
    const market = { config, dryRun: true, record, recordMaxMb } as const;
    const venue = await attachVenue(io, market, (line) => session.write(line));
    if (typeof venue === 'number') return venue;
    return await play({ session, settings, venue, io, mayMovePort: false });
  } finally {
    await session.close();
  }
}

function withoutCredentials(env: CliIo['env']): CliIo['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIALS.test(name)));
}
