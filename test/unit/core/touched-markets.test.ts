// A step plans only markets that something happened to. Whatever happens, that must come to the same
// orders as planning all of them would.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VenueCommand } from '../../../src/domain/command.ts';
import {
  type MarketId,
  type OrderHash,
  orderHash,
  type TokenId,
  tokenId,
} from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as skewed } from '../../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { EngineDriver, level, reportOf, settings } from '../../support/engine-driver.ts';
import { listedEvent } from '../../support/listed-event.ts';

const GRID = tickGrid('0.01');
const EVENTS = [listedEvent('alpha', 2), listedEvent('beta', 1), listedEvent('gamma', 1)];
const MARKETS = EVENTS.flatMap((event) => event.markets);
const TOKENS = MARKETS.flatMap((each) => [each.yes.tokenId, each.no.tokenId]);

/** One thing that happens to both engines; `who` picks a token, an order or a request. */
type Happening = {
  readonly what: (typeof KINDS)[number];
  readonly who: number;
  readonly amount: number;
};
const KINDS = [
  'snapshot',
  'delta',
  'trade',
  'unreadable',
  'place',
  'refuse',
  'fill',
  'cancel',
  'lists',
  'status',
  'balances',
  'wait',
  'socket',
  'settle',
  'limits',
  'pause',
  'stop',
] as const;

const HAPPENINGS = fc.array(
  fc.record({
    what: fc.constantFrom(...KINDS, 'snapshot' as const, 'delta' as const, 'place' as const),
    who: fc.nat(63),
    amount: fc.nat(40),
  }),
  { minLength: 5, maxLength: 120, size: 'max' },
);

const CODES = ['insufficient_balance', 'market_paused', 'rate_limited', undefined];
const REFUSED = { message: 'no', httpStatus: 400, retryAfterMs: undefined };
const RUNS = Number(process.env['TOUCHED_RUNS'] ?? 60);

/** A strategy that minds what is held, and not the clock. */
const SKEWED = {
  strategy: skewed.name,
  params: Object.fromEntries(
    Object.entries(skewed.params).map(([name, { default: value }]) => [name, value]),
  ),
};

class Duplicate {
  readonly driver = new EngineDriver([ladder as Strategy, skewed as Strategy]);
  limits = 0;
  cash = 100_000;
  #hashes = 0;
  #trades = 0;
  isPaused = false;
  readonly stopped = new Set<MarketId>();
  readonly fills: Placed[] = [];
  readonly #isRoomy: boolean;

  constructor(isRoomy: boolean) {
    this.#isRoomy = isRoomy;
  }

  readonly live: { hash: OrderHash; order: Placed; filled: number }[] = [];

  get settings(): CoreSettings {
    const base = settings();
    const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
    const choices = EVENTS.map(({ slug }, index) => ({
      event: slug,
      market: undefined,
      ...(index === 0 ? SKEWED : { strategy: 'ladder', params }),
    }));
    const tight = this.limits % 2 === 1;
    return {
      ...base,
      markets: choices,
      risk: {
        ...base.risk,
        maxPositionShares: this.#isRoomy ? 100_000 : tight ? 60 : 200,
        maxOpenOrders: this.#isRoomy ? 2_000 : tight ? 6 : 14,
      },
    };
  }

  start(): void {
    const { driver } = this;
    driver.settings(this.settings);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: EVENTS } });
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.run(2_000, () => this.answerAll());
    for (const token of TOKENS) driver.book(token, [level(48, 500)], [level(52, 500)]);
    driver.tick();
    this.accept();
  }

  answerAll(): void {
    const { driver } = this;
    for (const _ of driver.take('readCatalogue')) {
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: EVENTS } });
    }
    driver.answerReads(this.open(), this.account());
    this.cancels();
  }

  open(): readonly OrderReport[] {
    return this.live.map(({ hash, order, filled }) => reportOf(hash, order, filled));
  }

  account() {
    return {
      cashBalance: usdc(this.cash),
      availableBalance: usdc(this.cash),
      usdcOnHold: usdc(0),
      positions: [],
    };
  }

  cancels(): void {
    for (const { requestId, orderHashes } of this.driver.take('cancelOrders')) {
      this.#forget((hash) => orderHashes.includes(hash));
      const outcome = { kind: 'accepted', cancelled: orderHashes.length, failed: 0 } as const;
      this.driver.tell({ kind: 'cancelled', requestId, outcome });
    }
    for (const { requestId, scope } of this.driver.take('cancelAll')) {
      this.#forget((hash) => scope.kind !== 'market' || this.#marketOf(hash) === scope.marketId);
      const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
      this.driver.tell({ kind: 'cancelled', requestId, outcome });
    }
  }

  accept(): void {
    for (const { requestId, orders } of this.driver.placements()) {
      const outcomes = orders.map((order) => {
        this.#hashes += 1;
        const hash = orderHash(`0xbb${this.#hashes.toString(16)}`);
        this.live.push({ hash, order, filled: 0 });
        return {
          intentId: order.intentId,
          outcome: { kind: 'accepted', orderHash: hash } as const,
        };
      });
      this.driver.tell({ kind: 'placed', requestId, outcomes });
    }
  }

  happen({ what, who, amount }: Happening): void {
    const { driver } = this;
    const token: TokenId = TOKENS[who % TOKENS.length] ?? tokenId('0x1');
    const venueTs = unixMs(driver.nowMs);
    const price = 30 + amount;
    switch (what) {
      case 'snapshot':
        driver.book(token, [level(price - 2, 300)], [level(price + 2, 300)]);
        return;
      case 'delta': {
        const side = who % 2 === 0 ? 'bid' : 'ask';
        driver.tell({
          kind: 'bookDelta',
          tokenId: token,
          side,
          price: ticks(GRID, price),
          size: shares(amount * 10),
          venueTs,
        });
        return;
      }
      case 'trade':
        driver.tell({
          kind: 'trade',
          tokenId: token,
          price: ticks(GRID, price),
          size: shares(amount + 1),
          takerSide: who % 2 === 0 ? 'BUY' : 'SELL',
          venueTs,
        });
        return;
      case 'unreadable':
        if (amount < 8) driver.tell({ kind: 'bookUnreadable', tokenId: token, detail: 'garbled' });
        return;
      case 'place':
        this.accept();
        return;
      case 'refuse':
        driver.answerPlacements({
          kind: 'refused',
          refusal: { code: CODES[amount % CODES.length], ...REFUSED },
        });
        return;
      case 'fill':
        this.#fill(who, amount);
        return;
      case 'cancel':
        this.cancels();
        return;
      case 'lists':
        driver.answerReads(this.open(), this.account());
        return;
      case 'status':
        driver.tell({
          kind: 'marketStatus',
          tokenId: token,
          status: amount % 2 === 0 ? 'open' : 'paused',
          word: 'x',
        });
        return;
      case 'balances':
        this.cash = this.#isRoomy ? 100_000 : 50 + amount * 20;
        return;
      case 'wait':
        for (let left = amount; left > 0; left -= 1) driver.tick();
        return;
      case 'socket':
        if (amount > 3) return;
        driver.tell({ kind: 'socketLost', reason: 'gone' });
        driver.tell({ kind: 'socketOpened' });
        driver.tell({ kind: 'authenticated' });
        return;
      case 'settle':
        this.#settle(who, amount);
        return;
      case 'limits':
        if (amount > 10) return;
        this.limits += 1;
        driver.settings(this.settings);
        return;
      case 'pause':
        if (amount > 6) return;
        this.isPaused = !this.isPaused;
        driver.operator(this.isPaused ? 'pause' : 'resume');
        return;
      case 'stop':
        if (amount <= 12) this.#stopOrResume(MARKETS[who % MARKETS.length]?.id, amount % 2 === 0);
        return;
    }
  }

  #stopOrResume(id: MarketId | undefined, isKill: boolean): void {
    if (id === undefined) return;
    const isStopped = this.stopped.delete(id);
    const of = { by: 'test', marketId: id } as const;
    if (isStopped) {
      this.driver.operator({ ...of, kind: 'resumeMarket' });
      return;
    }
    this.stopped.add(id);
    this.driver.operator({ ...of, kind: 'stopMarket', stop: isKill ? 'kill' : 'pause' });
  }

  #fill(who: number, amount: number): void {
    const found = this.live[who % Math.max(1, this.live.length)];
    if (found === undefined) return;
    this.fills.push(found.order);
    found.filled = Math.min(50, found.filled + amount);
    const isWhole = found.filled >= 50;
    this.driver.update(found.hash, found.order, {
      status: isWhole ? 'FILLED' : 'PARTIALLY_FILLED',
      filled: found.filled,
      remaining: 50 - found.filled,
    });
    if (isWhole) this.#forget((hash) => hash === found.hash);
  }

  /** The venue settles one fill. */
  #settle(who: number, amount: number): void {
    const fill = this.fills[who % Math.max(1, this.fills.length)];
    if (fill === undefined) return;
    this.#trades += 1;
    const { tokenId, side, price } = fill;
    this.driver.tell({
      kind: 'tradeSettled',
      tradeId: `t-${this.#trades}`,
      tokenId,
      marketId: undefined,
      side,
      price: usdc(price / 100),
      quantity: shares(amount),
    });
  }

  #marketOf(hash: OrderHash): MarketId | undefined {
    const tokenId = this.live.find((each) => each.hash === hash)?.order.tokenId;
    return MARKETS.find(({ yes, no }) => [yes.tokenId, no.tokenId].some((id) => id === tokenId))
      ?.id;
  }

  #forget(isGone: (hash: OrderHash) => boolean): void {
    const left = this.live.filter(({ hash }) => !isGone(hash));
    this.live.length = 0;
    this.live.push(...left);
  }
}

type Placed = Extract<VenueCommand, { kind: 'placeOrders' }>['orders'][number];

/** A cancel of a killed market was not confirmed, and its pause ends while nothing happens there. */
const PAUSED_CANCEL: readonly Happening[] = [
  ...(['stop', 'cancel', 'snapshot', 'snapshot', 'snapshot'] as const).map((what) => ({
    what,
    who: 0,
    amount: 0,
  })),
  { what: 'snapshot', who: 18, amount: 0 },
  { what: 'pause', who: 0, amount: 7 },
];
/** A paused market is asked about while nothing happens there. */
const PAUSED_WAIT: readonly Happening[] = [
  { what: 'status', who: 0, amount: 9 },
  ...[0, 0, 17].map((amount) => ({ what: 'snapshot', who: 0, amount }) as const),
  { what: 'place', who: 0, amount: 0 },
  { what: 'wait', who: 0, amount: 34 },
];
const CHECKED = {
  numRuns: RUNS,
  examples: [[PAUSED_CANCEL], [PAUSED_WAIT]] as [Happening[]][],
};

/** What both engines write after the last happening, when one of them plans every market. */
function endings(happenings: readonly Happening[], isRoomy: boolean) {
  const last = happenings.at(-1);
  return [false, true].map((isWhole) => {
    const duplicate = new Duplicate(isRoomy);
    duplicate.start();
    for (const happening of happenings.slice(0, -1)) {
      duplicate.happen(happening);
      duplicate.driver.tick();
    }
    if (last) duplicate.happen(last);
    duplicate.driver.sent = [];
    // Settings that are the same again: every market is due.
    if (isWhole) duplicate.driver.settings(duplicate.settings);
    const { account, risk } = duplicate.driver.engine.view();
    duplicate.driver.tick();
    return { cancels: cancelsOf(duplicate), placed: placedBy(duplicate), account, risk };
  });
}

function cancelsOf({ driver }: Duplicate): readonly string[] {
  return driver.take('cancelOrders').flatMap((each) => each.orderHashes);
}

function placedBy({ driver }: Duplicate): readonly unknown[] {
  return driver.take('placeOrders').flatMap((each) => each.orders);
}

describe('planning only the markets that something happened to', () => {
  it('takes away at once whatever planning all of them would, and sums up the same risk', () => {
    fc.assert(
      fc.property(HAPPENINGS, (happenings) => {
        const [some, all] = endings(happenings, false);
        const { placed: _, ...rest } = some ?? {};
        expect(all).toMatchObject(rest);
      }),
      CHECKED,
    );
  }, 60_000);

  it('places at once whatever planning all of them would, where no limit stands in the way', () => {
    fc.assert(
      fc.property(HAPPENINGS, (happenings) => {
        const [some, all] = endings(happenings, true);
        expect(some).toEqual(all);
      }),
      CHECKED,
    );
  }, 60_000);
});
