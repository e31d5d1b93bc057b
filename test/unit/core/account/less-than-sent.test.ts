// News shows fewer shares of an order than were sent, and none of them traded: a venue has taken it of less, or
// calls one open of which a part has traded. Until cash and holds say which, limits count both.

import { describe, expect } from 'vitest';
import type { Balances } from '../../../../src/domain/message.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, reportOf, YES } from '../../../support/engine-driver.ts';
import { ListedAccount } from '../../../support/listed-account.ts';
import { it } from '../../../support/runs.ts';

/** The venue holds just the rest of the bid, or something that nobody explains beside it. */
const [CLEAR, ODD] = [9.6, 24].map((held) => balances({ usdcOnHold: usdc(held) })) as [
  Balances,
  Balances,
];

/** A bid of 50 at 48 rests alone, and is said to be one of 20. */
function restated(shown: Balances): EngineDriver {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const quotes = driver.acceptPlacements();
  const bid = quotes.find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('there is a bid');
  for (const { hash, order } of quotes) {
    const change = hash === bid.hash ? { status: 'OPEN', remaining: 20 } : { status: 'CANCELLED' };
    driver.update(hash, order, change as Parameters<EngineDriver['update']>[2]);
  }
  const rest = { ...bid.order, quantity: bid.order.quantity * 0.4 } as typeof bid.order;
  driver.run(500, () => driver.answerReads([reportOf(bid.hash, rest)], shown));
  return driver;
}

const worstCase = (driver: EngineDriver) => driver.engine.view().account.worstCaseLossUsdc;

describe('an order that rests with less than was sent', () => {
  it('may have so in the next run, too', ({ runs }) => {
    const next = runs.restored(restated(ODD));
    next.start(undefined, ODD);
    next.run(2_000, () => next.answerReads([], ODD));
    expect(worstCase(next)).toBe('24.000000');
  });

  it('has not where nothing is held once the rest of it is cancelled: it makes room for the next one', () => {
    const driver = restated(CLEAR);
    const account = new ListedAccount(driver, 'accepts');
    account.isLocking = true;
    driver.operator('pause');
    account.run(10_000);
    driver.operator('resume');
    account.run(60_000);
    const bids = account.open.filter(({ tokenId }) => tokenId === YES);
    expect(bids).toMatchObject([{ side: 'BUY', price: 48, quantity: shares(50) }]);
    expect(worstCase(driver)).toBe('24.000000');
  });
});
