// Rules of money, on a few lines of what happened: nothing appears or vanishes on the venue, and what the
// daemon names of cash and holds is what the venue has.

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { requestId } from '../../src/domain/ids.ts';
import type { VenueMessage } from '../../src/domain/message.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import { microShares } from '../../src/domain/shares.ts';
import { unixMs } from '../../src/domain/time.ts';
import { usdc } from '../../src/domain/usdc.ts';
import { bookFaults } from './audit/rest-books.ts';
import { holdFaults, profitFaults } from './audit/rest-money.ts';
import type { Told } from './audit/rest-parts.ts';
import { Scene } from './scene.ts';

const MICRO_USDC = new Decimal('0.000002');
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
        account.cash = account.cash.plus(MICRO_USDC);
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
        account.cashHeld = MICRO_USDC.neg();
      },
    ],
    [
      'more cash held than is there',
      ({ account }) => {
        account.cashHeld = account.cash.plus(MICRO_USDC);
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

describe('cash_wrong', () => {
  const read = (scene: Scene, outcome: 'ok' | 'failed' = 'ok') => {
    const balances = { cashBalance: usdc(1), availableBalance: usdc(1), usdcOnHold: usdc(0) };
    const failed = { kind: 'failed', detail: 'x' } as const;
    const message = {
      ...{ kind: 'balances', requestId: requestId(7), askedAtMs: unixMs(0) },
      outcome: outcome === 'ok' ? { kind: 'ok', value: { ...balances, positions: [] } } : failed,
    } as VenueMessage;
    scene.auditor.onMessage(message);
  };
  /** Time passes with a read every five seconds. */
  const live = (scene: Scene, durationMs: number, outcome: 'ok' | 'failed' = 'ok') => {
    for (let passed = 0; passed < durationMs; passed += 1_000) {
      scene.pass(1_000);
      if (passed % 5_000 === 0) read(scene, outcome);
      scene.auditor.check();
    }
  };
  const naming = (change: number | string): Scene => {
    const scene = new Scene();
    scene.claimedCash = scene.account.cash.plus(change).toFixed();
    return scene;
  };

  it('is a sum that the venue does not have, by two millionths, over reads that would mend it', () => {
    const scene = naming('-0.000002');
    live(scene, 55_000);
    expect(scene.broken).toEqual([]);
    live(scene, 15_000);
    expect(scene.broken).toContain('cash_wrong');
  });

  it('is none where the sum is right, or nothing is named', () => {
    const right = naming(0);
    live(right, 300_000);
    expect(right.broken).toEqual([]);
    const silent = new Scene();
    live(silent, 300_000);
    expect(silent.broken).toEqual([]);
  });

  it('is none of what the venue had a moment ago, and of nothing later', () => {
    const scene = naming(0);
    live(scene, 5_000);
    const { exchange } = scene.venue;
    exchange.accounts.deposit(scene.account, new Decimal(7));
    live(scene, 100_000);
    expect(scene.broken).not.toContain('cash_wrong');
    live(scene, 40_000);
    expect(scene.broken).toContain('cash_wrong');
  });

  it('is none while no read comes through, nor of a life that has just begun', () => {
    const unread = naming(1);
    live(unread, 300_000, 'failed');
    expect(unread.broken).toEqual([]);
    const begun = naming(1);
    live(begun, 50_000);
    begun.auditor.onLifeStarts(2, true);
    live(begun, 50_000);
    expect(begun.broken).toEqual([]);
  });
});

describe('profit_differs, at rest', () => {
  const RIGHT = { statedRate: 0.05, chargedRate: 0.05 };
  /** Somebody offers ten shares for 0.40, and a buy of the daemon's takes them; at a middle of 0.50 they earn 1. */
  const taken = (timeInForce: 'FAK' | 'GTC', fees = RIGHT) => {
    const scene = new Scene({ fees });
    scene.takePart(40);
    scene.place('i-1', 40, { lifetime: { timeInForce } as LimitOrder['lifetime'] });
    scene.pass(30_000);
    return (pnlUsdc: string) => {
      const view = scene.view({ bestBid: '0.49', bestAsk: '0.51', pnlUsdc });
      return rules(profitFaults(scene.rest({ fees }), view, scene.market));
    };
  };

  it('is a fee of a take that is missing, or counted twice', () => {
    const faultsOf = taken('FAK');
    // 10 x 0.05 x 0.40 x 0.60.
    expect(faultsOf('0.880000')).toEqual([]);
    for (const pnl of ['1.000000', '0.880002', '0.879998', '0.760000'])
      expect(faultsOf(pnl)).toEqual(['profit_differs']);
  });

  it('is none where a quote met somebody as it arrived, with its fee or without it', () => {
    const faultsOf = taken('GTC');
    expect(faultsOf('0.880000')).toEqual([]);
    expect(faultsOf('1.000000')).toEqual([]);
    expect(faultsOf('1.000002')).toEqual(['profit_differs']);
    expect(faultsOf('0.879998')).toEqual(['profit_differs']);
  });

  it('is none of what the operator has wrong', () => {
    const faultsOf = taken('FAK', { statedRate: 0.02, chargedRate: 0.05 });
    expect(faultsOf('0.952000')).toEqual([]);
    expect(faultsOf('0.952003')).toEqual(['profit_differs']);
  });

  it('is none of how two rates are rounded, and nothing beyond that', () => {
    const fees = { statedRate: 0.07, chargedRate: 0.0351 };
    const scene = new Scene({ fees });
    // Ten shares pay 0.0849069, in millionths; as stated it is 0.16933.
    for (const name of ['i-1', 'i-2', 'i-3', 'i-4']) {
      scene.takePart(41);
      const lifetime = { timeInForce: 'FAK' } as LimitOrder['lifetime'];
      scene.place(name, 41, { lifetime });
    }
    scene.pass(30_000);
    const faultsOf = (lessUsdc: number) => {
      const pnlUsdc = (40 * 0.09 - 4 * 0.16933 - lessUsdc).toFixed(6);
      const view = scene.view({ bestBid: '0.49', bestAsk: '0.51', pnlUsdc });
      return rules(profitFaults(scene.rest({ fees }), view, scene.market));
    };
    expect(faultsOf(0)).toEqual([]);
    expect(faultsOf(0.00001)).toEqual(['profit_differs']);
  });

  it('is a fee of another market, unless by a rate that is stated wrong it passes for one of this', () => {
    const faultsOf = (fees: typeof RIGHT, pnlUsdc: string) => {
      const scene = new Scene({ fees });
      scene.place('i-1', 40);
      scene.takePart(40);
      scene.pass(30_000);
      const parts = scene.rest({ fees });
      parts.facts.fees.of('mkt_elsewhere').othersNano = 120_000_000;
      const view = scene.view({ bestBid: '0.49', bestAsk: '0.51', pnlUsdc });
      return rules(profitFaults(parts, view, scene.market));
    };
    expect(faultsOf(RIGHT, '0.880000')).toEqual(['profit_differs']);
    const wrong = { statedRate: 0.1, chargedRate: 0.05 };
    expect(faultsOf(wrong, '0.880000')).toEqual([]);
    expect(faultsOf(wrong, '0.879998')).toEqual(['profit_differs']);
    expect(faultsOf(wrong, '1.000002')).toEqual(['profit_differs']);
  });

  it('is a fee of a quote that somebody met', () => {
    const scene = new Scene({ fees: RIGHT });
    scene.place('i-1', 40);
    scene.takePart(40);
    scene.pass(30_000);
    const view = (pnlUsdc: string) => scene.view({ bestBid: '0.49', bestAsk: '0.51', pnlUsdc });
    const faultsOf = (pnl: string) =>
      rules(profitFaults(scene.rest({ fees: RIGHT }), view(pnl), scene.market));
    expect(faultsOf('1.000000')).toEqual([]);
    expect(faultsOf('0.880000')).toEqual(['profit_differs']);
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
      holdFaults(scene.rest({ isOwnScope, toldOf: () => shown }), scene.market, {
        atMs: NOW_MS,
        known: isQuoted ? new Set([scene.market.market.id]) : new Set(),
      }),
    );

  it('is cash that an order holds and the daemon calls free, or the other way round', () => {
    const scene = new Scene();
    const cash = scene.account.cash.toNumber();
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
    const cash = scene.account.cash.toNumber();
    expect(faults(scene, told(cash, { yes: 2 }))).toEqual(['holds_differ']);
    expect(faults(scene, told(cash, { no: 2 }))).toEqual(['holds_differ']);
    scene.account.holding(scene.market.outcome(0).tokenId).heldMicro = 2;
    expect(faults(scene, told(cash, { no: 2 }))).toEqual([]);
    expect(faults(scene, told(cash, { yes: 2 }))).toEqual(['holds_differ', 'holds_differ']);
  });

  it("counts what somebody else's order holds, in the own scope too", () => {
    const scene = new Scene();
    const cash = scene.account.cash.toNumber();
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
