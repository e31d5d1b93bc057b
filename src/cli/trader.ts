// `trader`: the process that trades, as `run` and `paper` start it below their guard.

import process from 'node:process';
import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { letGoOfTerminal } from '../app/terminal.ts';
import { CONFIG_DOC, CONFIG_FLAG, command } from './command.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { leaveKeyMode } from './keys.ts';
import { type SessionOptions, withSessionOptions } from './session-options.ts';
import { tradeGuarded } from './trade.ts';

export function traderCommand(io: CliIo, finish: Finish): Command {
  const trader = command('trader', 'trades below a guard').requiredOption(CONFIG_FLAG, CONFIG_DOC);
  trader.option('--keys', 'the guard reads the keys of the terminal');
  return withSessionOptions(trader).action(async (options: SessionOptions) => {
    process.once('exit', () => leaveTerminal(options.keys === true));
    const code = await tradeGuarded(io, options);
    if (code === undefined) complain(io, '`trader` is started by `run` and `paper` only');
    finish(code ?? EXIT.usage);
  });
}

/**
 * A guard that is there gives the terminal back. Without one it is ours to do; and Node, which puts back the mode that
 * it found, found the one with keys.
 */
function leaveTerminal(hasKeys: boolean): void {
  if (process.connected) return;
  if (hasKeys) leaveKeyMode();
  letGoOfTerminal();
}
