#!/usr/bin/env node
// Arguments in, exit code out; everything else is the business of the commands.

import process from 'node:process';
import { runCli } from './cli/cli.ts';

// A reader of our output that went away (EPIPE) must not change how a command ends.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await runCli(process.argv.slice(2), process);

// What could not be closed in time must not keep the process.
setTimeout(() => process.exit(), 1_000).unref();
