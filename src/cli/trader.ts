// `trader`: the process that trades, as `run` and `paper` start it below their guard.

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './options.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';
import { tradeGuarded } from './trade.ts';

export function traderCommand(io: CliIo, finish: Finish): Command {
  const trader = command('trader', 'trades below a guard').requiredOption(CONFIG_FLAG, CONFIG_DOC);
  return withSessionOptions(trader).action(async (options: SessionOptions) => {
    const code = await tradeGuarded(io, options);
    if (code === undefined) complain(io, '`trader` is started by `run` and `paper` only');
    finish(code ?? EXIT.usage);
  });
}
