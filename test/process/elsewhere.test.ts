// Starts, stops and kills at a venue that shares no line with the embedded one: what it does not let go of is named,
// order by order, and what it asks a start to wait for is waited for.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { scrapeOf } from '../support/live-daemon.ts';
import { endIn, eventually, type RunningProcess, startBookend } from '../support/processes.ts';
import { DoubleFloor } from '../uptime/rig/double-floor.ts';
import type { Switches } from '../uptime/venue-double/options.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 100_000 });

beforeAll(ensureBuilt);

const STOP_SEC = 6;
/** Longer than a start takes to come so far that it waits. */
const LONG_STOP_SEC = 60;
/** What a machine that many share adds to any time. */
const BUSY_MS = 4_000;
const QUOTES = 2;
const MIDDLE = 50;

type Scene = {
  readonly floor: DoubleFloor;
  readonly bot: RunningProcess;
  /** Another process in the same folder. */
  readonly start: (...args: readonly string[]) => RunningProcess;
};

/** One market, and a daemon that starts there. */
async function starting(
  switches: Partial<Switches>,
  check: (scene: Scene) => Promise<void>,
  stopDeadlineSec = STOP_SEC,
): Promise<void> {
  const floor = await DoubleFloor.start({ markets: 1 }, switches);
  const folder = await mkdtemp(join(tmpdir(), 'bookend-elsewhere-'));
  floor.layBook(0, { bid: MIDDLE - 4, ask: MIDDLE + 4, levels: 3 });
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(configOf(floor, stopDeadlineSec)));
  const { apiKey, apiSecret, apiPassphrase } = floor.credentials;
  const env = {
    VENUE_API_KEY: apiKey,
    VENUE_API_SECRET: apiSecret,
    VENUE_API_PASSPHRASE: apiPassphrase,
  };
  const start = (...args: readonly string[]) =>
    startBookend([...args, '--config', 'config.yaml'], { cwd: folder, env });
  try {
    await check({ floor, start, bot: start('run') });
  } finally {
    await endIn(folder);
    await floor.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The same once both sides are quoted. */
async function quoting(
  switches: Partial<Switches>,
  check: (scene: Scene) => Promise<void>,
  stopDeadlineSec = STOP_SEC,
): Promise<void> {
  const checkQuoted = async (scene: Scene) => {
    await untilQuoted(scene.floor, scene.bot);
    await check(scene);
  };
  await starting(switches, checkQuoted, stopDeadlineSec);
}

async function untilQuoted(floor: DoubleFloor, { stderr }: RunningProcess): Promise<void> {
  const areQuoted = () =>
    new Set(floor.bot(0).resting.map(({ axisSide }) => axisSide)).size === QUOTES || undefined;
  await eventually('both quotes', areQuoted, { said: stderr });
}

function configOf({ baseUrl, wsUrl, eventSlug }: DoubleFloor, stopDeadlineSec: number): object {
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };
  return {
    venue: { baseUrl, wsUrl },
    markets: [{ event: eventSlug, strategy: 'ladder', params }],
    risk: { maxPositionShares: 1_000, maxLossUsdc: 2_000 },
    timing: { proofQuietMs: 300, proofDeadlineMs: (stopDeadlineSec - 1) * 1_000 },
    http: { port: 0 },
    journal: { path: 'data/test.db' },
    guard: { stopDeadlineSec },
  };
}

/** An order has traded in part: it is one that this venue does not let anybody cancel. @returns Its hash. */
async function partFilled({ floor, bot }: Scene): Promise<string> {
  // A machine that many share may take the quotes away for a moment: then there is nothing to hit.
  return await eventually(
    'a fill in part',
    () => {
      const part = floor.bot(0).resting.find(({ shares }) => shares === 30);
      if (part === undefined) floor.hit(0, 'bid', 20);
      return part?.orderHash;
    },
    { said: bot.stderr },
  );
}

async function stopMs({ bot }: Scene): Promise<number> {
  const startedAtMs = performance.now();
  bot.signal('SIGTERM');
  await bot.ended;
  return performance.now() - startedAtMs;
}

describe.concurrent('a stop at an independent venue', () => {
  it('ends in time with 4 and names the part-filled order that cannot be cancelled', async ({
    expect,
  }) => {
    await quoting({ partialsCancellable: false }, async (scene) => {
      const { floor, bot } = scene;
      const part = await partFilled(scene);
      expect(await stopMs(scene)).toBeLessThan(STOP_SEC * 1_000 + BUSY_MS);
      expect(bot.child.exitCode).toBe(4);
      expect(floor.bot(0).resting.map(({ orderHash }) => orderHash)).toEqual([part]);
      expect(bot.stdout()).toContain(`may rest: ${part}`);
    });
  });

  it('ends with 0 and leaves nothing, though batch cancels fail', async ({ expect }) => {
    await quoting({ failsBatchCancels: true }, async (scene) => {
      expect(await stopMs(scene)).toBeLessThan(STOP_SEC * 1_000 + BUSY_MS);
      expect(scene.bot.child.exitCode).toBe(0);
      expect(scene.floor.openCount()).toBe(0);
    });
  });

  it('is waited for by a start beside it, which quotes then', async ({ expect }) => {
    await quoting(
      {},
      async ({ floor, bot, start }) => {
        floor.venue.switches.isUnavailable = true;
        bot.signal('SIGTERM');
        await eventually('its stop', () => bot.stderr().includes('daemon.stopping') || undefined);
        const next = start('run');
        await eventually('its wait', () => next.stderr().includes('start.waiting') || undefined, {
          said: next.stderr,
        });
        floor.venue.switches.isUnavailable = false;
        expect((await bot.ended).code).toBe(0);
        await untilQuoted(floor, next);
        expect(next.stderr()).toMatch(/process \d+ on .* is stopping/);
        expect(next.child.exitCode).toBeNull();
      },
      LONG_STOP_SEC,
    );
  });
});

describe.concurrent('a kill at an independent venue', () => {
  it('ends in time with 4 and names what rests, with all else of the account cancelled', async ({
    expect,
  }) => {
    await quoting({ partialsCancellable: false }, async (scene) => {
      const part = await partFilled(scene);
      const startedAtMs = performance.now();
      const kill = scene.start('kill');
      expect((await kill.ended).code).toBe(4);
      expect(performance.now() - startedAtMs).toBeLessThan(STOP_SEC * 1_000 + BUSY_MS);
      expect(kill.stdout()).toContain(`open: ${part}`);
      expect(scene.floor.bot(0).resting.map(({ orderHash }) => orderHash)).toEqual([part]);
    });
  });
});

describe.concurrent('a start at an independent venue', () => {
  it('waits for limits and maintenance, says so, and minds a clock that is 45 s off', async ({
    expect,
  }) => {
    const switches = { refusesAll: 'rate_limited', clockOffsetMs: 45_000 } as const;
    await starting(switches, async ({ floor, bot }) => {
      for (const code of ['rate_limited', 'maintenance'] as const) {
        floor.venue.switches.refusesAll = code;
        const isSaid = () => bot.stderr().includes(`does not serve us yet: ${code}`) || undefined;
        await eventually(`its wait for ${code}`, isSaid, { said: bot.stderr });
      }
      floor.venue.switches.refusesAll = undefined;
      await untilQuoted(floor, bot);
      const address = /"http":"(http:[^"]+)"/.exec(bot.stderr())?.[1];
      const isWarned = async () =>
        (await (await fetch(`${address}/healthz`)).text()).includes('behind the venue') ||
        undefined;
      await eventually('a warning of its health', isWarned, { said: bot.stderr });
      const metrics = await scrapeOf(`${address}`);
      const offsetSec = Number(/^bookend_clock_offset_seconds\S* (\S+)$/m.exec(metrics)?.[1]);
      expect(Math.abs(offsetSec - 45)).toBeLessThan(2);
    });
  });
});
