// A process may end between any two steps: what a step knows of shares, of cash and of what they earned is kept
// with it, or a next run would count it once more.

import { describe, expect } from 'vitest';
import type { Balances } from '../../../src/domain/message.ts';
import { shares } from '../../../src/domain/shares.ts';
import {
  balances,
  EngineDriver,
  holding,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it, type Runs } from '../../support/runs.ts';

type Scene = {
  readonly driver: EngineDriver;
  /** Answers whoever reads. */
  readonly answer: () => void;
  readonly isOver: () => boolean;
};

/** Goes on to the very step that ends it. */
function runUntil({ driver, answer, isOver }: Scene): void {
  for (let turn = 0; turn < 10_000; turn += 1) {
    driver.tick(70);
    driver.healthyBook();
    answer();
    if (isOver()) return;
  }
  throw new Error('the scene does not end');
}

/** The run behind it, once all that it may wait for has come. */
function later(runs: Runs, before: EngineDriver, account: Balances) {
  const driver = runs.restored(before);
  driver.start(settings(), account);
  driver.run(200_000, () => {
    driver.healthyBook();
    driver.placements();
    driver.answerReads([], account);
  });
  const { settledYes, settledNo, pnlUsdc } = driver.engine.view().markets[0] ?? {};
  const isTakenOver = driver.reported('position.adopted').length > 0;
  return { settledYes, settledNo, pnlUsdc, isTakenOver };
}

describe('the step in which a run ends', () => {
  it('keeps a position that it takes from the venue with the profit of it', ({ runs }) => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    const live = driver.acceptPlacements();
    const bid = live.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
    if (bid === undefined) throw new Error('there is a bid');
    // It never settles, and nobody says so.
    driver.update(bid.hash, bid.order, { status: 'MATCHED', filled: 50, remaining: 0 });
    const rest = live.filter((each) => each !== bid);
    const reports = rest.map(({ hash, order }) => reportOf(hash, order));
    runUntil({
      driver,
      answer: () => driver.answerReads(reports, balances()),
      isOver: () => driver.reported('position.adopted').length > 0,
    });
    const nothing = { settledYes: '0', settledNo: '0', pnlUsdc: '0.000000' };
    expect(later(runs, driver, balances())).toEqual({ ...nothing, isTakenOver: false });
  });

  // Now and then all that has drifted is kept in any case, and hides it.
  it.for([100, 400, 700])(
    'keeps the proof of a split with what follows, at %i ms',
    (atMs, { runs }) => {
      const driver = new EngineDriver();
      driver.start();
      const account = holding(9_900, 100, 100);
      driver.healthyBook();
      driver.tick(atMs);
      driver.sets({
        id: 'w-1',
        by: 'test',
        action: 'split',
        marketId: MARKET,
        amount: shares(100),
      });
      for (const { requestId } of driver.take('changeSets')) {
        const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
        driver.tell({ kind: 'setsChanged', requestId, outcome });
      }
      runUntil({
        driver,
        answer: () => driver.answerReads([], account),
        isOver: () => driver.reported('sets.changed').some(({ state }) => state === 'confirmed'),
      });
      const sets = { settledYes: '100', settledNo: '100', pnlUsdc: '0.000000' };
      expect(later(runs, driver, account)).toEqual({ ...sets, isTakenOver: false });
    },
  );
});
