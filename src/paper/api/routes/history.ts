// Candles, platform activity and the leaderboard. @spec Endpoints › Price history and feeds

import type { Account } from '../../exchange/account.ts';
import { NO_USDC, sharesText, usdcText } from '../../exchange/amounts.ts';
import { INTERVAL_MS, isInterval } from '../../exchange/candles.ts';
import type { TokenRef } from '../../exchange/events.ts';
import { VenueRefusal } from '../../exchange/refusal.ts';
import { invalid, missing } from '../fields.ts';
import { queryChoice, queryDatetime, queryText, queryWhole } from '../query.ts';
import { type Call, publicRoute, type Route } from '../route.ts';
import { isoText } from '../time-text.ts';

/** Candles of a query that names no `from`. */
const CANDLES_DEFAULT = 200;
const ACTIVITY_PAGE = { min: 1, max: 200, default: 50 };
const OFFSET_MAX = 10_000;
const LEADERS_MAX = 100;
const DAY_MS = 86_400_000;
const PERIOD_MS = {
  today: DAY_MS,
  weekly: 7 * DAY_MS,
  monthly: 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
} as const;

export const HISTORY_ROUTES: readonly Route[] = [
  publicRoute('/kline', kline),
  publicRoute('/activity', activity),
  publicRoute('/leaderboard', leaderboard),
];

/** Without `interval` hours, without `to` until now, without `from` the newest two hundred. */
function kline(call: Call): unknown {
  const interval = queryText(call.query, 'interval') ?? 'h1';
  if (!isInterval(interval)) return invalid('interval', Object.keys(INTERVAL_MS).join(', '));
  const { market, index } = klineToken(call);
  const toMs = queryDatetime(call.query, 'to') ?? call.nowMs;
  const fromMs =
    queryDatetime(call.query, 'from') ?? toMs - CANDLES_DEFAULT * INTERVAL_MS[interval];
  if (fromMs > toMs) return invalid('from', 'a time before `to`');
  const candles = call.exchange.history.candles(market.outcome(index).tokenId);
  return (candles?.between(interval, fromMs, toMs) ?? []).map((candle) => ({
    timestamp: isoText(candle.startMs),
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    volume: sharesText(candle.volumeMicro),
  }));
}

function klineToken(call: Call): TokenRef {
  const id = queryText(call.query, 'outcomeId') ?? missing('outcomeId');
  const { catalogue } = call.exchange;
  const { klineOutcome } = call.dialect;
  const byOutcome = klineOutcome === 'tokenId' ? undefined : catalogue.findOutcome(id);
  const byToken = klineOutcome === 'outcomeId' ? undefined : catalogue.findToken(id);
  const found = byOutcome ?? byToken;
  if (!found) throw new VenueRefusal('token_not_found', 'no such outcome');
  return found;
}

function activity(call: Call): unknown {
  const limit = queryWhole(call.query, 'limit', ACTIVITY_PAGE);
  const offset = queryWhole(call.query, 'offset', { min: 0, max: OFFSET_MAX, default: 0 });
  const newest = call.exchange.history.activity.newest(offset + limit).slice(offset);
  const items = newest.map(({ quantityMicro, atMs, ...record }) => ({
    ...record,
    quantity: sharesText(quantityMicro),
    timestamp: isoText(atMs),
  }));
  return { items, total: call.exchange.history.activity.size, limit, offset };
}

/** Traders by what their settled trades of the period realised. */
function leaderboard(call: Call): unknown {
  const period = queryChoice(call.query, 'period', ['today', 'weekly', 'monthly', 'all']) ?? 'all';
  const sinceMs = call.nowMs - PERIOD_MS[period];
  return call.exchange.accounts
    .all()
    .filter((account) => account.kind !== 'recorded')
    .map((account) => scoreOf(account, sinceMs))
    .filter((score) => score.tradeCount > 0)
    .sort((a, b) => compared(b.pnlNano, a.pnlNano) || a.name.localeCompare(b.name))
    .slice(0, LEADERS_MAX)
    .map(({ name, pnlNano, volumeNano, tradeCount }, place) => ({
      rank: place + 1,
      name,
      pnl: usdcText(pnlNano),
      volume: usdcText(volumeNano),
      tradeCount,
    }));
}

function compared(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

function scoreOf(account: Account, sinceMs: number) {
  let pnlNano = NO_USDC;
  let volumeNano = NO_USDC;
  let tradeCount = 0;
  for (const trade of account.trades.newest(Number.MAX_SAFE_INTEGER)) {
    if (trade.atMs < sinceMs) break;
    pnlNano += trade.realizedPnlNano;
    volumeNano += trade.costNano;
    tradeCount += 1;
  }
  return { name: account.name, pnlNano, volumeNano, tradeCount };
}
