// Stops at a venue that shares no line with the embedded one: what it does not let go of is named, order by order.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, it, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { endIn, eventually, type RunningProcess, startBookend } from '../support/processes.ts';
import { DoubleFloor } from '../uptime/rig/double-floor.ts';
import type { Switches } from '../uptime/venue-double/options.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 100_000 });

beforeAll(ensureBuilt);

const STOP_SEC = 6;
/** What a machine that many share adds to any time. */
const BUSY_MS = 4_000;
const QUOTES = 2;
const MIDDLE = 50;

type Scene = { readonly floor: DoubleFloor; readonly bot: RunningProcess };

/** One market with both sides quoted. */
async function quoting(switches: Partial<Switches>, check: (scene: Scene) => Promise<void>) {
  const floor = await DoubleFloor.start({ markets: 1 }, switches);
  const folder = await mkdtemp(join(tmpdir(), 'bookend-elsewhere-'));
  floor.layBook(0, { bid: MIDDLE - 4, ask: MIDDLE + 4, levels: 3 });
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(configOf(floor)));
  const { apiKey, apiSecret, apiPassphrase } = floor.credentials;
  const bot = startBookend(['run', '--config', 'config.yaml'], {
    cwd: folder,
    env: {
      VENUE_API_KEY: apiKey,
      VENUE_API_SECRET: apiSecret,
      VENUE_API_PASSPHRASE: apiPassphrase,
    },
  });
  try {
    const said = bot.stderr;
    await eventually('both quotes', () => floor.openCount() === QUOTES || undefined, { said });
    await check({ floor, bot });
  } finally {
    await endIn(folder);
    await floor.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function configOf({ baseUrl, wsUrl, eventSlug }: DoubleFloor): object {
  const params = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };
  return {
    venue: { baseUrl, wsUrl },
    markets: [{ event: eventSlug, strategy: 'ladder', params }],
    risk: { maxPositionShares: 1_000, maxLossUsdc: 2_000 },
    timing: { proofQuietMs: 300, proofDeadlineMs: 5_000 },
    http: { port: 0 },
    journal: { path: 'data/test.db' },
    guard: { stopDeadlineSec: STOP_SEC },
  };
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
      // A machine that many share may take the quotes away for a moment: then there is nothing to hit.
      const isHit = () => {
        const isPart = floor.bot(0).resting.some(({ shares }) => shares === 30);
        if (!isPart) floor.hit(0, 'bid', 20);
        return isPart || undefined;
      };
      await eventually('a fill in part', isHit, { said: bot.stderr });
      expect(await stopMs(scene)).toBeLessThan(STOP_SEC * 1_000 + BUSY_MS);
      expect(bot.child.exitCode).toBe(4);
      const left = floor.bot(0).resting;
      expect(left).toHaveLength(1);
      for (const { orderHash } of left) expect(bot.stdout()).toContain(`may rest: ${orderHash}`);
    });
  });

  it('ends with 0 and leaves nothing, though batch cancels fail', async ({ expect }) => {
    await quoting({ failsBatchCancels: true }, async (scene) => {
      expect(await stopMs(scene)).toBeLessThan(STOP_SEC * 1_000 + BUSY_MS);
      expect(scene.bot.child.exitCode).toBe(0);
      expect(scene.floor.openCount()).toBe(0);
    });
  });
});
