// A view of a part of the markets: thousands of them take long, and who asks about the account needs none.

import { describe, expect, it } from 'vitest';
import { NO_MARKETS } from '../../../src/domain/view.ts';
import { EngineDriver, MARKET } from '../../support/engine-driver.ts';

function quoting(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  driver.acceptPlacements();
  return driver;
}

describe('a view of some markets', () => {
  it('says the same of all the rest', () => {
    const { engine } = quoting();
    const whole = engine.view();
    expect(whole.markets).toHaveLength(1);
    expect(engine.view(NO_MARKETS)).toEqual({ ...whole, markets: [] });
  });

  it('shows those that are picked among all, in their order', () => {
    const { engine } = quoting();
    const asked: (readonly string[])[] = [];
    const view = engine.view((all) => {
      asked.push(all);
      return all;
    });
    expect(asked).toEqual([[MARKET]]);
    expect(view).toEqual(engine.view());
  });
});
