// What a run came to, watched from the exchange's side.

import { expect, it } from 'vitest';
import { Watch } from '../../../src/backtest/watch.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import { Exchange } from '../../../src/paper/exchange/exchange.ts';
import { plannedEvent } from '../../../src/paper/exchange/plan.ts';
import { paperSettings } from '../../../src/paper/options.ts';

/** An exchange with one market, of a tick of a cent. */
function listed(): { readonly clock: VirtualClock; readonly exchange: Exchange } {
  const clock = new VirtualClock({ startMs: 1e12 });
  const { rules, timing } = paperSettings({ events: [] });
  const exchange = new Exchange({ clock, timers: clock, seed: 1, rules, timing });
  exchange.list(
    plannedEvent({
      ...{ slug: 'rain', title: 'Rain', category: 'weather', tickSize: '0.01' },
      markets: [{ slug: '0', title: 'Rain' }],
    }),
  );
  return { clock, exchange };
}

it('earned as much before a market changed its tick size as it says afterwards', () => {
  const { clock, exchange } = listed();
  const [own, others] = ['own', 'others'].map((name) => exchange.accounts.open(name, 'api'));
  const [market] = exchange.catalogue.markets();
  if (own === undefined || others === undefined || market === undefined) throw new Error('made');
  for (const account of [own, others]) exchange.accounts.deposit(account, 1_000_000_000_000n);
  exchange.chain.split(others, market, 500_000_000);
  clock.advance(300_000);
  const watch = new Watch({ exchange, account: own, time: clock });
  watch.start();
  const place = (account: Account, side: 'BUY' | 'SELL', price: number): void => {
    exchange.placeLimit(account, {
      ...{ token: exchange.catalogue.token(market.market.yes.tokenId), side },
      ...{ price: ticks(market.grid, price), quantityMicro: 100_000_000 },
      ...{ timeInForce: 'GTC', expiresAtMs: undefined, clientOrderId: undefined },
    });
    clock.advance(2_000);
  };
  const earned = () => {
    const described = { title: '', strategy: '', fair: 0.5, uptimeRatio: undefined };
    const [result] = watch.results(
      () => described,
      () => undefined,
    );
    return { ...result, points: [], shownFills: [] };
  };
  place(others, 'BUY', 40);
  place(others, 'SELL', 60);
  place(own, 'BUY', 48);
  place(others, 'SELL', 48);
  clock.advance(120_000);
  const before = earned();
  expect(before).toMatchObject({ pnlUsdc: 2, pnlAtMiddleUsdc: 2, pnlAtFairUsdc: 2 });
  exchange.regrid(market.listed, tickGrid('0.001'));
  place(others, 'BUY', 400);
  place(others, 'SELL', 600);
  expect(earned()).toMatchObject({ pnlUsdc: 2, pnlAtMiddleUsdc: 2, pnlAtFairUsdc: 2 });
  expect(earned().parts).toEqual(before.parts);
});

it('is worth no more than the only offer, once the bids of a recording have gone', () => {
  const { clock, exchange } = listed();
  const own = exchange.accounts.open('own', 'api');
  const [market] = exchange.catalogue.markets();
  if (market === undefined) throw new Error('listed');
  exchange.accounts.deposit(own, 1_000_000_000_000n);
  const watch = new Watch({ exchange, account: own, time: clock });
  watch.start();
  const show = (side: 'bid' | 'ask', price: number, shares: number): void => {
    exchange.recorded.setLevel(market, { index: 1, side, price, sizeMicro: shares * 1e6 });
    clock.advance(2_000);
  };
  show('bid', 48, 500);
  show('ask', 52, 500);
  exchange.placeLimit(own, {
    ...{ token: exchange.catalogue.token(market.market.yes.tokenId), side: 'BUY' },
    ...{ price: ticks(market.grid, 50), quantityMicro: 100_000_000 },
    ...{ timeInForce: 'GTC', expiresAtMs: undefined, clientOrderId: undefined },
  });
  clock.advance(2_000);
  exchange.recorded.print(market, { index: 1, price: 50, sizeMicro: 100e6, takerSide: 'SELL' });
  clock.advance(20_000);
  show('bid', 48, 0);
  show('ask', 52, 0);
  show('ask', 5, 500);
  clock.advance(100_000);
  const described = { title: '', strategy: '', fair: undefined, uptimeRatio: undefined };
  const [result] = watch.results(
    () => described,
    () => undefined,
  );
  expect(result).toMatchObject({ netShares: 100, pnlUsdc: -45, drawdownUsdc: 45 });
});
