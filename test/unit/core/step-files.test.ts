import { Session } from 'node:inspector/promises';
import { describe, it } from 'vitest';
import type { Command } from '../../../src/domain/command.ts';
import type { Input } from '../../../src/domain/input.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { EngineDriver, level, updateOf, YES } from '../../support/engine-driver.ts';

// How many files of the core somebody opens to follow one step. Both numbers only go down; README.md of the core tells them.
const FILL_FILES_MAX = 20;
const TICK_FILES_MAX = 60;

type Step = { readonly files: readonly string[]; readonly commands: readonly Command[] };

/** By V8's precise coverage: files with a function that ran. */
async function watchStep(driver: EngineDriver, input: Input): Promise<Step> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const commands = [...driver.engine.step(input)];
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) =>
      functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    );
    const files = ran.map(({ url }) => url).filter((url) => url.includes('/src/core/'));
    return { files, commands };
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

function quoting(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe('one step', () => {
  it('that takes in a fill runs through few files of the core', async ({ expect }) => {
    const driver = quoting();
    const [first] = driver.acceptPlacements();
    if (first === undefined) throw new Error('nothing was placed');
    driver.tick();
    const { hash, order } = first;
    const before = driver.engine.view().markets[0]?.fills;
    const { files } = await watchStep(driver, {
      kind: 'venue',
      atMs: unixMs(driver.nowMs),
      message: {
        kind: 'orderUpdate',
        update: updateOf(hash, order, { status: 'PARTIALLY_FILLED', filled: 5 }),
      },
    });
    expect(driver.engine.view().markets[0]?.fills).not.toEqual(before);
    expect(files.length).toBeGreaterThan(10);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(FILL_FILES_MAX);
  });

  it('that places an order runs through a bounded number of them', async ({ expect }) => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tick();
    driver.bid(YES, level(49, 600));
    driver.nowMs += 50;
    const { files, commands } = await watchStep(driver, {
      kind: 'tick',
      atMs: unixMs(driver.nowMs),
    });
    const venue = commands.flatMap((each) => (each.kind === 'venue' ? [each.command.kind] : []));
    expect(venue).toContain('placeOrders');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(TICK_FILES_MAX);
  });
});
