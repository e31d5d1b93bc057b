// Real processes of the built program for end-to-end tests: their output, their end, no leftovers.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RunningProcess = {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
};

export type ProcessOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file that is open for its standard error, which nobody reads here then. */
  readonly stderr?: number;
};

/** What runs, with the folder that it was started in. */
const alive = new Map<ChildProcess, string>();

/**
 * Load on the machine is no failure: only what never comes is waited for so long. It is longer than a daemon may
 * wait itself, for a placement that nobody has answered (45 s) and the lists after that.
 */
const PATIENCE_MS = 60_000;

/** Starts `bookend` with the given arguments, as a user would after a build. */
export function startBookend(args: readonly string[], options: ProcessOptions): RunningProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', options.stderr ?? 'pipe'],
    // A group of its own: the processes that it starts can be ended with it.
    detached: true,
  });
  return watched(child, options.cwd);
}

/** Ends what a test left running, by force: a test that fails must not leave processes behind. */
export async function endAll(): Promise<void> {
  await endEach([...alive.keys()]);
}

/** The same for one folder: tests that run beside one another end only what is their own. */
export async function endIn(folder: string): Promise<void> {
  await endEach([...alive].filter(([, cwd]) => cwd === folder).map(([child]) => child));
}

async function endEach(children: readonly ChildProcess[]): Promise<void> {
  const left = children.map(watchEnd);
  for (const child of children) killGroup(child);
  await Promise.all(left);
}

/** Waits until `found` gives something, and says what was waited for when it never does. */
export async function eventually<Found>(
  what: string,
  found: () => Promise<Found | undefined> | Found | undefined,
  options: { readonly withinMs?: number; readonly said?: () => string } = {},
): Promise<Found> {
  const untilMs = Date.now() + (options.withinMs ?? PATIENCE_MS);
  while (Date.now() < untilMs) {
    const result = await found();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}\n${options.said?.() ?? ''}`);
}

const NANOS_PER_MS = 1_000_000;

/**
 * For how long a process was ready to run since its start and got no processor, of its first thread; 0 where
 * the system does not say.
 */
export function waitedForProcessorMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / NANOS_PER_MS;
  } catch {
    return 0;
  }
}

/** Processes of one command of ours that another process has started, the oldest first; Linux says so. */
export async function childrenOf(
  pid: number | undefined,
  command: string,
): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = text.split(' ').filter(Boolean).map(Number);
  const isOf = async (child: number): Promise<boolean> => {
    const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    return line.split('\0').includes(command);
  };
  const found = await Promise.all(pids.map(async (child) => ((await isOf(child)) ? [child] : [])));
  return found.flat();
}

function killGroup(child: ChildProcess): void {
  child.kill('SIGKILL');
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It leads no group, or all of it is gone.
  }
}

function watched(child: ChildProcess, cwd: string): RunningProcess {
  alive.set(child, cwd);
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    texts.stdout += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    texts.stderr += part;
  });
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended: watchEnd(child).finally(() => alive.delete(child)),
    signal: (name) => void child.kill(name),
  };
}

async function watchEnd(child: ChildProcess): Promise<Ended> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return { code: child.exitCode, signal: child.signalCode };
  }
  return await new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

/** The environment of the test run without credentials or settings of the person who runs it. */
export function cleanEnv(extra?: ProcessOptions['env']): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(VENUE_|BOOKEND_|NO_COLOR|NODE_OPTIONS|VITEST|npm_)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}
