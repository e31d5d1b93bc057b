// A market as `status` is shown it, for the tests of what it prints.

import type { ShownMarket } from '../../../src/cli/state-schema.ts';

export const viewsMarket: ShownMarket = {
  eventSlug: 'rain',
  marketId: 'm-1',
  yesTokenId: '0xaa',
  noTokenId: '0xbb',
  title: 'Will it rain tomorrow?',
  strategy: 'ladder',
  tickSize: '0.01',
  status: 'open',
  bestBid: '0.48',
  bestAsk: '0.52',
  ownBids: [
    { price: '0.48', quantity: '50' },
    { price: '0.47', quantity: '50' },
  ],
  ownAsks: [],
  askReason: {
    code: 'position_limit',
    detail: '500 of 500',
    sinceMs: 1_000,
    clears: 'a fill of the other side',
  },
  uptime: {
    bid: { sinceStart: 0.97, lastHour: 0.994, excludedMs: {} },
    ask: { sinceStart: 0.8, lastHour: 0.705, excludedMs: {} },
  },
  params: { version: '0123456789ab', pendingRestart: [] },
  positionYes: '12.5',
  positionNo: '0',
  settledYes: '0',
  settledNo: '0',
  pnlUsdc: '-1.234567',
  fills: 7,
};
