import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  logit,
  logitAvellanedaStoikov,
  logitDriftPerSec,
  relayedMargin,
  sigmoid,
} from '../../../../../src/strategy/index.ts';

const JUMPS = {
  ratePerSec: 0.3,
  law: [
    { logOdds: 0.6, weight: 0.5 },
    { logOdds: -0.6, weight: 0.5 },
  ],
};

describe('the drift of log-odds', () => {
  it('pushes away from one half', () => {
    const drift = logitDriftPerSec({ probability: 0.7, logitVarPerSec: 0.16 });
    expect(drift).toBeCloseTo(0.032, 12);
  });

  it.each([true, false])(
    'with even jumps is the same, compensated or not (%s)',
    (isCompensated) => {
      const jumps = { ...JUMPS, isCompensated };
      const drift = logitDriftPerSec({ probability: 0.7, logitVarPerSec: 0.16, jumps });
      expect(drift).toBeCloseTo(0.052647, 6);
    },
  );

  it('keeps the probability where it is on average, over a short while', () => {
    const cases = fc.record({
      probability: fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      up: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(cases, ({ probability, up }) => {
        const law = [
          { logOdds: 0.9, weight: up },
          { logOdds: -0.4, weight: 1 - up },
        ];
        const jumps = { ratePerSec: 0.5, law, isCompensated: false };
        const drift = logitDriftPerSec({ probability, logitVarPerSec: 0.2, jumps });
        const dt = 1e-5;
        const x = logit(probability) + drift * dt;
        const noise = Math.sqrt(0.2 * dt);
        const calm = (sigmoid(x + noise) + sigmoid(x - noise)) / 2;
        const jumped = law.reduce(
          (mean, { logOdds, weight }) => mean + weight * sigmoid(x + logOdds),
          0,
        );
        const expected = (1 - 0.5 * dt) * calm + 0.5 * dt * jumped;
        expect(Math.abs(expected - probability)).toBeLessThan(1e-9);
      }),
    );
  });
});

describe('Avellaneda and Stoikov on log-odds', () => {
  const model = {
    probability: 0.35,
    inventoryLots: 4,
    riskAversionPerLogit: 0.15,
    logitVolPerSqrtSec: 0.4,
    timeLeftSec: 1,
    fillDecayPerLogit: 2,
  };

  it('quote the check case', () => {
    const quotes = logitAvellanedaStoikov(model);
    expect(quotes.halfSpreadLogit).toBeCloseTo(0.494138, 6);
    expect(quotes.bid).toBeCloseTo(0.229847, 6);
    expect(quotes.ask).toBeCloseTo(0.444998, 6);
  });

  it('quote the relayed variant by its name only', () => {
    const quotes = logitAvellanedaStoikov(model, relayedMargin);
    expect(quotes.halfSpreadLogit).toBeCloseTo(0.04816, 6);
    expect(quotes.bid).toBeCloseTo(0.317952, 6);
    expect(quotes.ask).toBeCloseTo(0.339196, 6);
  });

  it('keep a spread when they do not mind risk, where the relayed variant keeps none', () => {
    const fearless = { ...model, riskAversionPerLogit: 0 };
    expect(logitAvellanedaStoikov(fearless).halfSpreadLogit).toBeCloseTo(0.5, 12);
    expect(logitAvellanedaStoikov(fearless, relayedMargin).halfSpreadLogit).toBe(0);
  });

  it('mirror YES and NO', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.02, max: 0.98, noNaN: true }), (probability) => {
        const yes = logitAvellanedaStoikov({ ...model, probability });
        const no = logitAvellanedaStoikov({
          ...model,
          probability: 1 - probability,
          inventoryLots: -4,
        });
        expect(yes.bid).toBeCloseTo(1 - no.ask, 12);
        expect(yes.ask).toBeCloseTo(1 - no.bid, 12);
      }),
    );
  });
});
