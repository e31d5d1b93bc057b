// The deadline of a cancel that nobody has confirmed: it is asked for again, by its own clock, whether
// anything else plans or not.

import { describe, expect, it } from 'vitest';
import { EngineState } from '../../../src/core/engine.ts';
import type { OwnOrder } from '../../../src/core/orders/own-order.ts';
import { keepDeadlines } from '../../../src/core/session/answers.ts';
import { addMs, unixMs } from '../../../src/domain/time.ts';
import { settings } from '../../support/engine-driver.ts';
import { ownOrder } from '../../support/own-orders.ts';

const BORN_MS = 1_000_000;
/** Four lists missed: nobody has shown the order for so long. */
const SIGHT_MS = 20_000;

/** A core without a market, so that nothing but deadlines acts. */
class Bench {
  readonly stores = new EngineState(new Map(), {
    onMoved: () => {},
    onChanged: () => {},
    onExecuted: () => {},
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });

  constructor() {
    const { stores } = this;
    stores.settings = settings();
    stores.clock.nowMs = unixMs(BORN_MS);
  }

  unconfirmed(change: Parameters<typeof ownOrder>[0] = {}): OwnOrder {
    const order = ownOrder({
      state: 'cancelUnresolved',
      stateSinceMs: this.stores.nowMs,
      cancelAttempts: 1,
      cancelAnsweredAtMs: this.stores.nowMs,
      ...change,
    });
    this.stores.ledger.add(order);
    return order;
  }

  /** @returns The hashes of each cancel that left meanwhile. */
  pass(durationMs: number): readonly (readonly string[])[] {
    const named: (readonly string[])[] = [];
    for (let passed = 0; passed < durationMs; passed += 250) {
      this.stores.clock.nowMs = addMs(this.stores.nowMs, 250);
      keepDeadlines(this.stores);
      for (const each of this.stores.outbox.take()) {
        if (each.kind !== 'venue' || each.command.kind !== 'cancelOrders') continue;
        named.push(each.command.orderHashes);
      }
    }
    return named;
  }

  /** What becomes of the last cancel: nothing that anybody hears of. */
  fail(order: OwnOrder): void {
    this.stores.ledger.signal(order, 'noAnswer', this.stores.nowMs);
    order.cancelAnsweredAtMs = this.stores.nowMs;
  }
}

describe('cancels that are asked for again', () => {
  it('go when nobody has shown the order for four lists, and not before', () => {
    const bench = new Bench();
    const order = bench.unconfirmed();
    expect(bench.pass(SIGHT_MS - 250)).toEqual([]);
    expect(bench.pass(5_000)).toEqual([[order.orderHash]]);
    expect(order).toMatchObject({ state: 'cancelling', cancelAttempts: 2 });
  });

  it('go together, 100 to a request, each order once', () => {
    const bench = new Bench();
    const orders = Array.from({ length: 230 }, () => bench.unconfirmed());
    const named = bench.pass(SIGHT_MS + 5_000);
    expect(named.map(({ length }) => length)).toEqual([100, 100, 30]);
    expect(named.flat()).toEqual(orders.map(({ orderHash }) => orderHash));
  });

  it('are one under way for each order, and wait for its answer', () => {
    const bench = new Bench();
    const order = bench.unconfirmed();
    expect(bench.pass(SIGHT_MS + 10_000)).toHaveLength(1);
    bench.fail(order);
    expect(bench.pass(SIGHT_MS - 250)).toEqual([]);
    expect(bench.pass(10_000)).toEqual([[order.orderHash]]);
  });

  it('are reported, with the hash and how long it lasted', () => {
    const bench = new Bench();
    const order = bench.unconfirmed();
    bench.stores.clock.nowMs = addMs(bench.stores.nowMs, SIGHT_MS + 1_000);
    keepDeadlines(bench.stores);
    const reports = bench.stores.outbox.take().filter(({ kind }) => kind === 'report');
    expect(reports).toMatchObject([
      {
        report: {
          event: 'order.past_deadline',
          orderHash: order.orderHash,
          state: 'cancelUnresolved',
          remedy: 'cancelAgain',
        },
      },
    ]);
  });

  it('name nothing of somebody else, nothing without a hash, nothing that has traded whole', () => {
    const bench = new Bench();
    bench.unconfirmed({ isOfOthers: true });
    bench.unconfirmed({ orderHash: undefined });
    bench.unconfirmed({ size: 50, executed: 50 });
    const ours = bench.unconfirmed();
    expect(bench.pass(SIGHT_MS + 5_000)).toEqual([[ours.orderHash]]);
  });

  it('are put off by a list that shows the order', () => {
    const bench = new Bench();
    const order = bench.unconfirmed();
    bench.pass(15_000);
    order.seenAtMs = bench.stores.nowMs;
    expect(bench.pass(SIGHT_MS - 250)).toEqual([]);
    expect(bench.pass(5_000)).toEqual([[order.orderHash]]);
  });

  it('keep the pause of what the venue refuses to cancel', () => {
    const bench = new Bench();
    bench.unconfirmed({ cancelAttempts: 12, cancelRefusals: 2 });
    expect(bench.pass(59_000)).toEqual([]);
    expect(bench.pass(6_000)).toHaveLength(1);
  });

  it('are left to a stop that is under way, which names all of them itself', () => {
    const bench = new Bench();
    bench.unconfirmed();
    bench.stores.session.onOperator({ kind: 'kill', by: 'test' });
    expect(bench.pass(SIGHT_MS + 60_000)).toEqual([]);
  });

  it('go in halves where the venue had refused them together', () => {
    const bench = new Bench();
    const hashes = Array.from({ length: 4 }, () => bench.unconfirmed()).flatMap(
      ({ orderHash }) => orderHash ?? [],
    );
    bench.stores.cancelBatches.onRefused(hashes, unixMs(BORN_MS));
    const named = bench.pass(SIGHT_MS + 5_000);
    expect(named.map(({ length }) => length)).toEqual([2, 2]);
  });
});
