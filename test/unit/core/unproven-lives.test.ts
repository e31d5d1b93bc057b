// A market of which a fill may have gone unheard stays unproven until something proves it: over a
// restart, and while it is out of the settings.

import { describe, expect } from 'vitest';
import type { Balances } from '../../../src/domain/message.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { balances, EngineDriver, listing, settings } from '../../support/engine-driver.ts';
import { it, type Lives } from '../../support/lives.ts';

/** The shares of a bid came and were paid; the index of positions does not show them yet. */
const PAID = balances({ cashBalance: usdc(9_976), availableBalance: usdc(9_976) });

/** A life that has a bid and an ask resting. */
function quotingLife(): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  expect(driver.acceptPlacements()).toHaveLength(2);
  return driver;
}

/** What rested is gone when its cancel arrives, and no list shows it. */
function serve(driver: EngineDriver, account: Balances): void {
  driver.answerReads([], account);
  for (const { requestId } of [...driver.take('cancelOrders'), ...driver.take('cancelAll')]) {
    const outcome = { kind: 'accepted', cancelled: 0, failed: 2 } as const;
    driver.tell({ kind: 'cancelled', requestId, outcome });
  }
}

/** The next life hears of everything; nothing that rested is found by its cancels. */
function nextLife(lives: Lives, before: EngineDriver, account: Balances): EngineDriver {
  const driver = lives.restored(before);
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  driver.run(5_000, () => serve(driver, account));
  wait(driver, account);
  return driver;
}

/** Its books are there, and for a while it could quote. */
function wait(driver: EngineDriver, account: Balances, durationMs = 5_000): void {
  driver.healthyBook();
  driver.run(durationMs, () => serve(driver, account));
}

const whyNot = (driver: EngineDriver) =>
  driver.engine.view().markets.map(({ bidReason }) => bidReason?.code);

describe('a market of which a fill may have gone unheard', () => {
  it('is unproven in the next life as well, until cash and holds agree', ({ lives }) => {
    const second = nextLife(lives, quotingLife(), PAID);
    expect(whyNot(second)).toEqual(['position_unproven']);
    // Its orders have ended by now, and what positions show is what they showed before.
    const third = nextLife(lives, second, PAID);
    expect(whyNot(third)).toEqual(['position_unproven']);
    expect(third.placements()).toEqual([]);
    wait(third, balances(), 10_000);
    expect(third.placements()).not.toEqual([]);
    const fourth = nextLife(lives, third, balances());
    expect(whyNot(fourth)).toEqual(['on_its_way']);
  });

  it('is unproven when it comes back into the settings', () => {
    const driver = quotingLife();
    wait(driver, PAID, 12_000);
    expect(whyNot(driver)).toEqual(['position_unproven']);
    driver.settings(settings({ markets: [] }));
    wait(driver, PAID, 12_000);
    expect(driver.engine.view().markets).toEqual([]);
    driver.settings(settings());
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    wait(driver, PAID);
    expect(whyNot(driver)).toEqual(['position_unproven']);
    expect(driver.placements()).toEqual([]);
  });
});
