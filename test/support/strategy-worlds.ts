// Rules that show only through the whole engine: what reaches the venue on any sequence of flushes.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TokenId } from '../../src/domain/ids.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import type { VenueMessage } from '../../src/domain/message.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import { MICRO_PER_SHARE, shares } from '../../src/domain/shares.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { EngineDriver, GRID, level, NO, settings, YES } from './engine-driver.ts';

export type WorldRules = {
  readonly strategy: Strategy;
  readonly params: fc.Arbitrary<object>;
  /** Further settings of the market or the orders. */
  readonly change?: (settings: CoreSettings) => CoreSettings;
  readonly runs?: number;
  /** What else the world has: another market, a book of NO, an external price. */
  readonly prepare?: (driver: EngineDriver, tokens: Tokens) => void;
  /** False where the strategy prices YES by another rule than NO by design. */
  readonly mirrors?: boolean;
};

/** The token that the script is about, and its sibling: exchanged, the world is seen from NO. */
export type Tokens = { readonly here: TokenId; readonly there: TokenId };
const PLAIN: Tokens = { here: YES, there: NO };
const RELABELLED: Tokens = { here: NO, there: YES };

/** What one flush of the venue brings, in no particular order. */
type Change = {
  readonly side: 'bid' | 'ask';
  /** Ticks behind the innermost price that a script uses. */
  readonly depth: number;
  readonly size: number;
};
type Flush = {
  readonly changes: readonly Change[];
  readonly trades: readonly { readonly taker: 'BUY' | 'SELL'; readonly size: number }[];
};

/** Others never bid above this and never ask below its mirror, so that no script crosses itself. */
const BID_INNERMOST = 47;
const ASK_INNERMOST = 53;
const POSITION_MAX = 120;

const anyFlush: fc.Arbitrary<Flush> = fc.record({
  changes: fc.uniqueArray(
    fc.record({
      side: fc.constantFrom('bid' as const, 'ask' as const),
      depth: fc.integer({ min: 0, max: 6 }),
      size: fc.constantFrom(0, 20, 150, 400),
    }),
    { maxLength: 5, selector: ({ side, depth }) => `${side} ${depth}` },
  ),
  trades: fc.array(
    fc.record({
      taker: fc.constantFrom('BUY' as const, 'SELL' as const),
      size: fc.integer({ min: 1, max: 60 }),
    }),
    { maxLength: 3 },
  ),
});
const anyScript = fc.array(anyFlush, { minLength: 1, maxLength: 8 });

/** Declares the tests; call it inside a `describe`. */
export function itKeepsTheRulesInTheEngine(rules: WorldRules): void {
  const check = (property: (script: readonly Flush[], params: object) => void) =>
    fc.assert(fc.property(anyScript, rules.params, property), { numRuns: rules.runs ?? 25 });

  it('sends only orders that rest, reach 1.00 USDC and stay inside the limits', () => {
    check((script, params) => {
      expect(play(rules, script, { params }).faults).toEqual([]);
    });
  });

  it('plans the same whatever the order of messages inside a flush', () => {
    check((script, params) => {
      const backwards = play(rules, script, { params, isReversed: true });
      expect(backwards.sent).toBe(play(rules, script, { params }).sent);
    });
  });

  if (rules.mirrors !== false) {
    it('sends the same orders for the other token when YES and NO change names', () => {
      check((script, params) => {
        const there = play(rules, script, { params, tokens: RELABELLED });
        expect(there.orders).toEqual(play(rules, script, { params }).orders);
      });
    });
  }

  it('gives the same bytes when the same inputs are played again', () => {
    check((script, params) => {
      expect(play(rules, script, { params }).sent).toBe(play(rules, script, { params }).sent);
    });
  });
}

type Play = {
  readonly params: object;
  readonly isReversed?: boolean;
  readonly tokens?: Tokens;
};

function play(rules: WorldRules, script: readonly Flush[], how: Play) {
  const driver = new EngineDriver([rules.strategy]);
  const base = settings();
  const given: CoreSettings = {
    ...base,
    risk: { ...base.risk, maxPositionShares: POSITION_MAX },
    markets: [
      {
        event: 'rain',
        market: undefined,
        strategy: rules.strategy.name,
        params: { ...how.params },
      },
    ],
  };
  driver.start(rules.change?.(given) ?? given);
  const tokens = how.tokens ?? PLAIN;
  driver.book(tokens.here, [level(40, 500)], [level(60, 500)]);
  driver.book(tokens.there, [], []);
  rules.prepare?.(driver, tokens);
  const world = new World(tokens);
  for (const flush of script) {
    const messages = messagesOf(flush, driver.nowMs, tokens.here);
    for (const message of how.isReversed ? messages.toReversed() : messages) driver.tell(message);
    world.apply(flush);
    driver.tick(200);
    world.settle(driver);
  }
  return {
    sent: JSON.stringify([world.said, driver.reports]),
    orders: world.orders,
    faults: world.faults,
  };
}

function messagesOf(
  { changes, trades }: Flush,
  nowMs: number,
  tokenId: TokenId,
): readonly VenueMessage[] {
  const venueTs = unixMs(nowMs);
  const deltas = changes.map(
    ({ side, depth, size }): VenueMessage => ({
      kind: 'bookDelta',
      tokenId,
      side,
      price: ticks(GRID, priceAt(side, depth)),
      size: shares(size),
      venueTs,
    }),
  );
  const seen = trades.map(
    ({ taker, size }): VenueMessage => ({
      kind: 'trade',
      tokenId,
      price: ticks(GRID, taker === 'BUY' ? ASK_INNERMOST : BID_INNERMOST),
      size: shares(size),
      takerSide: taker,
      venueTs,
    }),
  );
  return [...deltas, ...seen];
}

function priceAt(side: 'bid' | 'ask', depth: number): number {
  return side === 'bid' ? BID_INNERMOST - depth : ASK_INNERMOST + depth;
}

/** The venue's side of the play: the books of others, our live orders, and what is wrong with them. */
class World {
  readonly said: unknown[] = [];
  readonly faults: string[] = [];
  /** What was placed after each flush, by the token's part and in an order that can be compared. */
  readonly orders: (readonly string[])[] = [];
  readonly #tokens: Tokens;
  readonly #bids = new Map<number, number>([[40, 500]]);
  readonly #asks = new Map<number, number>([[60, 500]]);
  readonly #live = new Map<string, LimitOrder>();

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  apply({ changes }: Flush): void {
    for (const { side, depth, size } of changes) {
      const levels = side === 'bid' ? this.#bids : this.#asks;
      if (size === 0) levels.delete(priceAt(side, depth));
      else levels.set(priceAt(side, depth), size);
    }
  }

  settle(driver: EngineDriver): void {
    this.said.push(driver.sent.map((command) => ({ ...command })));
    for (const hash of driver.answerCancels()) this.#live.delete(hash);
    const accepted = driver.acceptPlacements();
    this.orders.push(accepted.map(({ order }) => this.#plain(order)).sort());
    for (const { order, hash } of accepted) {
      this.#check(order);
      if (this.#isScripted(order) && order.lifetime.timeInForce === 'GTC') {
        this.#live.set(hash, order);
      }
    }
    this.#checkLimits();
    driver.answerReads([]);
    driver.sent = [];
  }

  #plain({ tokenId, side, price, quantity, lifetime }: LimitOrder): string {
    const part =
      tokenId === this.#tokens.here ? 'here' : tokenId === this.#tokens.there ? 'there' : tokenId;
    return [part, side, price, quantity, lifetime.timeInForce].join(' ');
  }

  #isScripted({ tokenId }: LimitOrder): boolean {
    return tokenId === this.#tokens.here || tokenId === this.#tokens.there;
  }

  #check(order: LimitOrder): void {
    const worth = (order.price / GRID.ticksPerUnit) * (order.quantity / MICRO_PER_SHARE);
    if (worth < 1) this.faults.push(`${order.side} worth ${worth}`);
    // What takes is meant to meet the book; another market has a book of its own.
    if (!this.#isScripted(order) || order.lifetime.timeInForce !== 'GTC') return;
    const { isBid, price } = this.#axisOf(order);
    const others = isBid ? Math.min(...this.#asks.keys()) : Math.max(...this.#bids.keys());
    if (isBid ? price >= others : price <= others) this.faults.push(`${price} meets ${others}`);
    for (const own of this.#live.values()) {
      const mine = this.#axisOf(own);
      if (mine.isBid === isBid) continue;
      const meets = isBid ? price >= mine.price : price <= mine.price;
      if (meets) this.faults.push(`${price} meets our own ${mine.price}`);
    }
  }

  #checkLimits(): void {
    const total = { bid: 0, ask: 0 };
    for (const order of this.#live.values()) {
      total[this.#axisOf(order).isBid ? 'bid' : 'ask'] += order.quantity;
    }
    for (const [side, sum] of Object.entries(total)) {
      const held = sum / MICRO_PER_SHARE;
      if (held > POSITION_MAX) this.faults.push(`${held} shares of ${side}s rest`);
    }
  }

  #axisOf(order: LimitOrder): { readonly isBid: boolean; readonly price: number } {
    return order.tokenId === this.#tokens.here
      ? { isBid: order.side === 'BUY', price: order.price }
      : { isBid: order.side === 'SELL', price: GRID.ticksPerUnit - order.price };
  }
}
