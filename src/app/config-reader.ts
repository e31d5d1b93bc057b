// Reads a configuration that somebody has sent, in a thread of its own with a bound on time and memory: a
// text that takes for ever to read holds up nobody else.

import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { parseSettings } from '../settings/load.ts';
import { type Problem, SettingsError } from '../settings/problems.ts';
import type { FileSettings } from '../settings/settings.ts';
import { strategiesFor } from './strategies.ts';

export type ConfigRead =
  | { readonly kind: 'read'; readonly settings: FileSettings }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly detail: string };

/** A thousand markets take a tenth of it, the strategies that have to be loaded included. */
const READ_MS_MAX = 4_000;
const MEMORY_MB_MAX = 192;

/**
 * Reads a text as the file of a running daemon would be read.
 *
 * @param file - That file: strategies of the operator's own stand beside it.
 */
export async function readConfig(text: string, file: string): Promise<ConfigRead> {
  const program = new URL(`../app/config-reader${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(program, {
    workerData: { text, file },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  return await new Promise<ConfigRead>((resolve) => {
    // The thread ends by itself once it has answered. One that is stopped while its modules are still being
    // evaluated takes Node 24 down with it (nodejs/node#60755), so it is stopped only where it takes too long.
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', detail: `takes longer than ${READ_MS_MAX} ms to read` });
      void thread.terminate();
    }, READ_MS_MAX);
    thread.once('message', (read: ConfigRead) => resolve(read));
    thread.once('error', () => resolve({ kind: 'failed', detail: 'cannot be read here' }));
    thread.once('exit', () => {
      clearTimeout(timer);
      resolve({ kind: 'failed', detail: 'cannot be read here' });
    });
  });
}

type Task = { readonly text: string; readonly file: string };

async function read({ text, file }: Task): Promise<ConfigRead> {
  try {
    const strategies = await strategiesFor(file);
    const source = { file, env: process.env, strategies };
    const { controlToken: _, ...settings } = parseSettings(text, source);
    return { kind: 'read', settings };
  } catch (error) {
    if (error instanceof SettingsError) return { kind: 'refused', problems: error.problems };
    return { kind: 'failed', detail: 'a strategy of this daemon cannot be loaded' };
  }
}

function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && 'text' in value && 'file' in value;
}

// Without an `await` at the top: whoever stops the thread then finds no module half evaluated.
if (!isMainThread && isTask(workerData)) {
  void read(workerData).then((answer) => parentPort?.postMessage(answer));
}
