// The real exchange on a given clock, with the rules and the pace that the embedded venue has by
// default.

import type { Event } from '../../src/domain/market.ts';
import type { Clock, Timers } from '../../src/domain/time.ts';
import { Exchange } from '../../src/paper/exchange/exchange.ts';
import { ExchangeDesk } from '../../src/paper/exchange/exchange-desk.ts';

export function realDesk(clock: Clock & Timers, events: readonly Event[]) {
  const exchange = new Exchange({
    clock,
    timers: clock,
    seed: 7,
    rules: {
      complementMatching: true,
      books: 'separate',
      selfTrade: 'cancelResting',
      partiallyFilledCancellable: true,
      batchCancel: 'count',
      failedTrade: 'cancelOrder',
      offTickMarketSell: 'refuse',
      quantityDecimalsMax: 6,
      orderSharesMax: 1_000_000,
      openOrdersMax: 2_000,
      deskOpenOrdersMax: 2_000,
      gtdAheadMsMin: 60_000,
      takerFeeBps: 0,
      takerFeeBpsByCategory: {},
      takerFeeRate: 0,
      restingFeeHold: 'held',
      settlementFailureRate: 0,
      recordedQueue: 'displayed',
      accountPlace: 'arrival',
    },
    timing: {
      matchDelayMs: 5,
      settleMsMin: 15_000,
      settleMsMax: 20_000,
      indexLagMsMin: 30_000,
      indexLagMsMax: 120_000,
    },
  });
  for (const event of events) exchange.list(event);
  return { exchange, desk: new ExchangeDesk(exchange) };
}
