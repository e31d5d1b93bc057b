// A strategy that breaks the process in one market: the next trader goes on without that market, says so, and the
// others are quoted.

import { rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeAll, describe, type ExpectStatic, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { LADDER, LiveDaemon, startDaemonProcess } from '../support/live-daemon.ts';
import { ROOT } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ maxConcurrency: 2, testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** Quotes `rain` by the ladder, and one market of `race` by a strategy that breaks when told to. */
async function quoting(scene: Scene, restartsMax: number): Promise<LiveDaemon> {
  const strategy = relative(scene.folder, join(ROOT, 'test/process/faulty.js'));
  await scene.venue.quoteBook(scene.venue.market('race'), { bid: 0.4, ask: 0.6 });
  await scene.configure({
    markets: [
      { event: 'rain', strategy: 'ladder', params: LADDER },
      { event: 'race', market: scene.venue.market('race').id, strategy, params: LADDER },
    ],
    guard: { silenceMs: 1_000, restartsMax },
  });
  const env = {
    BOOKEND_FAULT_FILE: join(scene.folder, 'fault'),
    // What takes all memory is to take none of the machine's.
    NODE_OPTIONS: '--max-old-space-size=200',
  };
  const daemon = await LiveDaemon.of(startDaemonProcess(scene.folder, scene.venue, env));
  await daemon.untilResting(8);
  return daemon;
}

async function tell({ folder }: Scene, text: string): Promise<void> {
  await writeFile(join(folder, 'fault.new'), text);
  await rename(join(folder, 'fault.new'), join(folder, 'fault'));
}

/** The other market is quoted, and what is not is said where people look. */
async function expectSuspended(scene: Scene, daemon: LiveDaemon, expect: ExpectStatic) {
  const { id } = scene.venue.market('race');
  await daemon.untilSaid('"event":"guard.strategy_suspended"');
  await daemon.untilSaid('"event":"guard.handed_over"');
  await daemon.until('the quotes of the other market', ({ markets, guard }) => {
    const other = markets.find(({ marketId }) => marketId !== id);
    const broken = markets.find(({ marketId }) => marketId === id);
    // What HTTP shows is the trader's last word, and may be of the one before.
    const isShown = broken?.bidReason?.code === 'strategy_suspended';
    const isQuoted = other?.ownBids.length === 2;
    return guard?.suspended?.length === 1 && isQuoted && isShown ? true : undefined;
  });
  const { markets, guard } = await daemon.state();
  const broken = markets.find(({ marketId }) => marketId === id);
  expect(broken?.ownBids).toEqual([]);
  expect(broken?.bidReason?.code).toBe('strategy_suspended');
  expect(guard?.suspended).toMatchObject([{ place: id, times: 1 }]);
  const metrics = await daemon.metrics();
  expect(metrics).toMatch(/^bookend_suspended_places\{strategy="[^"]*faulty\.js"\} 1$/m);
  expect(daemon.process.stderr()).not.toContain('guard.staying_down');
  return { ...broken?.bidReason };
}

describe.concurrent('a strategy that breaks the process in one market', () => {
  it.for([
    ['never returns', 'hang', /blocked/],
    ['waits for what never comes', 'sleep', /waits for something/],
    ['ends the process', 'exit', /exit 7/],
    ['takes all memory', 'memory', /blocked|waits for something|SIGABRT|SIGTRAP/],
  ] as const)(
    'costs the others nothing but one restart: it %s',
    async ([, fault, why], { scene, expect }) => {
      // One death that counts would latch.
      const daemon = await quoting(scene, 0);
      await tell(scene, `${scene.venue.market('race').id} ${fault}`);
      const { detail } = await expectSuspended(scene, daemon, expect);
      expect(detail).toMatch(why);
      expect(daemon.traderPids()).toHaveLength(2);
    },
  );

  it.for([
    ['a `fetch`', 'fetch', 'terminated'],
    ['a socket', 'socket', 'ECONNREFUSED'],
  ] as const)(
    'is another one than one that leaves %s to itself, which ends nothing',
    async ([, fault, why], { scene, expect }) => {
      const daemon = await quoting(scene, 0);
      await tell(scene, `${scene.venue.market('race').id} ${fault}`);
      await daemon.untilSaid('"event":"error.stray"');
      expect(daemon.process.stderr()).toContain(why);
      expect(daemon.process.stderr()).not.toContain('"event":"crash"');
      expect(daemon.traderPids()).toHaveLength(1);
    },
  );

  it('at once is found in the first call of the next run', async ({ scene, expect }) => {
    const daemon = await quoting(scene, 1);
    await tell(scene, `${scene.venue.market('race').id} kill`);
    const { detail } = await expectSuspended(scene, daemon, expect);
    expect(detail).toContain('SIGKILL');
    expect(daemon.traderPids()).toHaveLength(3);
  });
});
