// Orders of the account that this core never sent.

import { describe, expect, it } from 'vitest';
import { orderHash, tokenId } from '../../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../../src/domain/message.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { EngineDriver, GRID, reportOf, settings } from '../../../support/engine-driver.ts';

const EXTERNAL = orderHash('0x5747');

/** An order just like our own bid shows up on the venue beside it. */
function withExternal(externalOrders: 'cancel' | 'adopt', executed = 0) {
  const driver = new EngineDriver();
  driver.start(settings({ orders: { ...settings().orders, externalOrders } }));
  driver.healthyBook();
  driver.tick();
  const [bid, ask] = driver.acceptPlacements();
  if (bid === undefined || ask === undefined) throw new Error('a bid and an ask were placed');
  const listed = [
    reportOf(EXTERNAL, bid.order, executed),
    reportOf(bid.hash, bid.order),
    reportOf(ask.hash, ask.order),
  ];
  driver.run(6_000, () => driver.answerReads(listed));
  const requests = driver.take('cancelOrders');
  const cancelled = requests.flatMap((each) => each.orderHashes);
  return { driver, listed, requests, cancelled, bid };
}

describe('an order that was never sent from here', () => {
  it.each(['cancel', 'adopt'] as const)('is reported once, by policy %s', (externalOrders) => {
    const { driver } = withExternal(externalOrders);
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: EXTERNAL }]);
  });

  it('is cancelled whatever it offers, and no order of ours', () => {
    expect(withExternal('cancel').cancelled).toEqual([EXTERNAL]);
  });

  it('is cancelled again when its cancel failed and it is still seen', () => {
    const { driver, listed, requests } = withExternal('cancel');
    let unanswered = requests;
    driver.run(12_000, () => {
      for (const { requestId } of unanswered) {
        const outcome = { kind: 'accepted', cancelled: 0, failed: 1 } as const;
        driver.tell({ kind: 'cancelled', requestId, outcome });
      }
      unanswered = driver.take('cancelOrders');
      driver.answerReads(listed);
    });
    const states = driver.reported('order.moved').filter((each) => each.orderHash === EXTERNAL);
    expect(states.filter((each) => each.signal === 'cancelSent').length).toBeGreaterThan(1);
  });

  it('is planned with like any order of ours where it is adopted: one of two alike is too many', () => {
    const { cancelled, bid } = withExternal('adopt');
    expect(cancelled).toHaveLength(1);
    expect([EXTERNAL, bid.hash]).toContain(cancelled[0]);
  });

  it('does not lend its hash to an unknown order that is like it', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [write] = driver.placements();
    const [order] = write?.orders ?? [];
    if (!write || !order) throw new Error('orders were placed');
    const outcome = { kind: 'unknown', cause: 'timeout', detail: 'test' } as const;
    const outcomes = write.orders.map(({ intentId }) => ({ intentId, outcome }));
    driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
    driver.update(EXTERNAL, order, { status: 'OPEN', filled: 0, remaining: 20 });
    const listed = [{ ...reportOf(EXTERNAL, order), quantity: shares(20) }];
    driver.run(2_000, () => driver.answerReads(listed));
    driver.run(12_000, () => driver.answerReads([]));
    expect(driver.reported('order.external')).toHaveLength(1);
    expect(driver.reported('order.filled')).toEqual([]);
    const found = driver.reported('order.moved').filter(({ from }) => from === 'unknown');
    expect(found.filter(({ orderHash: hash }) => hash === EXTERNAL)).toEqual([]);
  });
});

describe('an own order that is listed once more behind its end', () => {
  it.each([20, 30])('with %s shares traded, of which 20 were counted, is quoted on', (executed) => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const [bid] = driver.acceptPlacements();
    if (bid === undefined) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 20, remaining: 30 });
    driver.run(6_000, () => {
      driver.healthyBook();
      driver.answerReads([reportOf(bid.hash, bid.order, executed)]);
    });
    expect(driver.engine.view().markets[0]?.positionYes).toBe(String(executed));
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('in_flight');
  });
});

/** So many orders of nobody rest on a market that is not quoted. */
function unquoted(count: number): readonly OrderReport[] {
  return Array.from({ length: count }, (_, index) => ({
    orderHash: orderHash(`0x${(index + 4_096).toString(16)}`),
    tokenId: tokenId('0x9999'),
    side: 'BUY' as const,
    price: ticks(GRID, 20),
    quantity: shares(70),
    executed: shares(0),
    status: 'OPEN' as const,
    createdAtMs: undefined,
  }));
}

/** Serves a venue that lists them until `cancel` leaves fewer of them. */
class Elsewhere {
  readonly driver = new EngineDriver();
  open: readonly OrderReport[];
  readonly batches: (readonly string[])[] = [];
  readonly #cancel: (venue: Elsewhere, hashes: readonly string[]) => CancelOutcome;

  constructor(
    count: number,
    cancel: (venue: Elsewhere, hashes: readonly string[]) => CancelOutcome,
  ) {
    this.open = unquoted(count);
    this.#cancel = cancel;
    this.driver.start();
    this.driver.healthyBook();
    this.driver.tick();
    this.driver.acceptPlacements();
  }

  run(durationMs: number): void {
    const { driver } = this;
    driver.run(durationMs, () => {
      for (const { requestId, orderHashes } of driver.take('cancelOrders')) {
        this.batches.push(orderHashes);
        const outcome = this.#cancel(this, orderHashes);
        driver.tell({ kind: 'cancelled', requestId, outcome });
      }
      driver.healthyBook();
      driver.answerReads([...this.open, ...driver.openReports()]);
    });
  }

  without(hashes: readonly string[]): CancelOutcome {
    this.open = this.open.filter(({ orderHash: hash }) => !hashes.includes(hash));
    return { kind: 'accepted', cancelled: hashes.length, failed: 0 };
  }
}

const cancelsNone = (_: Elsewhere, { length }: readonly string[]): CancelOutcome => ({
  kind: 'accepted',
  cancelled: 0,
  failed: length,
});

describe('many orders of nobody on a market that is not quoted', () => {
  it('are cancelled a hundred to a request, and all of them', () => {
    const venue = new Elsewhere(500, (at, hashes) => at.without(hashes));
    venue.run(7_000);
    expect(venue.batches.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100]);
    expect(venue.open).toEqual([]);
  });

  it('are reported once each', () => {
    const venue = new Elsewhere(3, cancelsNone);
    venue.run(60_000);
    expect(venue.driver.reported('order.external')).toHaveLength(3);
  });

  it('are asked for at a pace that grows up to half a minute when the venue cancels none', () => {
    const venue = new Elsewhere(500, cancelsNone);
    venue.run(10_500);
    expect(venue.batches.length).toBeLessThan(50);
    venue.run(120_000);
    venue.batches.length = 0;
    venue.run(300_000);
    const [first = ''] = venue.open.map(({ orderHash: hash }) => hash);
    const asked = venue.batches.filter((hashes) => hashes.includes(first)).length;
    expect(asked).toBeGreaterThanOrEqual(8);
    expect(asked).toBeLessThanOrEqual(11);
  });

  it('go in halves when one that cannot be cancelled has its whole batch refused', () => {
    const stuck = unquoted(200)[42]?.orderHash ?? '';
    const refusal = {
      ...{ code: 'order_not_cancellable', message: 'one of them is locked' },
      ...{ httpStatus: 409, retryAfterMs: undefined },
    };
    const venue = new Elsewhere(200, (at, hashes) =>
      hashes.includes(stuck) ? { kind: 'refused', refusal } : at.without(hashes),
    );
    venue.run(10_000);
    expect(venue.open.map(({ orderHash: hash }) => hash)).toEqual([stuck]);
    expect(venue.batches.length).toBeLessThan(25);
    venue.batches.length = 0;
    venue.run(300_000);
    expect(new Set(venue.batches.map(({ length }) => length))).toEqual(new Set([1]));
    expect(venue.batches.length).toBeLessThanOrEqual(13);
  });

  it('have few requests under way at once, and no more of them once a kill came', () => {
    const { driver, open } = new Elsewhere(1_000, cancelsNone);
    const list = () => driver.answerReads([...open, ...driver.openReports()]);
    driver.run(7_000, list);
    expect(driver.take('cancelOrders').map(({ orderHashes }) => orderHashes.length)).toEqual([
      100, 100, 100, 100,
    ]);
    driver.operator('kill');
    // Nobody answers the kill, so that it has nothing to ask by name.
    driver.run(9_000, list);
    expect(driver.take('cancelAll').length).toBeGreaterThan(0);
    expect(driver.take('cancelOrders')).toEqual([]);
  });

  it('are asked for again where nobody ever answers', () => {
    const venue = new Elsewhere(10, cancelsNone);
    const { driver, open } = venue;
    let asked = 0;
    driver.run(200_000, () => {
      asked += driver.take('cancelOrders').length;
      driver.healthyBook();
      driver.answerReads([...open, ...driver.openReports()]);
    });
    expect(asked).toBeGreaterThan(4);
  });
});
