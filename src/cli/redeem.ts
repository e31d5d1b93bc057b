// `redeem`: see `sets.ts`.

import type { Command } from 'commander';
import type { CliIo, Finish } from './io.ts';
import { setsCommand } from './sets.ts';

export function redeemCommand(io: CliIo, finish: Finish): Command {
  return setsCommand('redeem', io, finish);
}
