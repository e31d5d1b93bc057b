import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isLeaving,
  isQuoting,
  type OwnOrder,
  remaining,
} from '../../../../src/core/orders/own-order.ts';
import type { Target } from '../../../../src/core/quoting/market.ts';
import { planMarket } from '../../../../src/core/quoting/plan.ts';
import { ORDER_MOVES, type OrderState } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { GRID, ownOrder } from '../../../support/own-orders.ts';

const EXACT = { priceTicks: 0, size: 0 };

function target(side: 'bid' | 'ask', price: number, size: number): Target {
  return { side, price: ticks(GRID, price), quantity: shares(size), purpose: 'add' };
}

describe('a plan', () => {
  it('keeps what is wanted and live already', () => {
    const plan = planMarket([target('bid', 40, 50)], [ownOrder()], EXACT);
    expect(plan).toMatchObject({ cancels: [], missing: [] });
  });

  it('cancels what nobody wants and asks for what is missing', () => {
    const old = ownOrder();
    const plan = planMarket([target('bid', 41, 50)], [old], EXACT);
    expect(plan.cancels).toEqual([old]);
    expect(plan.missing).toMatchObject([{ ...target('bid', 41, 50), rank: 0 }]);
  });

  it('joins target quotes at one price, and cancels what rests beside them', () => {
    const [wanted, old] = [ownOrder(), ownOrder({ price: 45 })];
    const plan = planMarket([target('bid', 40, 50), target('bid', 40, 50)], [wanted, old], EXACT);
    expect(plan.cancels).toEqual([old]);
    expect(plan.missing).toMatchObject([target('bid', 40, 50)]);
  });

  it('tops a partly filled level up and leaves the order its place in the queue', () => {
    const partial = ownOrder({ state: 'partiallyFilled', executed: 30 });
    const plan = planMarket([target('bid', 40, 50)], [partial], EXACT);
    expect(plan.cancels).toEqual([]);
    expect(plan.missing[0]?.quantity).toBe(shares(30));
  });

  it('leaves an order alone that is near enough in price and size', () => {
    const tolerance = { priceTicks: 1, size: 0.2 };
    const plan = planMarket([target('bid', 41, 55)], [ownOrder()], tolerance);
    expect(plan).toMatchObject({ cancels: [], missing: [] });
  });

  it('gives a live level to the target quotes at its very price before one that is near', () => {
    const tolerance = { priceTicks: 1, size: 0 };
    const plan = planMarket(
      [target('bid', 41, 50), target('bid', 40, 50)],
      [ownOrder()],
      tolerance,
    );
    expect(plan.missing.map((each) => each.price)).toEqual([41]);
  });

  it('reduces a level by its newest order first', () => {
    const oldest = ownOrder();
    const newest = ownOrder();
    const plan = planMarket([target('bid', 40, 50)], [newest, oldest], EXACT);
    expect(plan.cancels).toEqual([newest]);
  });

  it('cancels what is too much by itself, and keeps a newer one that fits', () => {
    const large = ownOrder({ size: 80 });
    const fitting = ownOrder({ size: 30 });
    const plan = planMarket([target('bid', 40, 30)], [large, fitting], EXACT);
    // The cancel of the large one may take its time: the other one would come and go until then.
    expect(plan).toMatchObject({ cancels: [large], missing: [] });
  });

  it('places nothing beside an order that is too large and that the venue refuses to cancel', () => {
    const stuck = ownOrder({ state: 'partiallyFilled', executed: 10, cancelRefusals: 2 });
    const alone = planMarket([target('bid', 40, 30)], [stuck], EXACT);
    expect(alone).toMatchObject({ cancels: [stuck], missing: [] });
    const beside = ownOrder();
    const plan = planMarket([target('bid', 40, 30)], [stuck, beside], EXACT);
    expect(plan).toMatchObject({ cancels: [beside, stuck], missing: [] });
    expect(planMarket([target('bid', 40, 55)], [stuck], EXACT).missing).toMatchObject([
      { quantity: shares(15) },
    ]);
  });

  it.each(['intended', 'sending', 'unknown'] as const)(
    'does not place over an order that is %s',
    (state) => {
      const order = ownOrder({ state, orderHash: undefined });
      expect(planMarket([target('bid', 40, 50)], [order], EXACT).missing).toEqual([]);
      expect(planMarket([], [order], EXACT).cancels).toEqual([]);
    },
  );

  it.each(['cancelling', 'cancelUnresolved'] as const)(
    'places nothing at a price where an order is %s: until the venue has answered, both would rest',
    (state) => {
      const leaving = ownOrder({ state });
      const plan = planMarket([target('bid', 40, 50), target('bid', 39, 50)], [leaving], EXACT);
      expect(plan.missing.map(({ price }) => price)).toEqual([39]);
    },
  );

  it('tops a level up beside a rest that is leaving and within the tolerance', () => {
    const leaving = ownOrder({ state: 'cancelling', executed: 45 });
    const plan = planMarket([target('bid', 40, 50)], [leaving], { priceTicks: 0, size: 0.2 });
    expect(plan.missing).toMatchObject([target('bid', 40, 50)]);
  });

  it('counts a NO bid as the ask that it is', () => {
    const noBid = ownOrder({ leg: 'no', price: 40 });
    expect(planMarket([target('ask', 60, 50)], [noBid], EXACT)).toMatchObject({
      cancels: [],
      missing: [],
    });
  });
});

describe('a place in the queue', () => {
  const keeps = (isWorthIt: boolean) => ({
    ...EXACT,
    judge: { reachTicks: 2, keeps: () => isWorthIt },
  });

  it('is kept on the safe side of the target while it is worth more than moving', () => {
    const order = ownOrder();
    const plan = planMarket([target('bid', 41, 50)], [order], keeps(true));
    expect(plan).toMatchObject({ cancels: [], missing: [] });
  });

  it('is given up when moving is worth more', () => {
    const order = ownOrder();
    expect(planMarket([target('bid', 41, 50)], [order], keeps(false)).cancels).toEqual([order]);
  });

  it.each([
    ['a bid above its target', target('bid', 39, 50), ownOrder()],
    ['an ask below its target', target('ask', 61, 50), ownOrder({ leg: 'no', price: 40 })],
  ])('never keeps %s, whatever it is worth', (_, wanted, order) => {
    expect(planMarket([wanted], [order], keeps(true)).cancels).toEqual([order]);
  });

  it('may be kept up to the worst price of the target, and not beyond it', () => {
    const upTo = (worst: number) => ({ ...target('bid', 39, 50), worst: ticks(GRID, worst) });
    const order = ownOrder();
    expect(planMarket([upTo(40)], [order], keeps(false)).cancels).toEqual([]);
    expect(planMarket([upTo(39)], [order], { priceTicks: 5, size: 0 }).cancels).toEqual([order]);
  });

  it('is not asked for beyond the reach', () => {
    const order = ownOrder();
    expect(planMarket([target('bid', 43, 50)], [order], keeps(true)).cancels).toEqual([order]);
  });
});

describe('a write', () => {
  it('reduces, repairs a bare side, or improves what is there', () => {
    const reduce = { ...target('ask', 60, 10), purpose: 'reduce' as const };
    const targets = [target('bid', 40, 50), target('bid', 39, 50), reduce];
    const bare = planMarket(targets, [], EXACT).missing.map((each) => each.writeClass);
    expect(bare).toEqual(['repair', 'repair', 'reduce']);
    const partly = planMarket(targets, [ownOrder()], EXACT).missing;
    expect(partly.map((each) => each.writeClass)).toEqual(['improve', 'reduce']);
  });

  it('repairs a side whose last orders are only about to be cancelled', () => {
    const moved = planMarket([target('bid', 42, 50), target('bid', 41, 50)], [ownOrder()], EXACT);
    expect(moved.cancels).toHaveLength(1);
    expect(moved.missing.map((each) => each.writeClass)).toEqual(['repair', 'repair']);
    const smaller = planMarket([target('bid', 40, 20)], [ownOrder()], EXACT);
    expect(smaller.cancels).toHaveLength(1);
    expect(smaller.missing.map((each) => each.writeClass)).toEqual(['repair']);
  });
});

describe('a quote that is near its end', () => {
  const dyingBuys = (...dying: readonly OwnOrder[]) => ({
    ...EXACT,
    renewal: {
      isDying: (order: OwnOrder) => dying.includes(order),
      overlaps: (order: OwnOrder) => order.side === 'BUY',
    },
  });
  const sell = (change: Parameters<typeof ownOrder>[0] = {}) =>
    ownOrder({ side: 'SELL', price: 60, ...change });

  it('is renewed at its own level while it rests, and nothing else is placed for it', () => {
    const old = ownOrder();
    const plan = planMarket([target('bid', 40, 50)], [old], dyingBuys(old));
    expect(plan.missing).toMatchObject([{ writeClass: 'renew', quantity: shares(50), price: 40 }]);
    expect(plan.missing[0]?.renews).toEqual([old]);
    expect(plan.cancels).toEqual([]);
  });

  it.each(['intended', 'sending', 'unknown'] as const)(
    'stays and is not renewed twice while its renewal is %s',
    (state) => {
      const old = ownOrder();
      const next = ownOrder({ state, orderHash: undefined });
      const plan = planMarket([target('bid', 40, 50)], [old, next], dyingBuys(old));
      expect(plan).toMatchObject({ missing: [], cancels: [] });
    },
  );

  it('goes when its renewal rests, and the renewal stays', () => {
    const old = ownOrder();
    const next = ownOrder();
    const plan = planMarket([target('bid', 40, 50)], [old, next], dyingBuys(old));
    expect(plan.missing).toEqual([]);
    expect(plan.cancels).toEqual([old]);
  });

  it('goes first where shares cannot rest twice, and is then renewed, not improved', () => {
    const old = sell();
    const still = sell({ price: 61 });
    const targets = [target('ask', 60, 50), target('ask', 61, 50)];
    const first = planMarket(targets, [old, still], dyingBuys(old));
    expect(first.cancels).toEqual([old]);
    expect(first.missing).toEqual([]);
    old.state = 'cancelling';
    const second = planMarket(targets, [old, still], dyingBuys(old));
    expect(second.missing).toMatchObject([{ writeClass: 'renew', price: 60 }]);
  });

  it('is not renewed where nobody wants it: it is cancelled', () => {
    const old = ownOrder();
    expect(planMarket([], [old], dyingBuys(old)).cancels).toEqual([old]);
  });

  it('renews what is left of it, and what had traded is missing as ever', () => {
    const old = ownOrder({ state: 'partiallyFilled', executed: 30 });
    const { missing } = planMarket([target('bid', 40, 50)], [old], dyingBuys(old));
    expect(missing).toMatchObject([
      { writeClass: 'renew', quantity: shares(20) },
      { writeClass: 'improve', quantity: shares(30) },
    ]);
  });

  it('keeps the class of a quote that brings the position down', () => {
    const old = ownOrder();
    const reducing = { ...target('bid', 40, 50), purpose: 'reduce' as const };
    const { missing } = planMarket([reducing], [old], dyingBuys(old));
    expect(missing).toMatchObject([{ writeClass: 'reduce', renews: [old] }]);
  });
});

const anyState = fc.constantFrom(...(Object.keys(ORDER_MOVES) as OrderState[]));
const anyOrder = fc
  .record({
    leg: fc.constantFrom('yes' as const, 'no' as const),
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    price: fc.integer({ min: 35, max: 65 }),
    size: fc.integer({ min: 1, max: 100 }),
    executedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    state: anyState,
  })
  .map(({ executedShare, ...rest }) =>
    ownOrder({ ...rest, executed: Math.floor(rest.size * executedShare) }),
  );
const anyTargets = fc
  .record({
    side: fc.constantFrom('bid' as const, 'ask' as const),
    price: fc.integer({ min: 35, max: 65 }),
    size: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ side, price, size }) => target(side, price, size));

describe('any plan', () => {
  const inputs = [
    fc.array(anyTargets, { maxLength: 8 }),
    fc.array(anyOrder, { maxLength: 12 }),
    fc.integer({ min: 0, max: 3 }),
    fc.double({ min: 0, max: 0.5, noNaN: true }),
  ] as const;

  it('never leaves more resting than is wanted plus the tolerance, nor places beyond the target quotes', () => {
    fc.assert(
      fc.property(...inputs, (targets, orders, priceTicks, size) => {
        const plan = planMarket(targets, orders, { priceTicks, size });
        for (const side of ['bid', 'ask'] as const) {
          const wanted = total(targets.filter((each) => each.side === side));
          const kept = orders.filter(
            (each) => isQuoting(each) && each.axisSide === side && !plan.cancels.includes(each),
          );
          const named = kept.filter(
            (each) => each.state === 'resting' || each.state === 'partiallyFilled',
          );
          const unnamed = kept.filter((each) => !named.includes(each));
          const resting = named.reduce((sum, each) => sum + remaining(each), 0);
          const placed = total(plan.missing.filter((each) => each.side === side));
          const floating = unnamed.reduce((sum, each) => sum + remaining(each), 0);
          expect(resting + placed).toBeLessThanOrEqual(wanted * (1 + size) + floating + 1);
        }
      }),
    );
  });

  it('is done after it was carried out: what it left to cancels that were under way comes with the next, and no more', () => {
    fc.assert(
      fc.property(...inputs, (targets, orders, priceTicks, size) => {
        const tolerance = { priceTicks, size };
        const plan = planMarket(targets, orders, tolerance);
        const after = carriedOut(orders, plan);
        const again = planMarket(targets, after, tolerance);
        const wasLeft = (price: number) =>
          orders.some((each) => isLeaving(each) && each.axisPrice === price);
        expect(again.missing.filter(({ price }) => !wasLeft(price))).toEqual([]);
        expect(planMarket(targets, carriedOut(after, again), tolerance).missing).toEqual([]);
      }),
    );
  });

  it('places nothing where more than the tolerance is leaving', () => {
    fc.assert(
      fc.property(...inputs, (targets, orders, priceTicks, size) => {
        const plan = planMarket(targets, orders, { priceTicks, size });
        for (const { side, price } of plan.missing) {
          const isHere = (each: OwnOrder) => each.axisSide === side && each.axisPrice === price;
          const leaving = orders.filter((each) => isHere(each) && isLeaving(each));
          const wanted = total(
            targets.filter((each) => each.side === side && each.price === price),
          );
          const shares = leaving.reduce((sum, each) => sum + remaining(each), 0);
          expect(shares).toBeLessThanOrEqual(wanted * size);
        }
      }),
    );
  });

  it('cancels only what a cancel can name', () => {
    fc.assert(
      fc.property(...inputs, (targets, orders, priceTicks, size) => {
        const plan = planMarket(targets, orders, { priceTicks, size });
        for (const order of plan.cancels) {
          expect(order.orderHash).toBeDefined();
          expect(['resting', 'partiallyFilled', 'cancelUnresolved']).toContain(order.state);
        }
        expect(new Set(plan.cancels).size).toBe(plan.cancels.length);
      }),
    );
  });
});

function total(targets: readonly Target[]): number {
  return targets.reduce((sum, each) => sum + each.quantity, 0);
}

/** The world after the plan: cancels gone, missing quantities resting. */
function carriedOut(orders: readonly OwnOrder[], plan: ReturnType<typeof planMarket>): OwnOrder[] {
  const kept = orders.filter((each) => !plan.cancels.includes(each));
  const placed = plan.missing.map((each) => ({
    ...ownOrder({
      leg: 'yes',
      side: each.side === 'bid' ? 'BUY' : 'SELL',
      price: each.price,
    }),
    quantity: each.quantity,
  }));
  return [...kept, ...placed];
}
