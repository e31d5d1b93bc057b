// Quotes of which nobody heard and that lists lack: what the embedded venue holds back speaks for them.

import { afterEach, expect, it } from 'vitest';
import type { CoreSettings } from '../../src/domain/input.ts';
import { USUAL_TIMING } from '../support/usual-timing.ts';
import { VirtualDaemon } from '../support/virtual-daemon.ts';

const SETTINGS: CoreSettings = {
  markets: [
    {
      event: 'rain',
      market: undefined,
      strategy: 'ladder',
      params: { halfSpreadTicks: 3, levels: 1, levelSpacingTicks: 1, size: 20 },
    },
  ],
  risk: {
    maxPositionShares: 1_000,
    maxOrderNotionalUsdc: 100,
    maxOpenOrders: 20,
    maxLossUsdc: 1_000_000,
  },
  orders: {
    priceToleranceTicks: 0,
    sizeTolerance: 0.2,
    writesPer10s: 240,
    gatherMs: 20,
    preferSell: true,
  },
  book: { depth: 50 },
  timing: USUAL_TIMING,
};

let daemon: VirtualDaemon | undefined;

afterEach(() => daemon?.stop());

it('are not sent a second time, and are ours again when a list shows them', async () => {
  daemon = new VirtualDaemon({ markets: 1, settings: SETTINGS });
  const { venue, weather, trader } = daemon;
  const { exchange } = venue;
  weather.begin('userFramesLost', 1);
  while (trader.engine.view().phase !== 'quoting') await daemon.run(10);
  weather.begin('answersLost', 1);
  await daemon.run(5_000);
  weather.clear();
  expect(daemon.openOrders()).toBe(2);

  // The venue's list lacks what its balances lock.
  const listed = exchange.openOrders;
  exchange.openOrders = () => [];
  await daemon.run(40_000);
  exchange.openOrders = listed;
  expect(daemon.openOrders()).toBe(2);

  await daemon.run(15_000);
  expect(daemon.openOrders()).toBe(2);
  const [market] = trader.engine.view().markets;
  expect([market?.bidReason, market?.askReason]).toEqual([undefined, undefined]);
  const moves = daemon.reports.flatMap((each) => (each.event === 'order.moved' ? [each.to] : []));
  expect(moves).not.toContain('absent');
  expect(daemon.broken).toEqual([]);
});
