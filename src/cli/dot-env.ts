// The environment from a file `.env` of the folder that a command is started in.

import { existsSync } from 'node:fs';
import process from 'node:process';

const FILE = '.env';

/** Names that are set already stay; only what a person starts reads it, since parts are given what they need. */
export function loadDotEnv(name: string | undefined): void {
  const isPart = name === undefined || PARTS.has(name);
  if (!isPart && existsSync(FILE)) process.loadEnvFile(FILE);
}

const PARTS: ReadonlySet<string> = new Set(['trader', 'http', 'paper-venue']);
