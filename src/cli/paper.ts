// `paper`: the embedded venue and the daemon against it, in one command and three processes.

import type { Command } from 'commander';
import { BotError } from '../domain/errors.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './command.ts';
import type { CliIo, Finish } from './io.ts';
import type { PaperOptions } from './paper-guarded.ts';
import { withReplayOptions } from './replay-options.ts';
import { withSessionOptions } from './session-options.ts';
import { withTraderAhead } from './trader-ahead.ts';

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
    const code = await withTraderAhead(io, options, async (ahead) => {
      const { paperGuarded } = await import('./paper-guarded.ts');
      return await paperGuarded(io, options, ahead);
    });
    finish(code);
  });
}
