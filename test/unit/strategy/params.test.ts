import { describe, expect, it } from 'vitest';
import { loadStrategies } from '../../../src/app/strategies.ts';
import { numberParam, type ParamSpec, wholeParam } from '../../../src/strategy/index.ts';

const whole = wholeParam({ doc: 'Levels.', unit: 'quotes', default: 3, min: 1, max: 50 });
const real = numberParam({ doc: 'Lean.', unit: 'ticks', default: 0.5, min: 0, max: 10 });

describe('a parameter of a strategy', () => {
  it.each([1, 3, 50])('takes the whole number %s', (value) => {
    expect(() => whole.format(value)).not.toThrow();
  });

  it.each([0, 51, 1.5, '3', true, undefined, Number.NaN, Number.POSITIVE_INFINITY, [3]])(
    'refuses %s where a whole number from 1 to 50 is meant, and says what would be right',
    (value) => {
      expect(() => whole.format(value)).toThrow('must be a whole number of quotes from 1 to 50');
    },
  );

  it.each([0, 0.25, 10])('takes the number %s', (value) => {
    expect(() => real.format(value)).not.toThrow();
  });

  it.each([-0.01, 10.01, Number.NaN, '1', undefined, {}])('refuses the number %s', (value) => {
    expect(() => real.format(value)).toThrow('must be a number of ticks from 0 to 10');
  });

  it('has a default that it takes itself, in every strategy', async () => {
    const strategies = await loadStrategies();
    const specs = [...strategies.values()].flatMap(({ params }) =>
      Object.values(params).filter(isSpec),
    );
    expect(specs.length).toBeGreaterThan(0);
    for (const spec of specs) expect(() => spec.format(spec.default)).not.toThrow();
  });
});

function isSpec(value: unknown): value is ParamSpec<unknown> {
  return typeof value === 'object' && value !== null && 'format' in value && 'default' in value;
}
