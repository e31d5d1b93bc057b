// `run --dry-run` as one command against a venue that stands for the real one, and would tell of any write.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { microShares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { openRecording } from '../../src/paper/crowd/recording.ts';
import { type PaperVenue, startPaperVenue } from '../../src/paper/server.ts';
import { ensureBuilt } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import { listedEvent } from '../support/listed-event.ts';
import { PATIENT } from '../support/live-daemon.ts';
import { endIn, eventually, type RunningProcess, startBookend } from '../support/processes.ts';

vi.setConfig({ testTimeout: 150_000 });

const EVENT = listedEvent('rain');
const [MARKET] = EVENT.markets;
if (MARKET === undefined) throw new Error('a market');
const YES = MARKET.yes.tokenId;

let folder: string;
let real: PaperVenue;
let env: Record<string, string>;
/** What is no public read. */
const written: string[] = [];

const level = (side: 'bid' | 'ask', price: number, size: number, tokenId = YES) =>
  real.desk.setRecordedLevel(tokenId, side, ticks(EVENT.grid, price), microShares(size * 1e6));

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'bookend-dry-'));
  real = await startPaperVenue({ events: [EVENT] });
  const { handle } = real.gate;
  real.gate.handle = (request, reply) => {
    const isSigned = request.headers['service-api-key'] !== undefined;
    if (request.method !== 'GET' || isSigned) written.push(`${request.method} ${request.target}`);
    handle.call(real.gate, request, reply);
  };
  const { receive } = real.hub;
  real.hub.receive = (session, text) => {
    if (!/"type":"(subscribe|unsubscribe|ping|pong)"/.test(text)) written.push(text);
    receive.call(real.hub, session, text);
  };
  level('bid', 45, 100);
  level('ask', 55, 100);
  level('bid', 44, 100, MARKET?.no.tokenId);
  const { apiKey, apiSecret, apiPassphrase } = real.account;
  env = {
    VENUE_API_KEY: apiKey,
    VENUE_API_SECRET: apiSecret,
    VENUE_API_PASSPHRASE: apiPassphrase,
  };
  await writeFile(
    join(folder, 'live.yaml'),
    JSON.stringify({
      venue: { baseUrl: real.baseUrl, wsUrl: real.wsUrl },
      markets: [
        { event: 'rain', strategy: 'ladder', params: { halfSpreadTicks: 2, levels: 1, size: 20 } },
      ],
      timing: { proofQuietMs: 300, proofDeadlineMs: 5_000 },
      backtest: { entryMs: 5 },
      paper: { settlementMsMin: 100, settlementMsMax: 200 },
      http: { port: await freePort() },
      guard: PATIENT,
      journal: { path: 'data/live.db' },
    }),
  );
});

afterAll(async () => {
  await endIn(folder);
  await real.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

type Said = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

async function bookend(...args: readonly string[]): Promise<Said> {
  const { ended, stdout, stderr } = startBookend([...args, '--config', 'live.yaml'], {
    cwd: folder,
    env,
  });
  const { code } = await ended;
  return { code, stdout: stdout(), stderr: stderr() };
}

async function isQuoting(): Promise<true | undefined> {
  return /^quoting/.test((await bookend('status')).stdout) || undefined;
}

function start(): RunningProcess {
  const args = ['run', '--dry-run', '--config', 'live.yaml', '--record', 'seen'];
  return startBookend(args, { cwd: folder, env });
}

async function recordedTrades(): Promise<readonly unknown[]> {
  const trades: unknown[] = [];
  for await (const { frames } of (await openRecording(join(folder, 'seen'))).batches()) {
    trades.push(...frames.filter(({ kind }) => kind === 'trade'));
  }
  return trades;
}

describe('`run --dry-run`', () => {
  it('quotes and fills in simulation, is found by the other commands, and writes nothing at the real venue', async () => {
    const run = start();
    await eventually('a quote', isQuoting, {
      said: run.stderr,
    });
    await eventually('a fill', async () => {
      // Takers at the real venue go through the price that the daemon would rest at.
      const at = ticks(EVENT.grid, 46);
      real.desk.printRecordedTrade(YES, at, microShares(50e6), 'SELL');
      return run.stderr().includes('"event":"order.filled"') || undefined;
    });
    const status = await bookend('status');
    expect(status.stdout).toContain('DRY RUN: orders are simulated, books are real');
    expect(status.stderr).toContain('this is about the dry run');
    expect((await bookend('fills', '--csv')).stdout).toContain(YES);
    expect((await bookend('fills', '--live')).stderr).toContain('there is no ledger');

    const changes = await bookend('check', '--against-running');
    expect(changes.stdout).toContain('stay as they are');
    expect((await bookend('events')).stdout).toContain('nothing is on record');

    const unnamed = await bookend('kill');
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toContain('--dry-run for the simulated one, --live for the real one');
    const killed = await bookend('kill', '--dry-run');
    expect(killed.stdout).toContain('no open order is left');
    expect((await bookend('status')).stdout).toMatch(/^killed/);
    expect((await bookend('resume', '--yes')).code).toBe(0);
    await eventually('a quote', isQuoting);
    expect((await bookend('pause', '--yes')).stdout).toContain('paused');

    run.signal('SIGINT');
    await run.ended;
    expect(run.stderr()).toContain('"event":"dry_run.starting"');
    expect(run.stderr()).not.toContain('settings.needs_restart');
    expect(written).toEqual([]);
    expect(await recordedTrades()).toContainEqual(
      expect.objectContaining({ tokenId: YES, price: 46, takerSide: 'SELL' }),
    );
    expect(real.exchange.openOrders(real.exchange.accounts.named('maker'))).toEqual([]);
  });
});
