// `resume`: see `control.ts`.

import type { Command } from 'commander';
import { controlCommand } from './control.ts';
import type { CliIo, Finish } from './io.ts';

export function resumeCommand(io: CliIo, finish: Finish): Command {
  return controlCommand('resume', io, finish);
}
