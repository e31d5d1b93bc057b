// From a frame leaving the server to the order request whole at the server: the daemon, the minimal program,
// and that one with the duties that the daemon has besides its decision (a cancel that goes first, intents
// that are on the disk before they leave), in turns, each a process of its own. And of the daemon, to the
// cancel of the wrong quotes. The longest times come from runs in which the others are silent.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRigDaemon } from '../rig/daemon.ts';
import { type DurableTimes, durableTimes } from '../rig/durable.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';
import {
  deltaText,
  type RigClient,
  type RigServer,
  startRigServer,
  tokenText,
} from '../rig/server.ts';

/** Frames that ask one client for orders come this far apart: less than half of the write budget. */
const PERIOD_MS = 80;
/** Frames that ask for no order: as many as some forty quiet tokens have. */
const BACKGROUND_FRAMES = 6;
const BACKGROUND_MS = 20;
const WARM_UP_MS = 10_000;
/** The round trip to a near venue, for all programs. */
const ANSWER_AFTER_MS = 5;
const SMALL = ['minimal', 'dutiful'] as const;
const DAEMONS = ['daemon', 'own'] as const;
const CLIENTS = [...DAEMONS, ...SMALL] as const;
/** Of these the longest times count, and each is measured while all others are silent. */
const SOLO = ['daemon', 'minimal'] as const;
const SOLO_FRAMES = 300;
const READY_MS_MAX = 20_000;
const ANSWER_MS_MAX = 1_000;

export async function path({ isShort }: RunOptions): Promise<GroupResult> {
  const server = await startRigServer(1, { answerAfterMs: ANSWER_AFTER_MS });
  const token = tokenText(0, true);
  // A disk: what orders wait for is part of their way.
  const folder = mkdtempSync(join(tmpdir(), 'bookend-bench-'));
  const small = startMinimal(server, 'minimal', [token]);
  const dutiful = startMinimal(server, 'dutiful', [token, join(folder, 'intents')]);
  const daemons = (['account', 'own'] as const).map((scope) =>
    startRigDaemon(server, { markets: 1, levels: 1, folder, scope }),
  );
  try {
    const areThere = () => CLIENTS.every((client) => server.isSubscribed(client));
    const log = () => daemons.map((daemon) => daemon.log()).join('\n');
    await until(() => areThere() && DAEMONS.every((each) => server.placedBy(each) > 0), log);
    const stopBackground = startBackground(server, token, CLIENTS);
    await sleep(isShort ? 100 : WARM_UP_MS);
    const times = await measured(server, token, isShort ? 20 : 400);
    stopBackground();
    const solo = { daemon: [], minimal: [], cancels: [] } satisfies Solo;
    for (const client of SOLO) await measuredAlone(server, { token, client, into: solo, isShort });
    return result(times, solo, await durableTimes(tmpdir(), isShort ? 5 : 200));
  } finally {
    for (const each of [small, dutiful]) each.kill('SIGKILL');
    for (const daemon of daemons) await daemon.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function startMinimal(
  server: RigServer,
  client: RigClient,
  rest: readonly string[],
): ChildProcess {
  const minimal = fileURLToPath(new URL('../rig/minimal.js', import.meta.url));
  const args = [minimal, server.baseUrl(client), server.wsUrl(client), ...rest];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** A market that moves behind the touch, to all programs: none is asked out of a long sleep. */
function startBackground(
  server: RigServer,
  token: string,
  clients: readonly RigClient[],
): () => void {
  let count = 0;
  const timer = setInterval(() => {
    for (let frame = 0; frame < BACKGROUND_FRAMES; frame += 1) {
      count += 1;
      const text = deltaText(token, 'bid', (20 + (count % 15)) / 100, 1 + (count % 900));
      for (const client of clients) server.send(client, text);
    }
  }, BACKGROUND_MS);
  return () => clearInterval(timer);
}

/** What one frame led to: when its placement had come whole, and the cancel before it, if any. */
export type Answered = { readonly placedMs: number; readonly cancelledMs: number | undefined };
type Solo = Record<(typeof SOLO)[number] | 'cancels', number[]>;
type Times = Readonly<Record<RigClient, readonly number[]>> & {
  readonly cancels: readonly number[];
};

async function measured(server: RigServer, token: string, frames: number): Promise<Times> {
  const times: Record<RigClient | 'cancels', number[]> = {
    daemon: [],
    own: [],
    minimal: [],
    dutiful: [],
    cancels: [],
  };
  const warmUp = Math.floor(frames / 10);
  let duties = 0;
  for (let count = 0; count < frames; count += 1) {
    // The middle moves up and down again, so that every frame moves both quotes.
    const text = deltaText(token, 'bid', 0.42, count % 2 === 0 ? 1_000 : 0);
    for (const client of CLIENTS) {
      const answered = await once(server, client, text);
      check(answered !== undefined, `${client} answers a frame with orders`);
      const { placedMs, cancelledMs } = answered;
      if (client === 'dutiful' && cancelledMs !== undefined) duties += 1;
      if (count >= warmUp) {
        times[client].push(placedMs);
        if (client === 'daemon' && cancelledMs !== undefined) times.cancels.push(cancelledMs);
      }
      await sleep(Math.max(1, PERIOD_MS / CLIENTS.length - placedMs));
    }
  }
  check(duties > 0, 'the dutiful program cancels before it places');
  return times;
}

async function measuredAlone(
  server: RigServer,
  of: {
    readonly token: string;
    readonly client: (typeof SOLO)[number];
    readonly into: Solo;
    readonly isShort: boolean;
  },
): Promise<void> {
  const { token, client, into, isShort } = of;
  const stopBackground = startBackground(server, token, [client]);
  for (let count = 0; count < (isShort ? 20 : SOLO_FRAMES); count += 1) {
    const text = deltaText(token, 'bid', 0.42, count % 2 === 0 ? 1_000 : 0);
    const answered = await once(server, client, text);
    check(answered !== undefined, `${client} answers a frame with orders, alone`);
    const { placedMs, cancelledMs } = answered;
    into[client].push(placedMs);
    if (client === 'daemon' && cancelledMs !== undefined) into.cancels.push(cancelledMs);
    await sleep(Math.max(1, PERIOD_MS - placedMs));
  }
  stopBackground();
}

/** One frame and the wait for the placement that answers it. */
export function once(
  server: RigServer,
  client: RigClient,
  text: string,
): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    let cancelledMs: number | undefined;
    server.onCancel = (atMs) => {
      // The first one names what the frame made wrong; what merely lies too far away may follow.
      cancelledMs ??= atMs - sentMs;
    };
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS_MAX);
    const sentMs = performance.now();
    server.onPlaced = (placed) => {
      if (placed.client !== client) return;
      clearTimeout(timer);
      server.onPlaced = () => {};
      resolve({ placedMs: placed.atMs - sentMs, cancelledMs });
    };
    server.send(client, text);
  });
}

function result(times: Times, solo: Solo, durable: DurableTimes): GroupResult {
  const inMs = (values: readonly number[]) =>
    [0.5, 0.9, 0.99].map((part) => `${quantile(values, part).toFixed(2)} ms`);
  const over = (values: readonly number[], part: number, least = times.minimal) =>
    quantile(values, part) / quantile(least, part);
  const inRatios = (values: readonly number[], least = times.minimal) =>
    [0.5, 0.9, 0.99].map((part) => over(values, part, least).toFixed(2));
  const { commitMs, appendMs } = durable;
  return {
    title: 'frame in → order request whole at the server, separate processes',
    head: ['program', 'p50', 'p90', 'p99'],
    rows: [
      ['minimal', ...inMs(times.minimal)],
      ['minimal, a cancel first and intents on a file', ...inMs(times.dutiful)],
      ['daemon, its ledger on this disk', ...inMs(times.daemon)],
      ['daemon whose orders wait for the disk (scope own)', ...inMs(times.own)],
      ['of the daemon: the cancel, which goes first', ...inMs(times.cancels)],
      ['ratio of the placements', ...inRatios(times.daemon)],
      ['ratio of those that wait for the disk', ...inRatios(times.own)],
      ['ratio of the minimal program with those duties', ...inRatios(times.dutiful)],
      ['ratio of the placements to that program', ...inRatios(times.daemon, times.dutiful)],
      ['ratio of the cancels', ...inRatios(times.cancels)],
      ['alone: minimal', ...inMs(solo.minimal)],
      ['alone: daemon', ...inMs(solo.daemon)],
      ['alone: its cancel', ...inMs(solo.cancels)],
      ['alone: ratio of the placements', ...inRatios(solo.daemon, solo.minimal)],
      ['alone: ratio of the cancels', ...inRatios(solo.cancels, solo.minimal)],
      ['and on this disk: one commit of the ledger', ...inMs(commitMs)],
      ['the least: one append, one fsync', ...inMs(appendMs)],
    ],
    ratios: [
      { name: 'path.p50', value: over(times.daemon, 0.5), aimMax: 1.5 },
      { name: 'path.p99', value: over(solo.daemon, 0.99, solo.minimal), aimMax: 2 },
      { name: 'path.own.p50', value: over(times.own, 0.5) },
      { name: 'path.cancel', value: over(times.cancels, 0.5), aimMax: 1.2 },
      { name: 'path.cancelP99', value: over(solo.cancels, 0.99, solo.minimal), aimMax: 1.5 },
      {
        name: 'path.commit',
        value: quantile(commitMs, 0.5) / quantile(appendMs, 0.5),
        aimMax: 1.5,
      },
    ],
  };
}

export async function until(holds: () => boolean, log: () => string, pollMs = 50): Promise<void> {
  const startedMs = performance.now();
  while (!holds()) {
    check(performance.now() - startedMs < READY_MS_MAX, `the daemon quotes in time: ${log()}`);
    await sleep(pollMs);
  }
}

export function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
