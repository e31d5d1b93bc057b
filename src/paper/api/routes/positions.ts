// Splitting, merging and redeeming sets. @spec Endpoints › Conditional tokens (all Auth)

import { MICRO, nanoOfMicro, sharesText, usdcText } from '../../exchange/amounts.ts';
import type { ListedMarket } from '../../exchange/listed-market.ts';
import { VenueRefusal } from '../../exchange/refusal.ts';
import {
  decimalOf,
  type Fields,
  fieldsOf,
  microOf,
  missing,
  optionalText,
  requiredText,
} from '../fields.ts';
import { type AuthCall, authRoute, type Route } from '../route.ts';

export const POSITION_ROUTES: readonly Route[] = [
  authRoute('POST', '/positions/split', split),
  authRoute('POST', '/positions/merge', merge),
  authRoute('POST', '/positions/redeem', redeem),
  authRoute('GET', '/positions/claimable', claimable),
];

function split(call: AuthCall): unknown {
  const fields = fieldsOf(call.body);
  const market = marketOf(call, fields);
  return { txHash: call.exchange.chain.split(call.account, market, amountOf(call, fields)) };
}

function merge(call: AuthCall): unknown {
  const fields = fieldsOf(call.body);
  const market = marketOf(call, fields);
  return { txHash: call.exchange.chain.merge(call.account, market, amountOf(call, fields)) };
}

function redeem(call: AuthCall): unknown {
  const market = call.exchange.catalogue.market(requiredText(fieldsOf(call.body), 'marketId'));
  return { txHash: call.exchange.chain.redeem(call.account, market) };
}

function claimable(call: AuthCall): unknown {
  const { account, exchange } = call;
  const claims = exchange.chain.claimable(account, exchange.catalogue.markets());
  return claims.map(({ market, winningMicro }) => ({
    eventId: market.listed.event.id,
    marketId: market.market.id,
    tokenId: market.winner === undefined ? null : market.outcome(market.winner).tokenId,
    shareAmount: sharesText(winningMicro),
    payout: usdcText(nanoOfMicro(winningMicro)),
  }));
}

/** `marketId` is required for multi-outcome events and optional for binary ones. */
function marketOf(call: AuthCall, fields: Fields): ListedMarket {
  const listed = call.exchange.catalogue.event(requiredText(fields, 'eventId'));
  const marketId = optionalText(fields, 'marketId');
  const [first, ...others] = listed.markets;
  if (marketId === undefined) {
    return first && others.length === 0 ? first : missing('marketId');
  }
  const found = listed.markets.find((market) => market.market.id === marketId);
  if (!found) throw new VenueRefusal('market_not_found', 'not in this event');
  return found;
}

/** Type and unit are not shown: numbers and texts are taken, in the unit of the dialect. */
function amountOf(call: AuthCall, fields: Fields): number {
  const amount = decimalOf(fields['amount'] ?? missing('amount'), true);
  const inMicro = call.dialect.chainAmount === 'micro';
  const micro = amount && microOf(inMicro ? amount.div(MICRO) : amount);
  if (micro !== undefined && micro > 0) return micro;
  throw new VenueRefusal('invalid_quantity', 'amount: above zero, at most 6 decimals');
}
