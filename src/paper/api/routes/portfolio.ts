// What an account has and did. @spec Endpoints › Portfolio (all Auth)

import {
  balancesJson,
  positionsJson,
  summaryJson,
  tradeJson,
  transferJson,
} from '../encode-portfolio.ts';
import { queryWhole } from '../query.ts';
import { type AuthCall, authRoute, param, type Route } from '../route.ts';
import { isoText } from '../time-text.ts';

/** Page size of the histories; the interface names the parameter and no bounds. */
const HISTORY_PAGE = { min: 1, max: 500, default: 50 };

export const PORTFOLIO_ROUTES: readonly Route[] = [
  authRoute('GET', '/portfolio/balances', (call) =>
    balancesJson(call.account, call.exchange, call.dialect),
  ),
  authRoute('GET', '/portfolio/summary', (call) =>
    summaryJson(call.account, call.exchange, call.dialect),
  ),
  authRoute('GET', '/portfolio/positions', (call) => positionsJson(call)),
  authRoute('GET', '/portfolio/market/:marketId', (call) =>
    positionsJson(call, call.exchange.catalogue.market(param(call, 'marketId'))),
  ),
  authRoute('GET', '/portfolio/trades', trades),
  authRoute('GET', '/portfolio/deposits', (call) =>
    call.account.deposits.newest(limitOf(call)).map(transferJson),
  ),
  authRoute('GET', '/portfolio/withdrawals', (call) =>
    call.account.withdrawals.newest(limitOf(call)).map(transferJson),
  ),
  authRoute('GET', '/portfolio/transactions', transactions),
];

/** The newest settled trades, as the deployment shows them. */
function trades(call: AuthCall): unknown {
  const { exchange, dialect } = call;
  const { clock, timing } = exchange.context;
  const lagMs = dialect.tradesShow === 'indexed' ? timing.indexLagMsMax : 0;
  const untilMs = clock.nowMs() - lagMs;
  const shown = call.account.trades
    .newest(Number.MAX_SAFE_INTEGER)
    .filter(({ atMs }) => atMs <= untilMs)
    .slice(0, limitOf(call))
    .map(tradeJson);
  switch (dialect.tradesAs) {
    case 'newestFirst':
      return shown;
    case 'oldestFirst':
      return shown.toReversed();
    case 'page':
      return { items: shown };
    case 'other':
      return shown.map(({ tradeId, quantity, ...rest }) => ({
        ...rest,
        id: tradeId,
        size: quantity,
      }));
  }
}

/** Everything that moved money or shares, newest first. */
function transactions(call: AuthCall): unknown {
  const { account } = call;
  const limit = limitOf(call);
  const entries = [
    ...account.trades.newest(limit).map((trade) => entry('trade', trade.atMs, tradeJson(trade))),
    ...account.deposits
      .newest(limit)
      .map((transfer) => entry('deposit', transfer.atMs, transferJson(transfer))),
    ...account.withdrawals
      .newest(limit)
      .map((transfer) => entry('withdrawal', transfer.atMs, transferJson(transfer))),
  ];
  const newestFirst = entries.sort((a, b) => b.atMs - a.atMs).slice(0, limit);
  return newestFirst.map(({ type, atMs, record }) => ({ type, at: isoText(atMs), ...record }));
}

function entry(type: string, atMs: number, record: Record<string, unknown>) {
  return { type, atMs, record };
}

function limitOf(call: AuthCall): number {
  return queryWhole(call.query, 'limit', HISTORY_PAGE);
}
