// Reads a configuration that somebody has sent, in a thread of its own with a bound on time and memory: a
// text that takes for ever to read holds up nobody else.

import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Edit, editText, revisionOf } from '../settings/edit.ts';
import { type Form, formOf } from '../settings/form.ts';
import { parseSettings, readSettingsText } from '../settings/load.ts';
import { type Problem, SettingsError } from '../settings/problems.ts';
import type { FileSettings } from '../settings/settings.ts';
import { strategiesFor } from './strategies.ts';

export type ConfigRead =
  | { readonly kind: 'read'; readonly settings: FileSettings }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly detail: string }
  /** The file is another one than was shown; this is its revision. */
  | { readonly kind: 'stale'; readonly revision: string };

export type FormRead = Exclude<ConfigRead, { kind: 'read' | 'stale' }> | ConfigForm;

/** The file as a page shows it, and which text that is. */
export type ConfigForm = { readonly kind: 'form'; readonly revision: string } & Form;

/** A thousand markets take a tenth of it, the strategies that have to be loaded included. */
const READ_MS_MAX = 4_000;
const MEMORY_MB_MAX = 192;

/**
 * Reads a text as the file of a running daemon would be read.
 *
 * @param file - That file: strategies of the operator's own stand beside it.
 */
export async function readConfig(text: string, file: string): Promise<ConfigRead> {
  return await inThread<ConfigRead>({ kind: 'text', text, file });
}

/** The same for the file as it stands, with values changed in it. */
export async function readEdited(of: EditOf, file: string): Promise<ConfigRead> {
  return await inThread<ConfigRead>({ kind: 'edit', of, file });
}

/** What of the file can be changed value by value. */
export async function readForm(file: string): Promise<FormRead> {
  return await inThread<FormRead>({ kind: 'form', file });
}

type Failed = Extract<ConfigRead, { kind: 'failed' }>;

async function inThread<Read>(workerData: Task): Promise<Read | Failed> {
  const program = new URL(`../app/config-reader${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(program, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  return await new Promise<Read | Failed>((resolve) => {
    // The thread ends by itself once it has answered. One that is stopped while its modules are still being
    // evaluated takes Node 24 down with it (nodejs/node#60755), so it is stopped only where it takes too long.
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', detail: `takes longer than ${READ_MS_MAX} ms to read` });
      void thread.terminate();
    }, READ_MS_MAX);
    thread.once('message', (read: Read) => resolve(read));
    thread.once('error', () => resolve({ kind: 'failed', detail: 'cannot be read here' }));
    thread.once('exit', () => {
      clearTimeout(timer);
      resolve({ kind: 'failed', detail: 'cannot be read here' });
    });
  });
}

/** Values that are to be changed in the text with this revision. */
export type EditOf = { readonly edits: readonly Edit[]; readonly revision: string };

type Task = { readonly file: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'edit'; readonly of: EditOf }
  | { readonly kind: 'form' }
);

async function read(task: Task): Promise<ConfigRead | FormRead> {
  try {
    switch (task.kind) {
      case 'text':
        return await readText(task.text, task.file);
      case 'edit':
        return await readEdit(task.of, task.file);
      case 'form':
        return await readFields(task.file);
    }
  } catch (error) {
    if (error instanceof SettingsError) return { kind: 'refused', problems: error.problems };
    return { kind: 'failed', detail: 'a strategy of this daemon cannot be loaded' };
  }
}

async function readText(text: string, file: string): Promise<ConfigRead> {
  const strategies = await strategiesFor(file);
  const source = { file, env: process.env, strategies };
  const { controlToken: _, ...settings } = parseSettings(text, source);
  return { kind: 'read', settings };
}

async function readEdit({ edits, revision }: EditOf, file: string): Promise<ConfigRead> {
  const text = readSettingsText(file);
  const now = revisionOf(text);
  if (now !== revision) return { kind: 'stale', revision: now };
  const edited = editText(text, edits);
  return edited.kind === 'edited' ? await readText(edited.text, file) : edited;
}

async function readFields(file: string): Promise<ConfigForm> {
  const strategies = await strategiesFor(file);
  const text = readSettingsText(file);
  const settings = parseSettings(text, { file, env: process.env, strategies });
  return { kind: 'form', revision: revisionOf(text), ...formOf(settings, strategies) };
}

function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && 'kind' in value && 'file' in value;
}

// Without an `await` at the top: whoever stops the thread then finds no module half evaluated.
if (!isMainThread && isTask(workerData)) {
  void read(workerData).then((answer) => parentPort?.postMessage(answer));
}
