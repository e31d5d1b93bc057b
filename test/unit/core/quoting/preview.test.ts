// What other settings would do, asked of an engine at work; and what capital each market may bind.

import { describe, expect, it } from 'vitest';
import { eventId, marketId, tokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Event } from '../../../../src/domain/market.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  defineStrategy,
  numberParam,
  type QuoteContext,
  type Strategy,
} from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import {
  balances,
  EngineDriver,
  GRID,
  level,
  listing,
  reportOf,
  settings,
} from '../../../support/engine-driver.ts';
import { EXCLUSIVE } from '../../../support/exclusive-event.ts';
import { previewed } from '../../../support/previewed.ts';

type Choice = CoreSettings['markets'][number];

const LADDER = { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 };

const choice = (change: Partial<Choice> = {}): Choice => ({
  event: 'rain',
  market: undefined,
  strategy: 'ladder',
  params: LADDER,
  ...change,
});

const withLadder = (change: object, rest: Partial<CoreSettings> = {}): CoreSettings =>
  settings({ markets: [choice({ params: { ...LADDER, ...change } })], ...rest });

/** A ladder at work: one bid and one ask rest around 0.50. */
function working(value = settings(), extra: readonly Strategy[] = []): EngineDriver {
  const driver = new EngineDriver([ladder as Strategy, ...extra]);
  driver.start(value);
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  driver.tick();
  return driver;
}

const prices = (levels: readonly { readonly price: string }[] | undefined) =>
  levels?.map(({ price }) => price);

describe('a preview of other settings', () => {
  it('shows the quotes that would move, and those that would stay', () => {
    const driver = working();
    const { markets } = previewed(driver.engine, withLadder({ levels: 2 }));
    const [market] = markets;
    expect(prices(market?.bid.now)).toEqual(['0.48']);
    expect(prices(market?.bid.unchanged)).toEqual(['0.48']);
    expect(prices(market?.bid.changed)).toEqual(['0.48', '0.47']);
    expect(market?.bid).toMatchObject({ moves: true, cancels: 0, places: 1, held: [] });
  });

  it('shows quantities with the decimals that the venue takes', () => {
    const sized = (levels: number) =>
      settings({
        markets: [choice({ params: { ...LADDER, levels, size: 33.123456 }, quantityDecimals: 2 })],
      });
    const [market] = previewed(working(sized(1)).engine, sized(2)).markets;
    expect(market?.bid.changed.map(({ quantity }) => quantity)).toEqual(['33.12', '33.12']);
  });

  it('says of the same settings that nothing moves, and that they have the same name', () => {
    const driver = working();
    const preview = previewed(driver.engine, settings());
    expect(preview.versionAfter).toBe(preview.versionNow);
    expect(preview.params).toEqual([]);
    expect(preview.markets[0]?.bid.moves).toBe(false);
    expect(preview.markets[0]?.ask.moves).toBe(false);
  });

  it('leaves no trace: the engine goes on bit for bit as without it', () => {
    const [asked, left] = [working(), working()];
    const before = JSON.stringify(asked.engine.view());
    previewed(asked.engine, withLadder({ halfSpreadTicks: 5 }, { risk: tight(10) }));
    previewed(asked.engine, settings({ markets: [] }));
    expect(JSON.stringify(asked.engine.view())).toBe(before);
    for (const driver of [asked, left]) {
      driver.settings(withLadder({ halfSpreadTicks: 3 }));
      driver.run(3_000);
    }
    expect(JSON.stringify(asked.sent)).toBe(JSON.stringify(left.sent));
    expect(JSON.stringify(asked.reports)).toBe(JSON.stringify(left.reports));
    expect(JSON.stringify(asked.engine.view())).toBe(JSON.stringify(left.engine.view()));
  });

  it('is what a reload then does', () => {
    const driver = working();
    const next = withLadder({ halfSpreadTicks: 4, levels: 2 });
    const foreseen = previewed(driver.engine, next).markets[0];
    driver.settings(next);
    driver.tick();
    driver.tick();
    const sides = [foreseen?.bid, foreseen?.ask];
    const sum = (of: 'cancels' | 'places') =>
      sides.reduce((all, side) => all + (side?.[of] ?? 0), 0);
    const cancelled = driver.take('cancelOrders').flatMap(({ orderHashes }) => orderHashes);
    const placed = driver.placements().flatMap(({ orders }) => orders);
    expect([cancelled.length, placed.length]).toEqual([sum('cancels'), sum('places')]);
    expect(placed.map(({ price }) => Number(price)).sort()).toEqual(
      sides
        .flatMap((side) => side?.changed ?? [])
        .map(({ price }) => Math.round(Number(price) * 100))
        // Asks without shares to sell are bids for the complement.
        .map((price) => (price > 50 ? 100 - price : price))
        .sort(),
    );
  });

  it('names the limit that would hold a quote back', () => {
    const driver = working();
    const { markets } = previewed(
      driver.engine,
      withLadder({ halfSpreadTicks: 3 }, { risk: tight(10) }),
    );
    expect(markets[0]?.bid.held).toEqual([
      { price: '0.47', quantity: '50', limit: 'max_position_shares' },
    ]);
    expect(markets[0]?.bid.changed).toEqual([]);
  });

  it('says of a market that is taken out that its quotes go, and of a new one that it comes', () => {
    const driver = working();
    const preview = previewed(driver.engine, settings({ markets: [choice({ event: 'snow' })] }));
    expect(preview.added).toEqual(['snow']);
    expect(preview.markets[0]).toMatchObject({
      strategyAfter: undefined,
      blocked: 'not_configured',
    });
    expect(preview.markets[0]?.bid).toMatchObject({ changed: [], moves: true, cancels: 1 });
  });

  it('says what goes where outcomes make up for one another no more', () => {
    const seller = defineStrategy<object>({
      name: 'seller',
      summary: 'Asks 90 for each outcome.',
      params: {},
      quote: () => {
        const quantity = shares(100);
        return {
          quotes: [{ side: 'ask', price: ticks(GRID, 90), quantity, purpose: 'add' }],
          reasons: [],
        };
      },
    });
    const driver = new EngineDriver([seller]);
    const quoted = choice({ strategy: 'seller', params: {}, isExclusive: true });
    const risk = { ...settings().risk, maxLossUsdc: 20 };
    driver.settings(settings({ markets: [quoted], risk }));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [EXCLUSIVE] } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    const open: OrderReport[] = [];
    driver.run(6_000, () => {
      for (const { yes, no } of driver.nowMs % 1_000 === 0 ? EXCLUSIVE.markets : []) {
        driver.book(yes.tokenId, [level(48, 500)], [level(52, 500)]);
        driver.book(no.tokenId);
      }
      driver.take('readCatalogue');
      for (const { hash, order } of driver.acceptPlacements()) open.push(reportOf(hash, order));
      driver.answerReads(open);
      driver.answerCancels();
    });
    expect(open).toHaveLength(3);
    const cancels = (change: Partial<Choice>) =>
      previewed(driver.engine, settings({ markets: [{ ...quoted, ...change }], risk })).markets.map(
        ({ ask }) => ask.cancels,
      );
    expect(cancels({})).toEqual([0, 0, 0]);
    expect(cancels({ isExclusive: false })).toEqual([0, 0, 1]);
  });

  it('says of each parameter when it counts, and moves nothing for one that waits', () => {
    const spec = { doc: 'x', unit: 'ticks', default: 2, min: 1, max: 10 };
    const patient = defineStrategy<{ readonly near: number; readonly far: number }>({
      name: 'patient',
      summary: 'Quotes at a distance that only a restart changes.',
      params: {
        near: numberParam({ ...spec, applies: 'now' }),
        far: numberParam({ ...spec, applies: 'restart' }),
      },
      quote: ({ params }) => ({
        quotes: [
          {
            side: 'bid',
            price: ticks(GRID, 50 - params.far),
            quantity: shares(50),
            purpose: 'add',
          },
        ],
        reasons: [],
      }),
    });
    const under = (params: object) =>
      settings({
        markets: [choice({ strategy: 'patient', params: { near: 2, far: 2, ...params } })],
      });
    const driver = working(under({}), [patient as Strategy]);
    const preview = previewed(driver.engine, under({ near: 3, far: 5 }));
    expect(preview.params.map(({ name, applies }) => `${name} ${applies}`)).toEqual([
      'near now',
      'far restart',
    ]);
    expect(preview.markets[0]?.bid.moves).toBe(false);
  });

  it.each([
    ['fails', new Error('too much'), 'too much'],
    ['throws what has no text', Object.create(null), 'something was thrown that has no text'],
    ['fails at great length', new Error('x'.repeat(1_000_000)), 'xxx'],
  ])('survives a strategy that %s under the new parameters', (_, thrown, text) => {
    const brittle = defineStrategy<{ readonly size: number }>({
      name: 'brittle',
      summary: 'Fails above ten.',
      params: { size: numberParam({ doc: 'x', unit: 'x', default: 1, min: 1, max: 99 }) },
      quote: ({ params }) => {
        if (params.size > 10) throw thrown;
        return { quotes: [], reasons: [] };
      },
    });
    const under = (size: number) =>
      settings({ markets: [choice({ strategy: 'brittle', params: { size } })] });
    const driver = working(under(1), [brittle as Strategy]);
    const failure = previewed(driver.engine, under(11)).markets[0]?.failure ?? '';
    expect(failure).toContain(text);
    expect(failure.length).toBeLessThan(1_000);
    expect(driver.reported('strategy.failed')).toEqual([]);
  });
});

function tight(maxPositionShares: number): CoreSettings['risk'] {
  return { ...settings().risk, maxPositionShares };
}

/** A second event, so that capital is shared by two. */
const SNOW: Event = {
  ...listing(),
  id: eventId('e-2'),
  slug: 'snow',
  markets: listing().markets.map((market) => ({
    ...market,
    id: marketId('m-2'),
    yes: { ...market.yes, tokenId: tokenId('0x03') },
    no: { ...market.no, tokenId: tokenId('0x04') },
  })),
};

describe('the version of the settings', () => {
  it('goes to the ledger with the whole set, and with every order decided under it', () => {
    const driver = working();
    const first = driver.engine.view().settingsVersion;
    driver.settings(withLadder({ halfSpreadTicks: 3 }));
    const second = driver.engine.view().settingsVersion;
    driver.run(1_000);
    const sets = driver.records.flatMap((each) =>
      each.kind === 'settings' ? [each.applied.version] : [],
    );
    const orders = driver.records.flatMap((each) =>
      each.kind === 'order' ? [each.order.settingsVersion] : [],
    );
    expect(sets).toEqual([first, second]);
    expect(new Set(orders)).toEqual(new Set([first, second]));
  });
});

describe('capital that is shared out by weights', () => {
  const WEIGHTED = { capital: { policy: 'weighted' } } as const;
  const contexts: QuoteContext<unknown>[] = [];

  it('lets a market of no weight bind nothing, and says why', () => {
    const driver = working(settings({ ...WEIGHTED, markets: [choice({ capitalWeight: 0 })] }));
    driver.tick();
    const [market] = driver.engine.view().markets;
    expect(market?.ownBids).toEqual([]);
    expect(market?.bidReason?.code).toBe('capital_allocation');
    expect(driver.reported('risk.refused')[0]).toMatchObject({ limit: 'capital_allocation' });
  });

  it('lets the only market bind all of it', () => {
    const driver = working(settings({ ...WEIGHTED, markets: [choice({ capitalWeight: 3 })] }));
    expect(driver.engine.view().markets[0]?.ownBids).toHaveLength(1);
  });

  it('never lets target quotes bind more than its part, whatever the strategy asks', () => {
    const greedy = defineStrategy<{ readonly size: number }>({
      name: 'greedy',
      summary: 'Target quotes as much as it can.',
      params: { size: numberParam({ doc: 'x', unit: 'x', default: 1, min: 1, max: 99 }) },
      quote: (context) => {
        contexts.push(context as QuoteContext<unknown>);
        const at = [45, 44, 43, 42, 41, 40, 39, 38, 37, 36];
        return {
          quotes: at.map((price) => ({
            side: 'bid' as const,
            price: ticks(GRID, price),
            quantity: shares(50),
            purpose: 'add' as const,
          })),
          reasons: [],
        };
      },
    });
    const value = settings({
      ...WEIGHTED,
      markets: [
        choice({ strategy: 'greedy', params: { size: 1 }, capitalWeight: 1 }),
        choice({ event: 'snow', capitalWeight: 3 }),
      ],
      risk: { ...settings().risk, maxPositionShares: 10_000, maxLossUsdc: 100_000 },
    });
    const driver = new EngineDriver([greedy as Strategy, ladder as Strategy]);
    driver.start(value, balances({ cashBalance: usdc(300), availableBalance: usdc(300) }));
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing(), SNOW] } });
    driver.healthyBook();
    for (let turn = 0; turn < 5; turn += 1) {
      driver.tick();
      driver.acceptPlacements();
    }
    const allocatedUsdc = contexts.at(-1)?.capital.allocatedUsdc ?? 0;
    const resting = driver.engine.view().markets[0]?.ownBids ?? [];
    const boundUsdc = resting.reduce(
      (sum, { price, quantity }) => sum + Number(price) * Number(quantity),
      0,
    );
    expect(resting.length).toBeGreaterThan(0);
    expect(allocatedUsdc).toBe(75);
    expect(boundUsdc).toBeLessThanOrEqual(allocatedUsdc);
  });
});
