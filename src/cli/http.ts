// `http`: the process that serves HTTP, as the guard starts it, or a trader without one.

import process from 'node:process';
import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { runHttpProcess } from '../app/http-process.ts';
import { letGoOfTerminal } from '../app/terminal.ts';
import { systemClock } from '../clock/system.ts';
import { command } from './command.ts';
import { takeEarlyWords } from './early-words.ts';
import { type CliIo, complain, type Finish } from './io.ts';

export function httpCommand(io: CliIo, finish: Finish): Command {
  return command('http', 'serves HTTP for a trader').action(async () => {
    if (process.send === undefined) {
      complain(io, '`http` is started by `run` and `paper` only');
      finish(EXIT.usage);
      return;
    }
    // Node would put back the mode of a terminal that it found, which may be the one in which keys are read.
    process.once('exit', letGoOfTerminal);
    await runHttpProcess(systemClock(), takeEarlyWords());
  });
}
