// A state of the core as an operator would see it, for the tests of telemetry.

import { QUEUE_NAMES } from '../../../src/backtest/markouts.ts';
import type { FiguresView } from '../../../src/domain/figures.ts';
import { eventId, marketId, tokenId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { MarketView, PickMarkets, StateView } from '../../../src/domain/view.ts';

const NONE_EXCLUDED = { strategy: 0, limit: 0, operator: 0, venue: 0, market: 0 };

export function marketView(name: string): MarketView {
  return {
    eventId: eventId(`event-${name}`),
    eventSlug: name,
    marketId: marketId(`market-${name}`),
    title: `Will it be ${name}?`,
    strategy: 'ladder',
    tickSize: '0.01',
    status: 'open',
    yesTokenId: tokenId(`0xa${Buffer.from(name).toString('hex')}`),
    noTokenId: tokenId(`0xb${Buffer.from(name).toString('hex')}`),
    bookStates: { yes: 'trusted', no: 'trusted' },
    bestBid: '0.48',
    bestAsk: '0.52',
    ownBids: [
      { price: '0.47', quantity: '50', sinceMs: unixMs(60_000) },
      { price: '0.46', quantity: '12.5', sinceMs: unixMs(40_000) },
    ],
    ownAsks: [],
    bidReason: undefined,
    askReason: {
      code: 'position_limit',
      detail: '500 of 500 shares',
      sinceMs: unixMs(97_500),
      clears: 'a sale',
    },
    guards: [],
    uptime: {
      bid: { sinceStart: 0.75, lastHour: 0.5, excludedMs: { ...NONE_EXCLUDED, venue: 12_500 } },
      ask: { sinceStart: 0.25, lastHour: undefined, excludedMs: NONE_EXCLUDED },
    },
    params: {
      version: '0123456789ab',
      values: { size: 50 },
      applies: { size: 'requote' },
      pendingRestart: [],
    },
    fair: undefined,
    positionYes: '120.5',
    positionNo: '0',
    settledYes: '100',
    settledNo: '0',
    pnlUsdc: '-1.25',
    spreadEarnedUsdc: '3.5',
    markouts: { after10sUsdc: '0.002', after60sUsdc: undefined },
    fills: 4,
    bookUpdates: 321,
  };
}

/** Nothing of it is unknown. */
export const FIGURES: FiguresView = {
  ...{ pnlAtMiddleUsdc: '-1.25', pnlAtFairUsdc: '-1.5', pnlAtSettlementUsdc: '-2' },
  parts: {
    ...{ beforeUsdc: '1', spreadUsdc: '3', to1sUsdc: '-0.5', to10sUsdc: '-1', to60sUsdc: '-1.5' },
    ...{ laterUsdc: '-2', feesUsdc: '-0.25', unsplitUsdc: '0.5', otherUsdc: '-0.5' },
  },
  ...{ makerShares: '120', takerShares: '7.5', unsureShares: '3' },
  ...{ inventoryRmsShares: '31.4', inventoryMaxShares: '70', drawdownUsdc: '2.75' },
  ...{ touchRatio: 0.625, uptimeRatio: 0.5 },
  queue: QUEUE_NAMES.map((ahead) => ({ ahead, fills: 2, shares: '20', markoutUsdc: '-0.001' })),
};

export function stateView(): StateView {
  return {
    atMs: unixMs(100_000),
    settingsVersion: '0123456789ab',
    phase: 'quoting',
    phaseReason: 'all is well',
    markets: [marketView('rain')],
    ordersByState: {
      intended: 0,
      sending: 1,
      unknown: 0,
      resting: 2,
      partiallyFilled: 0,
      cancelling: 0,
      cancelUnresolved: 0,
      matched: 1,
      settling: 0,
      filled: 7,
      cancelled: 9,
      expired: 0,
      refused: 0,
      absent: 0,
    },
    account: {
      cashUsdc: '9876.543211',
      availableUsdc: '9000',
      pnlUsdc: '-1.25',
      worstCaseLossUsdc: '88.5',
    },
    writes: { usedInWindow: 12, perWindow: 240 },
    connection: { socket: 'open', authenticated: true, clockOffsetMs: -250 },
    feeds: [
      {
        name: 'odds',
        event: 'rain',
        market: undefined,
        from: 'odds.json',
        state: 'ok',
        sinceMs: unixMs(1),
        detail: '',
        price: '0.4',
        ageMs: 250,
        counts: { taken: 3, refused: 1, skipped: 0, failures: 2 },
      },
    ],
    notReady: [],
  };
}

/** As a core shows it: the picked markets, or all. */
export function picked(view: StateView, pick?: PickMarkets): StateView {
  if (pick === undefined) return view;
  const chosen = new Set(pick(view.markets.map((market) => market.marketId)));
  return { ...view, markets: view.markets.filter(({ marketId: id }) => chosen.has(id)) };
}
