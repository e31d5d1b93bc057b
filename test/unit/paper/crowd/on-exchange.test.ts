// The crowd on the real exchange, with quotes of ours among its own.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import type { TokenId } from '../../../../src/domain/ids.ts';
import type { Market } from '../../../../src/domain/market.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { type TickSize, ticks } from '../../../../src/domain/ticks.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { ProfileName } from '../../../../src/paper/crowd/profile.ts';
import { startSyntheticCrowd } from '../../../../src/paper/crowd/synthetic.ts';
import type { Desk } from '../../../../src/paper/exchange/desk.ts';
import { listedEvent } from '../../../support/listed-event.ts';
import { realDesk } from '../../../support/real-desk.ts';

function crowdOn(profile: ProfileName, tickSize: TickSize) {
  const clock = new VirtualClock({ startMs: 1_700_000_000_000 });
  const event = listedEvent('rain', 1, tickSize);
  const [market] = event.markets;
  if (!market) throw new Error('the event has a market');
  const { exchange, desk } = realDesk(clock, [event]);
  const crowd = startSyntheticCrowd(desk, {
    seed: 'a seed',
    timers: clock,
    markets: { rain: profile },
  });
  return { clock, exchange, desk, crowd, market, grid: event.grid };
}

function best(desk: Desk, tokenId: TokenId, side: 'bid' | 'ask'): number {
  const prices = desk.levels(tokenId, side).map((level) => level.price);
  return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
}

function middle(desk: Desk, market: Market): number {
  return (best(desk, market.yes.tokenId, 'bid') + best(desk, market.yes.tokenId, 'ask')) / 2;
}

const CASES = (['0.01', '0.001'] as const).flatMap((tickSize) =>
  (['calm', 'informed', 'jumpy'] as const).map((profile) => ({ tickSize, profile })),
);

describe.each(CASES)('a $profile crowd on the exchange, on a grid of $tickSize', (each) => {
  it('keeps both books healthy and in agreement, and trades', () => {
    const { clock, exchange, desk, market, grid } = crowdOn(each.profile, each.tickSize);
    let executed = 0;
    exchange.listen((event) => {
      if (event.kind === 'tradeExecuted') executed += 1;
    });
    for (let second = 0; second < 120; second += 1) {
      clock.advance(1_000);
      for (const { tokenId } of [market.yes, market.no]) {
        expect(best(desk, tokenId, 'bid')).toBeLessThan(best(desk, tokenId, 'ask'));
      }
      const bids = best(desk, market.yes.tokenId, 'bid') + best(desk, market.no.tokenId, 'bid');
      const asks = best(desk, market.yes.tokenId, 'ask') + best(desk, market.no.tokenId, 'ask');
      expect(bids).toBeLessThan(grid.ticksPerUnit);
      expect(asks).toBeGreaterThan(grid.ticksPerUnit);
    }
    expect(executed).toBeGreaterThan(40);
  });

  it('fills quotes near the middle on both sides within seconds', () => {
    const { clock, exchange, desk, market, grid } = crowdOn(each.profile, each.tickSize);
    desk.fund('ours', usdc(100_000));
    const account = exchange.accounts.find('ours');
    const filledAtMs = new Map<TokenId, number>();
    exchange.listen((event) => {
      if (event.kind !== 'positionMoved' || event.account !== account) return;
      const { market: listed, index } = event.token;
      const { tokenId } = listed.outcome(index);
      if (!filledAtMs.has(tokenId)) filledAtMs.set(tokenId, clock.nowMs());
    });
    const startMs = clock.nowMs();
    for (let second = 0; second < 40; second += 1) {
      desk.cancelAll('ours');
      const centre = Math.round(middle(desk, market));
      const quote = { side: 'BUY' as Side, quantity: shares(50), timeInForce: 'GTC' } as const;
      const price = ticks(grid, centre - 2);
      desk.place('ours', { ...quote, tokenId: market.yes.tokenId, price });
      const noPrice = ticks(grid, grid.ticksPerUnit - centre - 2);
      desk.place('ours', { ...quote, tokenId: market.no.tokenId, price: noPrice });
      clock.advance(1_000);
    }
    expect(filledAtMs.size).toBe(2);
    expect(Math.min(...filledAtMs.values()) - startMs).toBeLessThan(15_000);
  });
});
