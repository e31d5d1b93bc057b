// A stop is confirmed by what rests, and not by what a list happens to show: an order that was acknowledged
// behind its cancel, or one whose market is not known yet.

import { describe, expect } from 'vitest';
import { EngineDriver, MARKET, reportOf, settings } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

/** A run with two orders that have left and are not answered. */
function sending(scope: 'account' | 'own'): EngineDriver {
  const driver = new EngineDriver();
  const usual = settings();
  driver.start({ ...usual, orders: { ...usual.orders, scope } });
  driver.healthyBook();
  driver.tick();
  return driver;
}

describe.for(['account', 'own'] as const)('a kill in the scope %s', (scope) => {
  it('cancels again what the venue has accepted behind its cancel, while lists lack it', () => {
    const driver = sending(scope);
    driver.operator('kill');
    driver.tick();
    driver.answerCancels();
    driver.answerReads([]);
    driver.tick();
    const live = driver.acceptPlacements();
    expect(live).toHaveLength(2);
    driver.run(200, () => driver.answerReads([]));
    const meant = driver.sent.flatMap((command) => {
      if (command.kind === 'cancelAll') return live.map(({ hash }) => hash);
      return command.kind === 'cancelOrders' ? command.orderHashes : [];
    });
    expect(meant).toEqual(live.map(({ hash }) => hash));
    driver.run(1_000, () => driver.answerReads([]));
    expect(driver.reported('kill.confirmed')).toEqual([]);
    driver.run(1_500, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('kill.confirmed')).toHaveLength(1);
  });
});

describe('a kill of one market', () => {
  it('is confirmed by no run that does not know the market of an order that rests there', ({
    runs,
  }) => {
    const driver = sending('account');
    const open = driver.acceptPlacements().map(({ hash, order }) => reportOf(hash, order));
    driver.run(1_000, () => driver.answerReads(open));
    driver.operator({ kind: 'stopMarket', by: 'somebody', marketId: MARKET, stop: 'kill' });
    const next = runs.restored(driver);
    next.run(2_000, () => {
      next.take('readCatalogue');
      next.answerReads(open);
    });
    expect(next.engine.view().stoppedMarkets).toMatchObject([{ isConfirmed: false }]);
    expect(next.reported('market.kill_confirmed')).toEqual([]);
    next.operator({ kind: 'resumeMarket', by: 'somebody', marketId: MARKET });
    expect(next.reported('operator.market_order')).toMatchObject([{ accepted: false }]);
    next.start();
    expect(next.reported('market.kill_confirmed')).toHaveLength(1);
  });
});
