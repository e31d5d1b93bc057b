import { describe, expect, it } from 'vitest';
import { GTD_AHEAD_MS_MIN } from '../../../../src/core/kernel/bounds.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { Expiry } from '../../../../src/core/orders/taught.ts';
import { GTD_DEFAULTS } from '../../../../src/domain/input.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { GTD_AHEAD_MIN_MS } from '../../../../src/wire/limits.ts';
import { ownOrder } from '../../../support/own-orders.ts';

const NOW = unixMs(1_000_000);
const GTD = { timeInForce: 'GTD', gtd: GTD_DEFAULTS } as const;
const GTC = { timeInForce: 'GTC', gtd: GTD_DEFAULTS } as const;

function dated(aheadMs: number): OwnOrder {
  return ownOrder({ sentAtMs: NOW, expiresAtMs: unixMs(NOW + aheadMs) });
}

const at = (ms: number) => unixMs(NOW + ms);

describe('the date of a quote', () => {
  it('is never nearer than the venue allows, with the margin', () => {
    expect(GTD_AHEAD_MS_MIN).toBe(GTD_AHEAD_MIN_MS);
    const expiry = new Expiry();
    const short = { ...GTD_DEFAULTS, lifetimeMs: 75_000, staggerPart: 0.5, marginMs: 10_000 };
    for (let count = 0; count < 100; count += 1) {
      expect(expiry.next(short, NOW).expiresAtMs - NOW).toBeGreaterThanOrEqual(70_000);
    }
  });

  it('lies apart from those of the quotes sent with it, over the part that is set', () => {
    const expiry = new Expiry();
    const ahead = Array.from(
      { length: 200 },
      () => expiry.next(GTD_DEFAULTS, NOW).expiresAtMs - NOW,
    );
    expect(Math.max(...ahead)).toBeLessThanOrEqual(180_000);
    expect(Math.min(...ahead)).toBeGreaterThanOrEqual(135_000);
    // In each ninth of the spread there is about a ninth of them.
    const perSlot = new Map<number, number>();
    for (const each of ahead) {
      const slot = Math.floor((each - 135_000) / 5_000);
      perSlot.set(slot, (perSlot.get(slot) ?? 0) + 1);
    }
    for (const count of perSlot.values()) expect(count).toBeLessThanOrEqual(25);
  });

  it('moves further ahead when the venue refuses it, once for all that were dated alike', () => {
    const expiry = new Expiry();
    expect(expiry.aheadMs(GTD_DEFAULTS)).toBe(70_000);
    for (let count = 0; count < 50; count += 1) {
      expect(expiry.onRefused(dated(150_000))).toBe(true);
    }
    expect(expiry.aheadMs(GTD_DEFAULTS)).toBe(180_000);
    expect(expiry.next(GTD_DEFAULTS, NOW).expiresAtMs - NOW).toBe(180_000);
  });

  it('is not the reason any more when the furthest one is refused too', () => {
    const expiry = new Expiry();
    expect(expiry.onRefused(dated(700_000))).toBe(false);
    expect(expiry.onRefused(ownOrder())).toBe(false);
    expect(expiry.aheadMs(GTD_DEFAULTS)).toBe(70_000);
  });
});

describe('the renewal of a quote', () => {
  it('is due as long before its end as is set', () => {
    const expiry = new Expiry();
    const order = dated(150_000);
    expect(expiry.isDying(order, GTD, at(104_999))).toBe(false);
    expect(expiry.isDying(order, GTD, at(105_000))).toBe(true);
  });

  it('is due at once for one without a date where all should have one, and never elsewhere', () => {
    const expiry = new Expiry();
    expect(expiry.isDying(ownOrder(), GTD, NOW)).toBe(true);
    expect(expiry.isDying(ownOrder(), GTC, NOW)).toBe(false);
    expect(expiry.isDying(dated(150_000), GTC, at(149_000))).toBe(true);
  });

  it('is not due for what cannot be named yet', () => {
    const expiry = new Expiry();
    const unknown = { ...dated(150_000), orderHash: undefined };
    expect(expiry.isDying(unknown, GTD, at(149_000))).toBe(false);
  });

  it('comes before the end that orders really have, when the venue ends them early', () => {
    const expiry = new Expiry();
    const order = dated(180_000);
    expiry.onEnded(order, at(120_000));
    expiry.onEnded(order, at(119_000));
    expect(expiry.earlyMs).toBe(0);
    expiry.onEnded(order, at(118_000));
    expect(expiry.earlyMs).toBe(60_000);
    expect(expiry.isDying(order, GTD, at(74_999))).toBe(false);
    expect(expiry.isDying(order, GTD, at(75_000))).toBe(true);
    // A few that lived to their date, and the baseline is forgotten.
    expiry.onEnded(order, at(180_010));
    expect(expiry.earlyMs).toBe(0);
  });

  it('never chases its own tail: what has just been placed is not renewed', () => {
    const expiry = new Expiry();
    const order = dated(90_000);
    for (let count = 0; count < 3; count += 1) expiry.onEnded(order, at(5_000));
    expect(expiry.isDying(order, GTD, at(29_999))).toBe(false);
    expect(expiry.isDying(order, GTD, at(30_000))).toBe(true);
  });
});

describe('the end of a quote', () => {
  it('near its date is that of its date', () => {
    const expiry = new Expiry();
    expect(expiry.isEndOf(dated(180_000), at(89_999))).toBe(false);
    expect(expiry.isEndOf(dated(180_000), at(90_000))).toBe(true);
    expect(expiry.isEndOf(ownOrder(), at(90_000))).toBe(false);
  });
});
