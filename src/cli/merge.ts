// `merge`: see `sets.ts`.

import type { Command } from 'commander';
import type { CliIo, Finish } from './io.ts';
import { setsCommand } from './sets.ts';

export function mergeCommand(io: CliIo, finish: Finish): Command {
  return setsCommand('merge', io, finish);
}
