// `paper`: the embedded venue and the daemon against it, in one command and three processes.

import type { Command } from 'commander';
import { BotError } from '../domain/errors.ts';
import { attachVenue } from './attached-venue.ts';
import { GuardSession, guardSettings } from './guard-session.ts';
import type { CliIo, Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './options.ts';
import { play } from './play.ts';
import { type ReplayOptions, withReplayOptions } from './replay-options.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';

type PaperOptions = SessionOptions & ReplayOptions;

const CONFIG_DEFAULT = 'config/paper.yaml';

export function paperCommand(io: CliIo, finish: Finish): Command {
  const paper = command('paper', 'starts the embedded venue and the daemon against it').option(
    CONFIG_FLAG,
    CONFIG_DOC,
    CONFIG_DEFAULT,
  );
  paper.option('--exit-at-end', 'stop when the recording is over');
  return withSessionOptions(withReplayOptions(paper)).action(async (options: PaperOptions) => {
    if (options.exitAtEnd === true && options.replay === undefined) {
      throw new BotError('settings.invalid', '--exit-at-end: name the --replay that ends');
    }
    const settings = await guardSettings(io, options.config);
    const session = new GuardSession(io, settings, options);
    try {
      const venue = await attachVenue(io, options, (line) => session.write(line));
      if (typeof venue === 'number') finish(venue);
      else {
        warnOfShow(session, options);
        const exitAtEnd = options.exitAtEnd === true;
        finish(await play({ session, settings, venue, io, exitAtEnd, mayMovePort: true }));
      }
    } finally {
      await session.close();
    }
  });
}

/** Ten times as fast, every delay of this machine counts for ten times as much. */
function warnOfShow({ log }: GuardSession, { replay, speed }: PaperOptions): void {
  if (replay === undefined || speed === undefined || speed === 1) return;
  log.warn('replay.show', { speed, detail: 'for the eye: `bookend backtest` measures' });
}
