import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  effectiveInformedShare,
  glostenMilgromQuotes,
  INFORMED_SHARE_MAX,
  informedLogitStep,
  informedShareOfLoss,
  logit,
} from '../../../../../src/strategy/index.ts';

const price = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const share = fc.double({ min: 0.001, max: 0.85, noNaN: true });

describe('quotes against informed takers', () => {
  it('are those of the check case', () => {
    const { bid, ask } = glostenMilgromQuotes(0.3, 0.15);
    expect(ask).toBeCloseTo(0.367021, 6);
    expect(bid).toBeCloseTo(0.240566, 6);
    expect(informedLogitStep(0.15)).toBeCloseTo(0.302281, 6);
  });

  it('lie one constant step of log-odds to either side of the fair price', () => {
    fc.assert(
      fc.property(price, share, (p, mu) => {
        const { bid, ask } = glostenMilgromQuotes(p, mu);
        expect(logit(ask) - logit(p)).toBeCloseTo(informedLogitStep(mu), 8);
        expect(logit(p) - logit(bid)).toBeCloseTo(informedLogitStep(mu), 8);
      }),
    );
  });

  it('earn from the others exactly what the informed take', () => {
    fc.assert(
      fc.property(price, share, (p, mu) => {
        const { ask } = glostenMilgromQuotes(p, mu);
        const yesBuys = p * (mu + (1 - mu) / 2);
        const noBuys = (1 - p) * ((1 - mu) / 2);
        expect(yesBuys * (ask - 1) + noBuys * ask).toBeCloseTo(0, 12);
      }),
    );
  });

  it('see takers who are right sometimes as fewer who always are', () => {
    expect(effectiveInformedShare(0.2, 0.75)).toBeCloseTo(0.1, 12);
    expect(effectiveInformedShare(0.2, 0.5)).toBe(0);
    expect(() => effectiveInformedShare(0.2, 0.4)).toThrow('right at least half the time');
  });
});

describe('the informed share that explains a loss', () => {
  it('is the one that would have caused it', () => {
    fc.assert(
      fc.property(price, share, (p, mu) => {
        const loss = p * (1 - p) * informedLogitStep(mu);
        expect(informedShareOfLoss(loss, p)).toBeCloseTo(mu, 10);
      }),
    );
  });

  it('is none for a gain and bounded for a disaster', () => {
    expect(informedShareOfLoss(-0.01, 0.5)).toBe(0);
    expect(informedShareOfLoss(0.5, 0.05)).toBe(INFORMED_SHARE_MAX);
  });
});
