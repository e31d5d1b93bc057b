// A Prometheus of this machine on data of the past: `promtool` makes blocks of samples, and a server answers what is
// asked about them. It scrapes nothing.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { freePort } from '../support/free-port.ts';

export type Span = { readonly startMs: number; readonly endMs: number; readonly stepMs: number };

export type Series = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
};

const READY_MS_MAX = 20_000;
/** Scrapes are 15 s apart: what the last one lacks is gone, as after the mark that a live Prometheus sets. */
const LOOKBACK = '14s';

const ANSWER = z.object({
  status: z.literal('success'),
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.number(), z.string()])),
      }),
    ),
  }),
});

/** Whether both programs are there; Debian's package `prometheus` has them. */
export function hasPrometheus(): boolean {
  return ['prometheus', 'promtool'].every(
    (program) => spawnSync(program, ['--version']).status === 0,
  );
}

/** Makes blocks of a file of samples. */
export function backfill(samples: string, blocks: string): void {
  mkdirSync(blocks, { recursive: true });
  const args = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=24h'];
  const done = spawnSync('promtool', [...args, '--quiet', samples, blocks], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`promtool took no samples: ${done.stderr}`);
}

export class Prometheus {
  readonly #process: ChildProcess;
  readonly #address: string;

  private constructor(process: ChildProcess, address: string) {
    this.#process = process;
    this.#address = address;
  }

  static async on(blocks: string, folder: string): Promise<Prometheus> {
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, 'scrape_configs: []\n');
    const listen = `127.0.0.1:${await freePort()}`;
    const process = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${blocks}`,
        '--storage.tsdb.retention.time=100y',
        `--query.lookback-delta=${LOOKBACK}`,
        `--web.listen-address=${listen}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const server = new Prometheus(process, `http://${listen}`);
    await server.#ready();
    return server;
  }

  /** What an expression says at each step of a time. */
  async range(expression: string, { startMs, endMs, stepMs }: Span): Promise<readonly Series[]> {
    const response = await fetch(`${this.#address}/api/v1/query_range`, {
      method: 'POST',
      body: new URLSearchParams({
        query: expression,
        start: String(startMs / 1_000),
        end: String(endMs / 1_000),
        step: String(stepMs / 1_000),
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Prometheus refuses ${expression}: ${text}`);
    const { data } = ANSWER.parse(JSON.parse(text));
    return data.result.map(({ metric, values }) => ({
      labels: metric,
      points: values.map(([sec, value]) => ({ atMs: sec * 1_000, value: Number(value) })),
    }));
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }

  async #ready(): Promise<void> {
    const untilMs = Date.now() + READY_MS_MAX;
    while (Date.now() < untilMs) {
      if (this.#process.exitCode !== null) break;
      const answer = await fetch(`${this.#address}/-/ready`).catch(() => undefined);
      if (answer?.ok) return;
      await sleep(50);
    }
    this.#process.kill('SIGKILL');
    throw new Error(`Prometheus was not ready within ${READY_MS_MAX / 1_000} s`);
  }
}
