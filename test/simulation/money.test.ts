// Rules of money, on a few lines of what happened: nothing appears or vanishes on the venue, and what the daemon
// says of cash, locks and profit is what the venue has.

import { describe, expect, it } from 'vitest';
import type { LimitOrder } from '../../src/domain/order.ts';
import { microShares } from '../../src/domain/shares.ts';
import type { StateView } from '../../src/domain/view.ts';
import { usdcOf } from '../../src/paper/exchange/amounts.ts';
import { bookFaults } from './audit/rest-books.ts';
import { holdFaults, profitFaults } from './audit/rest-money.ts';
import type { Told } from './audit/rest-parts.ts';
import { Scene } from './scene.ts';

const TWO_MICRO = 2_000n;
const rules = (faults: readonly { readonly rule: string }[]) => faults.map(({ rule }) => rule);

describe('conservation', () => {
  const check = (change: (scene: Scene) => void) => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    scene.pass(30_000);
    scene.auditor.check();
    expect(scene.broken).not.toContain('conservation');
    change(scene);
    scene.pass(10_000);
    scene.auditor.check();
    return scene.broken.filter((rule) => rule === 'conservation');
  };
  const holding = ({ account, market }: Scene) => account.holding(market.outcome(1).tokenId);

  it('is kept by a venue on which orders matched and settled', () => {
    expect(check(() => undefined)).toEqual([]);
  });

  it.each<readonly [what: string, change: (scene: Scene) => void]>([
    [
      'two millionths of a dollar more than there were',
      ({ account }) => {
        account.cashNano += TWO_MICRO;
      },
    ],
    [
      'a millionth of a share that nobody sold',
      (scene) => {
        holding(scene).settledMicro += 1;
      },
    ],
    [
      'a hold of less than nothing',
      ({ account }) => {
        account.cashHeldNano = -TWO_MICRO;
      },
    ],
    [
      'more cash held than is there',
      ({ account }) => {
        account.cashHeldNano = account.cashNano + TWO_MICRO;
      },
    ],
    [
      'more shares held than owned',
      (scene) => {
        holding(scene).heldMicro = holding(scene).settledMicro + 1;
      },
    ],
  ])('is broken by %s', (_, change) => {
    expect(check(change)).toEqual(['conservation']);
  });
});

const FEES = { statedRate: 0.05, chargedRate: 0.05 };

/** What the daemon says that it earned in a market whose middle is 0.50. */
const earned = (scene: Scene, pnlUsdc: string, pnlUncertaintyUsdc?: string) => {
  const markets = [scene.view({ bestBid: '0.49', bestAsk: '0.51', pnlUsdc })];
  return { markets, account: { pnlUncertaintyUsdc } } as unknown as StateView;
};

describe('profit_inexact, at rest', () => {
  const faultsOf = (scene: Scene, pnlUsdc: string) =>
    rules(profitFaults(scene.rest(), earned(scene, pnlUsdc)));

  /** Somebody offers ten shares for 0.40, and a buy of the daemon's takes them: 10 x 0.05 x 0.40 x 0.60 of fees. */
  const taken = (timeInForce: 'FAK' | 'GTC') => {
    const scene = new Scene({ fees: FEES });
    scene.takePart(40);
    scene.place('i-1', 40, { lifetime: { timeInForce } as LimitOrder['lifetime'] });
    scene.pass(30_000);
    return scene;
  };

  it('is a fee of a take that is missing or counted twice, where no frame was lost', () => {
    const scene = taken('FAK');
    expect(faultsOf(scene, '0.880000')).toEqual([]);
    for (const pnl of ['1.000000', '0.880002', '0.879998', '0.760000'])
      expect(faultsOf(scene, pnl)).toEqual(['profit_inexact']);
  });

  it('is no fee of a quote that met somebody as it arrived: nobody reports it', () => {
    const scene = taken('GTC');
    expect(faultsOf(scene, '0.880000')).toEqual([]);
    expect(faultsOf(scene, '1.000000')).toEqual([]);
    expect(faultsOf(scene, '1.000002')).toEqual(['profit_inexact']);
    expect(faultsOf(scene, '0.879998')).toEqual(['profit_inexact']);
  });

  it('is nothing that nobody can know', () => {
    const scene = taken('FAK');
    const parts = scene.rest({ isProfitKnown: false });
    expect(profitFaults(parts, earned(scene, '5'))).toEqual([]);
  });
});

describe('shares, at rest', () => {
  const faultsOf = (bestBid: string, mark: string, pnlUsdc: string) => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    scene.pass(30_000);
    const markets = [scene.view({ bestBid, bestAsk: '0.60', mark, pnlUsdc })];
    const state = { markets, account: { pnlUncertaintyUsdc: '0' } } as unknown as StateView;
    return rules(profitFaults(scene.rest({ isHarmless: false }), state));
  };

  it('are worth a price that stood where bid and ask are far apart, if it is between them', () => {
    expect(faultsOf('0.44', '0.44', '0.4')).toEqual([]);
    expect(faultsOf('0.44', '0.44', '1.2')).toEqual(['profit_outside']);
    expect(faultsOf('0.44', '0.43', '0.3')).toEqual(['profit_outside']);
  });

  it('are worth a price that stood where bid and ask are crossed, if it is between them', () => {
    expect(faultsOf('0.62', '0.60', '2')).toEqual([]);
    expect(faultsOf('0.62', '0.60', '2.3')).toEqual(['profit_outside']);
    expect(faultsOf('0.62', '0.63', '2.3')).toEqual(['profit_outside']);
  });

  it('are worth the middle where bid and ask are near each other', () => {
    expect(faultsOf('0.50', '0.50', '1.5')).toEqual([]);
    expect(faultsOf('0.50', '0.50', '1')).toEqual(['profit_outside']);
  });
});

describe('profit_outside, at rest', () => {
  it('is a profit farther from the truth than the daemon says, where frames were lost', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    scene.pass(30_000);
    const faultsOf = (pnlUsdc: string, uncertainty?: string) =>
      rules(profitFaults(scene.rest({ isHarmless: false }), earned(scene, pnlUsdc, uncertainty)));
    expect(faultsOf('1', '0')).toEqual([]);
    expect(faultsOf('0.7', '0.3')).toEqual([]);
    expect(faultsOf('1.3', '0.3')).toEqual([]);
    expect(faultsOf('0.69', '0.3')).toEqual(['profit_outside']);
    expect(faultsOf('1.31', '0.3')).toEqual(['profit_outside']);
    // A daemon that does not tell how uncertain it is, is not held to it.
    expect(faultsOf('5')).toEqual([]);
  });
});

describe('holds_differ, at rest', () => {
  const NOW_MS = 10_000;
  const told = (
    freeUsdc: number,
    held: { readonly yes?: number; readonly no?: number } = {},
    nowMs = NOW_MS,
  ) =>
    ({
      ...{ nowMs, capital: { freeUsdc } },
      inventory: { held: { yes: microShares(held.yes ?? 0), no: microShares(held.no ?? 0) } },
    }) as unknown as Told;
  const faults = (
    scene: Scene,
    shown: Told | undefined,
    { isOwnScope = false, isQuoted = true } = {},
  ) =>
    rules(
      holdFaults(scene.rest({ isOwnScope, reportedOf: () => shown }), scene.market, {
        atMs: NOW_MS,
        known: isQuoted ? new Set([scene.market.market.id]) : new Set(),
      }),
    );

  it('is cash that an order holds and the daemon calls free, or the other way round', () => {
    const scene = new Scene();
    const cash = usdcOf(scene.account.cashNano).toNumber();
    expect(faults(scene, told(cash))).toEqual([]);
    scene.place('i-1', 40);
    expect(faults(scene, told(cash))).toEqual(['holds_differ']);
    expect(faults(scene, told(cash - 12))).toEqual([]);
    expect(faults(scene, told(cash - 12.000002))).toEqual(['holds_differ']);
    expect(faults(scene, undefined)).toEqual([]);
    // Nobody asks a market that may not be quoted: what it was told is of before.
    expect(faults(scene, told(cash, {}, NOW_MS - 2_001))).toEqual([]);
  });

  it('is two millionths of a share that a sell is said to hold and none does, in its own outcome', () => {
    const scene = new Scene();
    const cash = usdcOf(scene.account.cashNano).toNumber();
    expect(faults(scene, told(cash, { yes: 2 }))).toEqual(['holds_differ']);
    expect(faults(scene, told(cash, { no: 2 }))).toEqual(['holds_differ']);
    scene.account.holding(scene.market.outcome(0).tokenId).heldMicro = 2;
    expect(faults(scene, told(cash, { no: 2 }))).toEqual([]);
    expect(faults(scene, told(cash, { yes: 2 }))).toEqual(['holds_differ', 'holds_differ']);
  });

  it("counts what somebody else's order holds, in the own scope too", () => {
    const scene = new Scene();
    const cash = usdcOf(scene.account.cashNano).toNumber();
    scene.placeByHand(40);
    expect(faults(scene, told(cash))).toEqual(['holds_differ']);
    expect(faults(scene, told(cash - 12))).toEqual([]);
    expect(faults(scene, told(cash), { isOwnScope: true })).toEqual(['holds_differ']);
    expect(faults(scene, told(cash - 12), { isOwnScope: true })).toEqual([]);
    // What rests in a market that is quoted no more is in no sum of the daemon's.
    expect(faults(scene, told(cash), { isQuoted: false })).toEqual([]);
  });
});

describe('venue_book, at rest', () => {
  it('is a size that the public book shows and no order has', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.pass(1_000);
    const nothing = () => undefined;
    const empty = {
      ...{ bestBid: nothing, bestAsk: nothing, nextBid: nothing, nextAsk: nothing },
      ...{ bidSizeAt: () => 0, askSizeAt: () => 0 },
    };
    const shown = () =>
      rules(bookFaults(scene.rest({ bookOf: () => empty as never }), scene.market));
    expect(shown()).toEqual([]);
    const book = scene.venue.exchange.context.books.of(scene.market);
    const level = book.level('bid', book.allTicks('bid')[0] ?? 0);
    if (level === undefined) throw new Error('an order rests there');
    level.restingMicro[1] += 1;
    expect(shown()).toEqual(['venue_book']);
  });
});

describe('core_broke', () => {
  it('is whatever the core throws', () => {
    const scene = new Scene();
    scene.auditor.onBroke(new Error('out of its grid'));
    expect(scene.auditor.violations).toMatchObject([
      { rule: 'core_broke', detail: expect.stringContaining('out of its grid') },
    ]);
  });
});
