// Containers of the image under test, by podman, in the store that `test/image/run` has made.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const IMAGE = 'localhost/bookend:latest';
export const BASE = 'docker.io/library/node:24-slim';

/** This machine may not allow podman's own bounds, which are higher. */
const FILES_MAX = '--ulimit=nofile=4096:4096';
const PROCESSES_MAX = '--ulimit=nproc=4096:4096';

export type Answer = { readonly status: number; readonly body: string };

export class Podman {
  readonly #global: readonly string[];

  constructor(work: string) {
    this.#global = [
      ...['--root', join(work, 'store'), '--runroot', join(work, 'run')],
      ...['--tmpdir', join(work, 'libpod'), '--storage-driver', 'overlay'],
      ...['--runtime', 'crun', '--cgroup-manager', 'cgroupfs', '--events-backend', 'none'],
    ];
  }

  /** @returns What it printed on stdout. */
  async call(...args: readonly string[]): Promise<string> {
    const limits = { timeout: 60_000, maxBuffer: 50_000_000 };
    return (await run('podman', [...this.#global, ...args], limits)).stdout;
  }

  /** Starts a container in the background. A timer of systemd would look after its health, which is not here. */
  async start(name: string, flags: readonly string[], command: readonly string[]): Promise<void> {
    const own = ['--detach', '--name', name, '--no-healthcheck', FILES_MAX, PROCESSES_MAX];
    await this.call('run', ...own, ...flags, IMAGE, ...command);
  }

  async exec(name: string, ...command: readonly string[]): Promise<string> {
    return await this.call('exec', name, ...command);
  }

  /** Asks an address as the container sees it. */
  async fetch(
    name: string,
    address: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const ask = `const [address, headers] = process.argv.slice(1);
      fetch(address, { headers: JSON.parse(headers), signal: AbortSignal.timeout(5000) })
        .then(async (answer) => console.log(JSON.stringify({ status: answer.status, body: await answer.text() })));`;
    const text = await this.exec(name, 'node', '-e', ask, address, JSON.stringify(headers));
    return JSON.parse(text) as Answer;
  }

  async inspect(name: string): Promise<Inspected> {
    const [first] = JSON.parse(await this.call('container', 'inspect', name)) as Inspected[];
    if (first === undefined) throw new Error(`no container ${name}`);
    return first;
  }

  /** @returns Everything that the container has printed. */
  async logs(name: string): Promise<string> {
    const limits = { timeout: 60_000, maxBuffer: 50_000_000 };
    const { stdout, stderr } = await run('podman', [...this.#global, 'logs', name], limits);
    return `${stdout}${stderr}`;
  }
}

export type Inspected = {
  readonly State: { readonly Running: boolean; readonly ExitCode: number; readonly Pid: number };
};

/** Asks until there is an answer; a question that fails has none yet. */
export async function until<T>(
  what: string,
  boundMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const endMs = performance.now() + boundMs;
  let last: unknown;
  while (performance.now() < endMs) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error(`no ${what} within ${boundMs / 1_000} s`, { cause: last });
}
