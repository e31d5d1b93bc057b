// The environment from a file `.env` of the folder that a command is started in.

import { statSync } from 'node:fs';
import process from 'node:process';

const FILE = '.env';

/**
 * Names that are set already stay; only what a person starts reads it, since parts are given what they need. A
 * folder of that name is somebody's Python, and a file that cannot be read keeps nobody from a kill.
 */
export function loadDotEnv(name: string | undefined): void {
  if (name === undefined || PARTS.has(name)) return;
  const nodeOptions = process.env['NODE_OPTIONS'];
  try {
    if (statSync(FILE, { throwIfNoEntry: false })?.isFile() === true) process.loadEnvFile(FILE);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`bookend: ${FILE} is left out: ${why}\n`);
  }
  // It is a matter of whoever starts Node, and would reach only the processes below this one.
  if (nodeOptions === undefined) delete process.env['NODE_OPTIONS'];
}

const PARTS: ReadonlySet<string> = new Set(['trader', 'http', 'paper-venue']);
