// Quotes with dates, through the whole engine.

import { describe, expect, it } from 'vitest';
import { GTD_DEFAULTS, type GtdSettings } from '../../../src/domain/input.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { EngineDriver, settings } from '../../support/engine-driver.ts';

function quoting(gtd: Partial<GtdSettings> = {}, risk = {}): EngineDriver {
  const driver = new EngineDriver();
  const base = settings();
  driver.start({
    ...base,
    // What is under way keeps its slot for as long as these scenes leave it without an answer.
    timing: { ...base.timing, unknownSlotMs: 45_000 },
    risk: { ...base.risk, ...risk },
    orders: { ...base.orders, timeInForce: 'GTD', gtd: { ...GTD_DEFAULTS, ...gtd } },
  });
  driver.healthyBook();
  driver.tick();
  return driver;
}

function aheadMs(driver: EngineDriver, { lifetime }: LimitOrder): number {
  if (lifetime.timeInForce !== 'GTD') throw new Error('a date was expected');
  return lifetime.expiresAtMs - driver.nowMs;
}

/** The venue shows what was accepted, less what was cancelled, and is reported for all the time. */
function runListed(driver: EngineDriver, durationMs: number): readonly string[] {
  const cancelled: string[] = [];
  driver.run(durationMs, () => {
    const open = driver.openReports().filter((each) => !cancelled.includes(each.orderHash));
    driver.answerReads(open);
    cancelled.push(...driver.answerCancels());
  });
  return cancelled;
}

describe('a quote with a date', () => {
  it('is placed with one, and each with its own', () => {
    const driver = quoting();
    const orders = driver.acceptPlacements().map(({ order }) => aheadMs(driver, order));
    expect(orders).toHaveLength(2);
    for (const ahead of orders) expect(ahead).toBeGreaterThan(134_000);
    expect(new Set(orders).size).toBe(2);
  });

  it('is renewed before it ends: the new one rests, then the old one is cancelled', () => {
    const driver = quoting();
    const old = driver.acceptPlacements();
    runListed(driver, 80_000);
    expect(driver.placements()).toEqual([]);
    expect(runListed(driver, 62_000)).toEqual([]);
    const next = driver.acceptPlacements();
    expect(next.map(({ order }) => order.price)).toEqual(old.map(({ order }) => order.price));
    expect(driver.engine.view().ordersByState.resting).toBe(4);
    const cancelled = runListed(driver, 2_000);
    expect(new Set(cancelled)).toEqual(new Set(old.map(({ hash }) => hash)));
    expect(driver.engine.view().ordersByState.resting).toBe(2);
    expect(driver.engine.view().writes.placed).toMatchObject({ repair: 2, renew: 2 });
  });

  it('goes first where no limit has room for two, and only near its end', () => {
    const driver = quoting({}, { maxOpenOrders: 2 });
    const old = driver.acceptPlacements();
    expect(runListed(driver, 105_000)).toEqual([]);
    const cancelled = runListed(driver, 60_000);
    expect(new Set(cancelled)).toEqual(new Set(old.map(({ hash }) => hash)));
    expect(driver.placements().flatMap((each) => each.orders)).toHaveLength(2);
  });

  it('goes first where the settings say so', () => {
    const driver = quoting({ renewal: 'replace' });
    const old = driver.acceptPlacements();
    expect(new Set(runListed(driver, 140_000))).toEqual(new Set(old.map(({ hash }) => hash)));
    expect(driver.engine.view().ordersByState.resting).toBe(0);
    expect(driver.placements().flatMap((each) => each.orders)).toHaveLength(2);
  });

  it('that the venue ends early and calls cancelled has expired, and is learned from', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.run(aheadMs(driver, bid.order) - 60_000, () => driver.answerReads(driver.openReports()));
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 0 });
    const moved = driver.reported('order.moved').filter((each) => each.orderHash === bid.hash);
    expect(moved.at(-1)).toMatchObject({ to: 'expired', signal: 'expired' });
  });

  it('that is cancelled long before its date was cancelled', () => {
    const driver = quoting();
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.update(bid.hash, bid.order, { status: 'CANCELLED', filled: 0 });
    expect(driver.engine.view().ordersByState).toMatchObject({ cancelled: 1, expired: 0 });
  });

  it('gets a later date when the venue refuses it, and quoting does not stop', () => {
    const driver = quoting({ lifetimeMs: 80_000, staggerPart: 0, renewMs: 20_000 });
    const refusal = {
      code: 'invalid_parameter',
      message: 'expiredAt: a time at least three minutes ahead',
      httpStatus: 400,
      retryAfterMs: undefined,
    };
    const seen: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const [first] = driver.answerPlacements({ kind: 'refused', refusal });
      if (first) seen.push(aheadMs(driver, first));
      driver.tick(100);
    }
    expect(seen.map((ahead) => Math.round(ahead / 10_000) * 10)).toEqual([
      80, 110, 140, 170, 200, 230,
    ]);
    expect(driver.reported('order.date_refused').at(0)).toMatchObject({ aheadMs: 110_000 });
    expect(driver.acceptPlacements()).toHaveLength(2);
    driver.tick();
    expect(driver.engine.view().markets[0]?.bidReason).toBe(undefined);
  });

  it('is asked about right after its date when nobody tells of its end', () => {
    const driver = quoting({ renewMs: 5_000 });
    const [bid] = driver.acceptPlacements();
    if (!bid) throw new Error('a bid was placed');
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    driver.run(aheadMs(driver, bid.order), () => driver.answerReads(driver.openReports()));
    driver.run(12_000, () => driver.answerReads([]));
    const moved = driver.reported('order.moved').filter((each) => each.orderHash === bid.hash);
    expect(moved.at(-1)).toMatchObject({ to: 'expired', signal: 'confirmedExpired' });
  });

  it('gets its date when the settings begin to ask for one', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const old = driver.acceptPlacements();
    const base = settings();
    driver.settings({ ...base, orders: { ...base.orders, timeInForce: 'GTD' } });
    runListed(driver, 7_000);
    const next = driver.acceptPlacements();
    expect(next.map(({ order }) => order.lifetime.timeInForce)).toEqual(['GTD', 'GTD']);
    expect(new Set(runListed(driver, 1_000))).toEqual(new Set(old.map(({ hash }) => hash)));
  });
});
