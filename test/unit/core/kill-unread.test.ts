// A stop while no list of orders can be read: what it has asked for is asked again, and what is known
// of the account is named.

import { describe, expect, it } from 'vitest';
import type { CancelOutcome, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { EngineDriver, reportOf, settings } from '../../support/engine-driver.ts';

const REFUSAL = { code: 'internal', message: 'x', httpStatus: 503, retryAfterMs: undefined };
const FAILED = { kind: 'refused', refusal: REFUSAL } as const;
const DONE = { kind: 'accepted', cancelled: 2, failed: 0 } as const;

/** A venue that answers as it is told. */
class Venue {
  readonly driver = new EngineDriver();
  /** When cancels left, and the hashes that each named. */
  readonly leftMs: number[] = [];
  readonly named: (readonly string[])[] = [];
  cancels: CancelOutcome | undefined = DONE;
  lists: ReadOutcome<readonly OrderReport[]> | undefined = FAILED;

  quoting(scope: 'account' | 'own' = 'account') {
    const base = settings();
    this.driver.start({ ...base, orders: { ...base.orders, scope } });
    this.driver.healthyBook();
    this.driver.tick();
    return this.driver.acceptPlacements();
  }

  run(durationMs: number): void {
    this.driver.run(durationMs, () => this.#answer());
  }

  #answer(): void {
    const { driver } = this;
    const cancels = [...driver.take('cancelAll'), ...driver.take('cancelOrders')];
    if (cancels.length > 0) this.leftMs.push(driver.nowMs);
    for (const each of cancels) {
      this.named.push(each.kind === 'cancelOrders' ? each.orderHashes : []);
      const { requestId } = each;
      if (this.cancels) driver.tell({ kind: 'cancelled', requestId, outcome: this.cancels });
    }
    for (const { requestId } of driver.take('readOpenOrders')) {
      const askedAtMs = unixMs(driver.nowMs);
      if (this.lists)
        driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome: this.lists });
    }
  }
}

function distances(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

describe('a stop whose lists cannot be read', () => {
  it.each(['kill', 'shutdown'] as const)('cancels again and again at a %s', (order) => {
    const venue = new Venue();
    venue.quoting();
    venue.cancels = { kind: 'accepted', cancelled: 1, failed: 1 };
    venue.driver.operator(order);
    venue.run(60_000);
    expect(venue.leftMs.length).toBeGreaterThanOrEqual(20);
    const apart = distances(venue.leftMs);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...apart)).toBeLessThan(3_000);
  });

  it('cancels again where nothing was cancelled at all', () => {
    const venue = new Venue();
    venue.quoting();
    venue.cancels = { kind: 'accepted', cancelled: 0, failed: 2 };
    venue.driver.operator('shutdown');
    venue.run(30_000);
    expect(venue.leftMs.length).toBeGreaterThanOrEqual(10);
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
  });

  it('names its own orders again in the own scope', () => {
    const venue = new Venue();
    const hashes = venue.quoting('own').map(({ hash }) => hash);
    venue.driver.operator('kill');
    venue.run(30_000);
    expect(venue.leftMs.length).toBeGreaterThanOrEqual(10);
    for (const named of venue.named) expect(named).toEqual(hashes);
  });

  it('cancels again where lists hang', () => {
    const venue = new Venue();
    venue.quoting();
    venue.lists = undefined;
    venue.driver.operator('kill');
    venue.run(60_000);
    expect(venue.leftMs.length).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['fails', FAILED],
    ['hangs', undefined],
  ] as const)('looks on where the cancel that it makes again %s', (_, answer) => {
    const venue = new Venue();
    venue.quoting();
    venue.driver.operator('kill');
    venue.run(500);
    venue.cancels = answer;
    venue.run(6_000);
    expect(venue.leftMs.length).toBeGreaterThan(1);
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
    venue.lists = { kind: 'ok', value: [] };
    venue.run(8_000);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('trusts no empty list before one cancel of everything was accepted', () => {
    const venue = new Venue();
    venue.quoting();
    venue.cancels = FAILED;
    venue.driver.operator('kill');
    venue.run(6_000);
    venue.lists = { kind: 'ok', value: [] };
    venue.run(6_000);
    expect(venue.driver.reported('kill.confirmed')).toEqual([]);
    venue.cancels = DONE;
    venue.run(6_000);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('cancels once where lists can be read and show nothing', () => {
    const venue = new Venue();
    venue.quoting();
    venue.lists = { kind: 'ok', value: [] };
    venue.driver.operator('kill');
    venue.run(5_000);
    expect(venue.leftMs).toHaveLength(1);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
  });

  it('names the orders that it knows when it is not confirmed', () => {
    const venue = new Venue();
    const hashes = venue.quoting().map(({ hash }) => hash);
    venue.cancels = FAILED;
    venue.driver.operator('kill');
    venue.run(15_000);
    const [report] = venue.driver.reported('kill.unconfirmed');
    // A venue that cancels no order at all is another matter than one that keeps those that have traded in part.
    expect(report).toMatchObject({ stillOpen: 2, orderHashes: hashes, isOnlyParts: false });
    for (const hash of hashes) expect(venue.driver.engine.view().phaseReason).toContain(hash);
  });

  it('names what the last list showed where one could be read', () => {
    const venue = new Venue();
    const [bid] = venue.quoting();
    if (!bid) throw new Error('a bid was placed');
    venue.lists = { kind: 'ok', value: [reportOf(bid.hash, bid.order)] };
    venue.driver.operator('kill');
    venue.run(2_000);
    venue.lists = FAILED;
    venue.run(12_000);
    const [report] = venue.driver.reported('kill.unconfirmed');
    expect(report).toMatchObject({ stillOpen: 1, orderHashes: [bid.hash] });
  });
});

describe('a kill of what is killed already', () => {
  function killed(): Venue {
    const venue = new Venue();
    venue.quoting();
    venue.lists = { kind: 'ok', value: [] };
    venue.driver.operator('kill');
    venue.run(3_000);
    expect(venue.driver.engine.view().phase).toBe('killed');
    return venue;
  }

  it('cancels and confirms anew', () => {
    const venue = killed();
    venue.driver.operator('kill');
    expect(venue.driver.engine.view().phase).toBe('killing');
    venue.run(3_000);
    expect(venue.leftMs).toHaveLength(2);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(2);
    expect(venue.driver.engine.view().phase).toBe('killed');
  });

  it('says so in time when it is not confirmed', () => {
    const venue = killed();
    venue.lists = FAILED;
    venue.driver.operator('kill');
    venue.run(12_000);
    expect(venue.driver.reported('kill.confirmed')).toHaveLength(1);
    expect(venue.driver.reported('kill.unconfirmed')).toHaveLength(1);
  });
});
