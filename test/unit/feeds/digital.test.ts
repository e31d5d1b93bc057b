import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DigitalOption, FeedChoice } from '../../../src/domain/feed.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { DigitalReader, digitalPrice } from '../../../src/feeds/digital.ts';
import { VolatilityFit, YEAR_MS } from '../../../src/feeds/volatility.ts';

const NOW = unixMs(Date.UTC(2026, 10, 28));
const HOUR_MS = 3_600_000;

const OPTION: DigitalOption = {
  strike: 100,
  strikeUpper: undefined,
  expiryMs: unixMs(NOW + HOUR_MS),
  volatility: 0.5,
  volatilityMin: 0.1,
  volatilityMax: 3,
  halfLifeMs: HOUR_MS,
  sampleMs: 10_000,
};

function readerOf(option: Partial<DigitalOption> = {}): DigitalReader {
  const choice = {
    fields: {
      price: '/p',
      touch: { bid: '/b', ask: '/a' },
      uncertainty: undefined,
      time: undefined,
    },
    only: undefined,
  } as unknown as FeedChoice;
  return new DigitalReader(choice, { ...OPTION, ...option });
}

const read = (reader: DigitalReader, spot: number, nowMs: number = NOW) =>
  reader.read({
    text: JSON.stringify({ s: 'BTCUSDT', b: String(spot - 0.01), a: String(spot + 0.01) }),
    isStream: true,
    usualAtMs: unixMs(nowMs),
    nowMs: unixMs(nowMs),
  });

describe('a digital option on a spot price', () => {
  // Reference: ln(101/100) / (0.5 sqrt(1/8766)) - 0.5 sqrt(1/8766) / 2 = 1.86055, of which Phi is 0.96860.
  it('is worth what the formula says', () => {
    const leftMs = YEAR_MS / 8_766;
    expect(digitalPrice(OPTION, { spot: 101, volatility: 0.5, leftMs })).toBeCloseTo(0.9686, 3);
    expect(digitalPrice(OPTION, { spot: 100, volatility: 0.5, leftMs })).toBeCloseTo(0.4989, 3);
  });

  const at = fc.record({
    spot: fc.double({ min: 50, max: 200, noNaN: true }),
    volatility: fc.double({ min: 0.05, max: 3, noNaN: true }),
    leftMs: fc.integer({ min: 1, max: 10 * 365 * 24 * HOUR_MS }),
  });
  const rise = fc.double({ min: 1e-3, max: 50, noNaN: true });

  it('is worth more where the spot price is higher, and a range is worth the difference of two', () => {
    fc.assert(
      fc.property(at, rise, (where, more) => {
        const price = (strike: number, strikeUpper?: number, spot = where.spot) =>
          digitalPrice({ strike, strikeUpper }, { ...where, spot });
        expect(price(100, undefined, where.spot + more)).toBeGreaterThanOrEqual(price(100));
        const range = price(100, 110);
        const difference = price(100) - price(110);
        expect(Math.abs(range - difference)).toBeLessThanOrEqual(0.0011);
        expect(range).toBeGreaterThan(0);
      }),
    );
  });

  it.each(['1.7e308', '5e-324', '1, "uncertainty": 1.7e308', '1, "uncertainty": 1e15'])(
    'reads what no price can be as a refusal or a price, and throws for none: %s',
    (spot) => {
      const choice = { fields: { price: '/price' }, only: undefined } as unknown as FeedChoice;
      const reader = new DigitalReader(choice, { ...OPTION, strike: 0.1 });
      for (const price of ['1', spot, '1']) {
        const { kind } = reader.read({
          text: `{"price": ${price}}`,
          isStream: true,
          usualAtMs: NOW,
          nowMs: NOW,
        });
        expect(['stated', 'refused']).toContain(kind);
      }
    },
  );

  it('has a price with every spot price, until its expiry', () => {
    const reader = readerOf();
    expect(read(reader, 100)).toMatchObject({ kind: 'stated', price: expect.closeTo(0.499, 2) });
    expect(read(reader, 101)).toMatchObject({ kind: 'stated', price: expect.closeTo(0.968, 2) });
    expect(reader.basis()).toBe('spot 101, volatility 0.500, 3600 s left');
    expect(read(reader, 101, NOW + HOUR_MS)).toMatchObject({
      kind: 'refused',
      place: 'digital.expiry',
      found: '2026-11-28T01:00:00.000Z, which has passed',
    });
  });

  it('is surer far from the strike than at it, and of a crossed or halved touch says nothing', () => {
    const reader = readerOf();
    const near = read(reader, 100.3);
    const far = read(reader, 105);
    if (near.kind !== 'stated' || far.kind !== 'stated') throw new Error('both are prices');
    expect(near.deviation).toBeGreaterThan(far.deviation ?? 1);
    const text = (fields: object) => JSON.stringify(fields);
    const of = (fields: object) =>
      reader.read({ text: text(fields), isStream: true, usualAtMs: NOW, nowMs: NOW });
    expect(of({ b: '100', a: '99' })).toMatchObject({ kind: 'refused', place: '/a' });
    expect(of({ b: '100' })).toMatchObject({ kind: 'refused', place: '/a', found: 'nothing' });
    expect(of({ e: 'ping' })).toEqual({ kind: 'skipped' });
  });
});

describe('a fitted volatility', () => {
  /** Moves of plus or minus one deviation of a true volatility, every ten seconds. */
  function fitted(trueVolatility: number, moves: number): VolatilityFit {
    const fit = new VolatilityFit(OPTION);
    const move = trueVolatility * Math.sqrt(10_000 / YEAR_MS);
    for (let i = 0; i <= moves; i += 1)
      fit.take(100 * Math.exp(i % 2 === 0 ? 0 : move), i * 10_000);
    return fit;
  }

  it('is what was stated before any move, and comes to what the moves are', () => {
    expect(new VolatilityFit(OPTION).volatility).toBe(0.5);
    expect(fitted(1, 5).volatility).toBeCloseTo(0.632, 2);
    expect(fitted(1, 2_000).volatility).toBeGreaterThan(0.95);
    expect(fitted(0.2, 2_000).volatility).toBeLessThan(0.24);
    expect(fitted(1, 2_000).errorPart).toBeLessThan(new VolatilityFit(OPTION).errorPart);
  });

  it('is moved little by one glitch, by nothing across a gap, and stays within its bounds', () => {
    const fit = fitted(0.5, 500);
    const before = fit.volatility;
    fit.take(200, 501 * 10_000);
    expect(fit.volatility / before).toBeLessThan(1.06);
    const other = fitted(0.5, 500);
    other.take(200, 500 * 10_000 + HOUR_MS);
    expect(other.volatility).toBe(before);
    expect(fitted(20, 500).volatility).toBe(3);
    expect(fitted(0.001, 5_000).volatility).toBeGreaterThanOrEqual(0.1);
  });
});
