// What `paper` does: an embedded venue, and a trader below a guard against it.

import type { ExitCode } from '../app/exit.ts';
import type { Part } from '../guard/child.ts';
import { attachVenue } from './attached-venue.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo } from './io.ts';
import { play } from './play.ts';
import type { ReplayOptions } from './replay-options.ts';
import type { SessionOptions } from './session-options.ts';

export type PaperOptions = SessionOptions & ReplayOptions;

/** @param ahead - The first trader, where it loads already. */
export async function paperGuarded(
  io: CliIo,
  options: PaperOptions,
  ahead: Part | undefined,
): Promise<ExitCode> {
  const settings = await guardSettings(io, options.config);
  const session = new GuardSession(io, settings, options);
  try {
    const venue = await attachVenue(io, options, (line) => session.write(line));
    if (typeof venue === 'number') return venue;
    warnOfShow(session, options);
    const exitAtEnd = options.exitAtEnd === true;
    return await play({ session, settings, venue, io, ahead, exitAtEnd, mayMovePort: true });
  } finally {
    await session.close();
  }
}

/** Ten times as fast, every delay of this machine counts for ten times as much. */
function warnOfShow({ log }: GuardSession, { replay, speed }: PaperOptions): void {
  if (replay === undefined || speed === undefined || speed === 1) return;
  log.warn('replay.show', { speed, detail: 'for the eye: `bookend backtest` measures' });
}
