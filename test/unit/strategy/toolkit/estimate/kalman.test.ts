import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMs } from '../../../../../src/domain/time.ts';
import {
  agedObservation,
  bookObservation,
  combinedObservation,
  correctedEstimate,
  externalObservation,
  fairValueStep,
  type LogitEstimate,
  logit,
  mirroredObservation,
  predictedEstimate,
  repeatedObservation,
  sigmoid,
  tradeObservation,
} from '../../../../../src/strategy/index.ts';

const START = unixMs(1_700_000_000_000);
const later = (seconds: number) => unixMs(START + 1_000 * seconds);
const ESTIMATE: LogitEstimate = { logOdds: logit(0.42), logitVar: 0.004, atMs: START };
const BOOK = bookObservation({ midPrice: 0.44, spreadPrice: 0.02 });

const prices = fc.double({ min: 0.02, max: 0.98, noNaN: true });
const spreads = fc.double({ min: 0.001, max: 0.1, noNaN: true });

describe('one step of the filter', () => {
  it('is that of the check case', () => {
    const predicted = predictedEstimate(ESTIMATE, { nowMs: later(1), logitVarPerSec: 0.0002 });
    const { estimate, gain } = correctedEstimate(predicted, BOOK);
    expect(gain).toBeCloseTo(0.884391, 6);
    expect(estimate.logOdds).toBeCloseTo(-0.250597, 6);
    expect(estimate.logitVar).toBeCloseTo(0.000486, 6);
    expect(estimate.atMs).toBe(later(1));
  });

  it('ends between what was believed and what was seen, and surer than both', () => {
    fc.assert(
      fc.property(prices, prices, spreads, (counted, midPrice, spreadPrice) => {
        const before = { ...ESTIMATE, logOdds: logit(counted) };
        const seen = bookObservation({ midPrice, spreadPrice });
        const { estimate } = correctedEstimate(before, seen);
        const fair = sigmoid(estimate.logOdds);
        expect(fair).toBeGreaterThanOrEqual(Math.min(counted, midPrice) - 1e-12);
        expect(fair).toBeLessThanOrEqual(Math.max(counted, midPrice) + 1e-12);
        expect(estimate.logitVar).toBeLessThan(Math.min(before.logitVar, seen.logitVar));
      }),
    );
  });

  it('says how far off an observation was', () => {
    const { surprise } = correctedEstimate(
      { logOdds: 0, logitVar: 3, atMs: START },
      { logOdds: 10, logitVar: 1 },
    );
    expect(surprise).toBe(5);
  });

  it('grows less sure while nothing is seen', () => {
    const step = fairValueStep(ESTIMATE, [], { nowMs: later(100), logitVarPerSec: 1e-4 });
    expect(step?.estimate.logOdds).toBe(ESTIMATE.logOdds);
    expect(step?.estimate.logitVar).toBeCloseTo(0.014, 12);
    expect(step?.gain).toBe(0);
  });

  it('has no value without anything seen, and takes the first whole', () => {
    const at = { nowMs: START, logitVarPerSec: 0 };
    expect(fairValueStep(undefined, [], at)).toBeUndefined();
    expect(fairValueStep(undefined, [BOOK], at)?.estimate).toEqual({ ...BOOK, atMs: START });
  });

  it('takes several observations at once as one after another', () => {
    const seen = [
      BOOK,
      mirroredObservation(bookObservation({ midPrice: 0.55, spreadPrice: 0.03 })),
    ];
    const at = { nowMs: START, logitVarPerSec: 0 };
    const together = fairValueStep(ESTIMATE, seen, at)?.estimate;
    const each = seen.reduce<LogitEstimate>(
      (sofar, one) => correctedEstimate(sofar, one).estimate,
      ESTIMATE,
    );
    expect(together?.logOdds).toBeCloseTo(each.logOdds, 12);
    expect(together?.logitVar).toBeCloseTo(each.logitVar, 12);
  });

  it('takes time that runs backwards for no time', () => {
    const early = predictedEstimate(ESTIMATE, { nowMs: later(-60), logitVarPerSec: 1 });
    expect(early).toEqual(ESTIMATE);
  });
});

describe('what is seen', () => {
  it('of two books combines to the check case', () => {
    const both = combinedObservation([
      bookObservation({ midPrice: 0.42, spreadPrice: 0.02 }),
      bookObservation({ midPrice: 0.44, spreadPrice: 0.03 }),
    ]);
    expect(sigmoid(both?.logOdds ?? Number.NaN)).toBeCloseTo(0.426227, 6);
    expect(combinedObservation([])).toBeUndefined();
  });

  it('of NO is what its mirror is of YES', () => {
    fc.assert(
      fc.property(prices, spreads, (midPrice, spreadPrice) => {
        const no = mirroredObservation(bookObservation({ midPrice: 1 - midPrice, spreadPrice }));
        const yes = bookObservation({ midPrice, spreadPrice });
        expect(no.logOdds).toBeCloseTo(yes.logOdds, 9);
        expect(no.logitVar).toBeCloseTo(yes.logitVar, 9);
      }),
    );
  });

  it('of a trade is weaker than of a book, and weaker still when it is in doubt', () => {
    const trade = { price: 0.44, spreadPrice: 0.02, weakness: 1 };
    expect(tradeObservation(trade).logitVar).toBeCloseTo(4 * BOOK.logitVar, 12);
    const uncertain = tradeObservation({ ...trade, weakness: 3 });
    expect(uncertain.logitVar).toBeCloseTo(12 * BOOK.logitVar, 12);
  });

  it('elsewhere counts by its own error', () => {
    const feed = externalObservation({ probability: 0.5, errorPrice: 0.01 });
    expect(feed).toEqual({ logOdds: 0, logitVar: 0.0016 });
  });

  it('loses worth with age', () => {
    const aged = agedObservation(BOOK, { ageSec: 10, logitVarPerSec: 0.01 });
    expect(aged.logitVar).toBeCloseTo(BOOK.logitVar + 0.1, 12);
  });

  it('a hundred times a second in an unchanged book makes nobody sure', () => {
    let often = ESTIMATE;
    for (let look = 1; look <= 100; look += 1) {
      const seen = repeatedObservation(BOOK, { sinceSec: 0.01, memorySec: 1 });
      if (seen !== undefined) often = correctedEstimate(often, seen).estimate;
    }
    const once = correctedEstimate(ESTIMATE, BOOK).estimate;
    expect(often.logitVar).toBeCloseTo(once.logitVar, 12);
    expect(often.logOdds).toBeCloseTo(once.logOdds, 12);
    expect(repeatedObservation(BOOK, { sinceSec: 0, memorySec: 1 })).toBeUndefined();
    expect(repeatedObservation(BOOK, { sinceSec: 2, memorySec: 1 })).toEqual(BOOK);
  });

  it.each([
    [() => bookObservation({ midPrice: 1, spreadPrice: 0.01 }), 'midPrice'],
    [() => bookObservation({ midPrice: 0.5, spreadPrice: 0 }), 'spreadPrice'],
    [() => externalObservation({ probability: Number.NaN, errorPrice: 0.01 }), 'probability'],
    [() => combinedObservation([{ logOdds: 0, logitVar: 0 }]), 'logitVar'],
  ])('is refused when it is no usable number (%#)', (look, name) => {
    expect(look).toThrow(name);
  });
});
