#!/usr/bin/env node
// Arguments in, exit code out; everything else is the business of the commands.

import process from 'node:process';
import { holdCrashes } from './cli/crash.ts';
import { loadDotEnv } from './cli/dot-env.ts';
import { holdSignals } from './cli/early-signals.ts';
import { keepEarlyWords } from './cli/early-words.ts';
import { closeInspectorForGood, refuseInspector } from './cli/no-inspector.ts';
import { unblock } from './cli/unblocked.ts';

refuseInspector();
holdCrashes();

const argv = process.argv.slice(2);
holdSignals(argv);
if (argv[0] === 'trader' || argv[0] === 'http') keepEarlyWords();

// A reader of our output that went away (EPIPE), or a terminal (EIO), must not change how a command
// ends; and whoever looks after orders goes on, whatever becomes of his words: their file may be on a
// disk that is full.
const mustGoOn = ['run', 'paper', 'trader', 'http', 'kill'].includes(argv[0] ?? '');
for (const stream of [process.stdout, process.stderr]) {
  if (mustGoOn) unblock(stream);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!mustGoOn && error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

loadDotEnv(argv[0]);
const { runCli } = await import('./cli/cli.ts');
await closeInspectorForGood();
// A command may wait for something that keeps no process alive: Node would end it in the middle, with a code of its own.
const untilDone = setInterval(() => {}, 60_000);
process.exitCode = await runCli(argv, process);
clearInterval(untilDone);

/** A disk of a machine that is busy may take seconds, and the exit code is lost with a process that is killed. */
const HUNG_LOOKS = 5;

// What could not be closed in time must not keep the process. Node itself waits for a disk that hangs: who
// had to cancel, and has said what came of it, ends by force then, which is no exit code of a proof. Whoever
// puts something away at an exit, as a screen, does so before.
function endSoon(looksLeft: number): void {
  setTimeout(() => {
    const isDiskBusy = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
    const mayBeHung = isDiskBusy && mustGoOn;
    if (mayBeHung && looksLeft > 1) {
      endSoon(looksLeft - 1);
      return;
    }
    if (mayBeHung) process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
    process.exit();
  }, 1_000).unref();
}
endSoon(HUNG_LOOKS);
