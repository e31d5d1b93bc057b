// `split`: see `sets.ts`.

import type { Command } from 'commander';
import type { CliIo, Finish } from './io.ts';
import { setsCommand } from './sets.ts';

export function splitCommand(io: CliIo, finish: Finish): Command {
  return setsCommand('split', io, finish);
}
