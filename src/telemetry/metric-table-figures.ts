// Figures of what quoting came to; `src/backtest/README.md` defines each.

import { counter, gauge, type Room } from './metric-spec.ts';

const MARKET = 'ids of the venue';
const ROLES = ['maker', 'taker', 'unsure'] as const;
const MARKS = ['middle', 'fair', 'settlement'] as const;
const QUEUE = 'none, up to 50, up to 200, up to 1000, over 1000, unknown';
export const PNL_PARTS = [
  'before',
  'spread',
  'to_1s',
  'to_10s',
  'to_60s',
  'later',
  'fees',
  'unsplit',
  'other',
] as const;

/** Of each market: what has many parts is in the state alone, since each series counts so many times. */
export const MARKET_FIGURES = {
  marketFairPnl: gauge(
    'bookend_market_fair_pnl_usdc',
    'Profit and loss of one market with shares at what the core takes YES to be worth; no series while it has no opinion.',
    { market: MARKET },
  ),
  marketTraded: gauge(
    'bookend_market_traded_shares',
    'Shares that own orders made and took in this run; `unsure` of quotes that traded before they were seen to rest.',
    { market: MARKET, role: ROLES },
  ),
  marketInventoryRms: gauge(
    'bookend_market_inventory_rms_shares',
    'Root of the mean square of net shares over the time of this run.',
    { market: MARKET },
  ),
  marketInventoryMax: gauge(
    'bookend_market_inventory_max_shares',
    'The most net shares of either outcome in this run.',
    { market: MARKET },
  ),
  marketDrawdown: gauge(
    'bookend_market_drawdown_usdc',
    'The furthest that profit at the middle fell below its highest in this run.',
    { market: MARKET },
  ),
  marketTouch: gauge(
    'bookend_market_touch_ratio',
    'Share of time at or inside the best price of all others, both sides; no series while none counts.',
    { market: MARKET },
  ),
} satisfies Room;

/** Of all markets together, those without series of their own too. */
export const ACCOUNT_FIGURES = {
  markPnl: gauge(
    'bookend_mark_pnl_usdc',
    'Profit and loss with shares at the middle, at the own fair value, at the outcome where it is known.',
    { mark: MARKS },
  ),
  pnlPart: gauge(
    'bookend_pnl_part_usdc',
    'What the profit and loss is made of; the parts add up to it.',
    { part: PNL_PARTS },
  ),
  traded: gauge(
    'bookend_traded_shares',
    'Shares that own orders made and took in this run; `unsure` of quotes that traded before they were seen to rest.',
    { role: ROLES },
  ),
  inventoryRms: gauge(
    'bookend_inventory_rms_shares',
    'Root of the mean square of net shares over the time of this run, squares of all markets added.',
  ),
  inventoryMax: gauge(
    'bookend_inventory_max_shares',
    'The most net shares in one market in this run.',
  ),
  drawdown: gauge(
    'bookend_drawdown_usdc',
    'The furthest that profit at the middle fell below its highest in this run.',
  ),
  touch: gauge(
    'bookend_touch_ratio',
    'Share of time at or inside the best price of all others, mean over markets; no series while none counts.',
  ),
  queueFills: gauge(
    'bookend_queue_fills',
    'Fills of this run that made, by the shares of others before their orders when those came to rest.',
    { ahead: QUEUE },
  ),
  queueShares: gauge('bookend_queue_filled_shares', 'The shares of these fills.', {
    ahead: QUEUE,
  }),
  queueMarkout: gauge(
    'bookend_queue_markout_usdc',
    'How the middle moved in our favour within 10 s of these fills, from their price, for each share.',
    { ahead: QUEUE },
  ),
  uptimeInAll: gauge(
    'bookend_mean_uptime_ratio',
    'Quoting uptime since the start, mean over markets and sides; no series while no time counts.',
  ),
  writesSent: counter('bookend_order_writes_total', 'Order writes, each batch as one.'),
} satisfies Room;
