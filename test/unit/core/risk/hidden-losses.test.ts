// While a control stops what adds, what may not be there hides no loss: an unanswered order, a late match.

import { describe, expect, it } from 'vitest';
import { orderHash } from '../../../../src/domain/ids.ts';
import type { PlaceOutcome } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import { balances, EngineDriver, MARKET, YES } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

const HELD = balances({
  cashBalance: usdc(10_000),
  positions: [
    { tokenId: YES, marketId: MARKET, shareAmount: shares(30), onHoldShareAmount: shares(0) },
  ],
});
const STOP = {
  failures: 1,
  intervalMs: 3_600_000,
  action: 'stop-adding',
  coolOffMs: 600_000,
} as const;
const UNKNOWN: PlaceOutcome = { kind: 'unknown', cause: 'timeout', detail: 'no answer' };
const BID = orderHash('0xb1d');
const ACCEPTED: PlaceOutcome = { kind: 'accepted', orderHash: BID };

type Scene = {
  readonly driver: EngineDriver;
  readonly sent: readonly LimitOrder[];
  targetQuotes(quotes: readonly Quote[]): void;
};

/** Long of 30 YES, with a bid of 100 at 0.48 of which this is said. */
function bidding(outcome: PlaceOutcome): Scene {
  let wanted: readonly Quote[] = [bid(48, 100)];
  const driver = new EngineDriver([wishing(() => wanted)]);
  driver.start(controlled({ settlements: STOP }), HELD);
  driver.healthyBook();
  driver.run(1_500, () => driver.answerReads([], HELD));
  const sent = driver.answerPlacements(outcome);
  const targetQuotes = (quotes: readonly Quote[]): void => {
    wanted = quotes;
    driver.run(1_500, () => driver.healthyBook());
  };
  return { driver, sent, targetQuotes };
}

/** From now on nothing may add. */
function stop(driver: EngineDriver): void {
  const unknown = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
  driver.tell({ kind: 'tradeFailed', ...unknown, quantity: shares(500) });
}

/** What is asked 80 at 0.52 when all of the bid has matched, so long ago, and nothing was told since. */
function afterMatch(agoMs: number): ReturnType<typeof placed> {
  const { driver, sent, targetQuotes } = bidding(ACCEPTED);
  for (const order of sent) driver.update(BID, order, { status: 'MATCHED', remaining: 0 });
  targetQuotes([]);
  driver.run(agoMs, () => answer(driver));
  stop(driver);
  driver.placements();
  targetQuotes([ask(52, 80)]);
  return placed(driver);
}

function answer(driver: EngineDriver): void {
  driver.healthyBook();
  driver.answerCancels();
  driver.answerReads([], HELD);
}

describe('an ask beyond the position, while a control stops what adds', () => {
  it('does not go where it leaves a larger one, whatever hides what it loses', () => {
    const { driver, targetQuotes } = bidding(ACCEPTED);
    stop(driver);
    targetQuotes([bid(48, 100), ask(52, 61)]);
    expect(placed(driver)).toEqual([['SELL YES', 52, 30]]);
    expect(driver.reported('risk.refused').map(({ limit }) => limit)).toContain('stop_adding');
  });

  it('goes beside a bid that rests and loses more in the other outcome', () => {
    const { driver, targetQuotes } = bidding(ACCEPTED);
    stop(driver);
    targetQuotes([bid(48, 100), ask(49, 60)]);
    expect(placed(driver)).toEqual([
      ['SELL YES', 49, 30],
      ['BUY NO', 51, 30],
    ]);
  });

  it('does not go beside one that nobody answered, and that may never have arrived', () => {
    const { driver, targetQuotes } = bidding(UNKNOWN);
    stop(driver);
    targetQuotes([bid(48, 100), ask(49, 60)]);
    expect(placed(driver)).toEqual([['SELL YES', 49, 30]]);
    expect(driver.reported('risk.refused').map(({ limit }) => limit)).toContain('stop_adding');
  });

  it('goes after a match that loses more there, and not after one that may never have been', () => {
    expect(afterMatch(5_000)).toEqual([
      ['SELL YES', 52, 30],
      ['BUY NO', 48, 50],
    ]);
    expect(afterMatch(61_000)).toEqual([['SELL YES', 52, 30]]);
  });
});
