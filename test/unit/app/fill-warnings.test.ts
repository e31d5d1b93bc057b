import { beforeAll, describe, expect, it } from 'vitest';
import { fillWarnings } from '../../../src/app/fill-warnings.ts';
import { strategiesFor } from '../../../src/app/strategies.ts';
import { parseSettings } from '../../../src/settings/load.ts';
import type { Strategy } from '../../../src/strategy/index.ts';

let strategies: ReadonlyMap<string, Strategy>;
beforeAll(async () => {
  strategies = await strategiesFor('config/paper.yaml');
});

function warnings(...markets: readonly object[]): readonly string[] {
  const named = markets.map((each, at) => ({ event: `event-${at}`, ...each }));
  const text = JSON.stringify({ markets: named });
  const settings = parseSettings(text, { file: 'x.yaml', env: {}, strategies });
  return fillWarnings(settings, strategies);
}

describe('quotes that nobody would reach', () => {
  it('are those of no strategy as it comes, on either grid', () => {
    const names = [...strategies.keys()];
    expect(names.length).toBeGreaterThan(10);
    expect(warnings(...names.map((strategy) => ({ strategy })))).toEqual([]);
  });

  it.each(['avellaneda-stoikov', 'glft'])(
    'are those of %s with a fill decay of cents where the tick is a tenth of one',
    (strategy) => {
      const [warning, ...others] = warnings({ strategy, params: { fillDecay: 60 } });
      expect(others).toEqual([]);
      expect(warning).toMatch(
        /^markets\[0\]: at 0\.[35]0 on a tick of 0\.001 the nearest quote of \S+ rests 1\d ticks behind a calm book's best price: expect no fills there$/,
      );
    },
  );

  it('are named once for markets that are alike, and on both grids where they are far away on both', () => {
    const far = { strategy: 'ladder', params: { halfSpreadTicks: 40 } };
    const found = warnings(far, far);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('markets[0]: at 0.50 on a tick of 0.01');
    expect(found[0]).toContain('rests 39 ticks behind');
    expect(found[1]).toContain('on a tick of 0.001');
  });

  it('are not looked for where a strategy breaks, which is said', () => {
    const broken = (quote: unknown) =>
      new Map([...strategies, ['ladder', { ...strategies.get('ladder'), quote } as Strategy]]);
    const settings = parseSettings('markets: [{ event: rain, strategy: ladder }]', {
      ...{ file: 'x.yaml', env: {}, strategies },
    });
    const thrown = () => {
      throw new Error('boom');
    };
    expect(fillWarnings(settings, broken(thrown))).toEqual([
      'markets[0]: ladder fails at 0.50 in a calm book: boom',
    ]);
    expect(
      fillWarnings(
        settings,
        broken(() => undefined),
      )[0],
    ).toContain('no list of `quotes`');
  });

  it('are not waited for where they come later, and fail: that is said, and ends nothing', async () => {
    const unreported: unknown[] = [];
    const onUnreported = (cause: unknown) => void unreported.push(cause);
    process.on('unhandledRejection', onUnreported);
    const quote = () => ({ quotes: [Promise.reject(new Error('late'))], reasons: [] });
    const later = { ...strategies.get('ladder'), quote } as unknown as Strategy;
    const settings = parseSettings('markets: [{ event: rain, strategy: ladder }]', {
      ...{ file: 'x.yaml', env: {}, strategies },
    });
    fillWarnings(settings, new Map([['ladder', later]]));
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', onUnreported);
    expect(unreported).toEqual([]);
  });
});
