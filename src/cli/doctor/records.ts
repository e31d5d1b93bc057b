// The records of the interface, field by field. @spec Resources and their fields

import { holds } from './card.ts';
import {
  at,
  either,
  type Fields,
  hasFields,
  isDatetime,
  isDecimal,
  isDecimalText,
  isFlag,
  isHex,
  isId,
  isList,
  isNone,
  isNumber,
  isStatus,
  isText,
  isWhole,
  listOf,
  oneOf,
} from './shape.ts';

/** @spec Event */
export const EVENT: Fields = {
  id: isId,
  slug: isId,
  title: isText,
  category: isText,
  marketType: isText,
  status: isStatus,
  tickSize: isDecimal,
  expiryTime: isDatetime,
  markets: isList,
};

/** @spec Market */
export const MARKET: Fields = {
  id: isId,
  title: either(isText, isNone),
  status: isStatus,
  enableOrderBook: isFlag,
  volume: isDecimalText,
  outcomes: isList,
};

/** @spec Outcome */
export const OUTCOME: Fields = {
  id: isId,
  name: isText,
  tokenId: isHex,
  outcomeIndex: isWhole,
  lastPrice: isDecimal,
};

/** Without the type, whose field has two names. @spec Resources and their fields › Order */
export const ORDER: Fields = {
  id: isId,
  orderHash: isHex,
  tokenId: isHex,
  side: oneOf('BUY', 'SELL'),
  price: isDecimalText,
  quantity: isDecimalText,
  filledQuantity: isDecimalText,
  holdQuantity: isDecimalText,
  status: oneOf('OPEN', 'PARTIALLY_FILLED'),
  expiredAt: either(isDatetime, isNone),
  createdAt: isDatetime,
};

/** @spec Execution plan */
export const EXECUTION_PLAN: Fields = {
  requestedMaxSpend: isDecimalText,
  submittedQuantity: isDecimalText,
  limitPrice: isDecimalText,
  estimatedAveragePrice: isDecimalText,
  estimatedQuoteAmount: isDecimalText,
  bookTimestamp: isDatetime,
};

/** @spec Balances */
export const BALANCES: Fields = {
  cashBalance: isDecimalText,
  availableBalance: isDecimalText,
  usdcOnHold: isDecimalText,
  positions: isList,
};

/** @spec Balances */
export const POSITION: Fields = {
  tokenId: isHex,
  marketId: isId,
  outcomeId: isId,
  shareAmount: isDecimalText,
  onHoldShareAmount: isDecimalText,
};

/** @spec Candle */
export const CANDLE: Fields = {
  timestamp: isDatetime,
  open: isDecimalText,
  high: isDecimalText,
  low: isDecimalText,
  close: isDecimalText,
  volume: isDecimalText,
};

/** @spec Batch and cancel results */
export const CANCEL_RESULT: Fields = { cancelled: isWhole, failed: isWhole };

const LEVEL: Fields = { price: isNumber, size: isNumber };

/** An event with everything inside. @throws {CardFailure} */
export function isEvent(event: unknown, path: string): void {
  hasFields(event, EVENT, path);
  const ticks = ['0.01', '0.001'].map(Number);
  holds(ticks.includes(Number(at(event, 'tickSize'))), `${path}.tickSize: 0.01 or 0.001 expected`);
  for (const [index, market] of listOf(at(event, 'markets'), path).entries()) {
    isMarket(market, `${path}.markets[${index}]`);
  }
}

/** A market and its two outcomes, found by index and never by place. @throws {CardFailure} */
export function isMarket(market: unknown, path: string): void {
  hasFields(market, MARKET, path);
  const outcomes = listOf(at(market, 'outcomes'), path);
  for (const [index, outcome] of outcomes.entries()) {
    hasFields(outcome, OUTCOME, `${path}.outcomes[${index}]`);
  }
  const indexes = outcomes.map((outcome) => at(outcome, 'outcomeIndex')).sort();
  holds(indexes.join() === '0,1', `${path}.outcomes: outcomeIndex 0 and 1 expected`);
}

/** An order, its type in either field. @throws {CardFailure} */
export function isOrder(order: unknown, path: string): void {
  hasFields(order, ORDER, path);
  const type = at(order, 'timeInForce') ?? at(order, 'orderType');
  holds(oneOf('GTC', 'GTD', 'FOK', 'FAK').is(type), `${path}.timeInForce: a type expected`);
}

/** Balances and their positions, no token twice. @throws {CardFailure} */
export function isBalances(balances: unknown, path: string): void {
  hasFields(balances, BALANCES, path);
  const positions = listOf(at(balances, 'positions'), path);
  for (const [index, position] of positions.entries()) {
    hasFields(position, POSITION, `${path}.positions[${index}]`);
  }
  const tokens = new Set(positions.map((position) => at(position, 'tokenId')));
  holds(tokens.size === positions.length, `${path}.positions: a token stands there twice`);
}

/** Both sides, bids highest first and asks lowest first. @throws {CardFailure} */
export function isBook(book: unknown, path: string): void {
  for (const side of ['bids', 'asks'] as const) {
    const levels = listOf(at(book, side), `${path}.${side}`);
    for (const [index, level] of levels.entries()) {
      hasFields(level, LEVEL, `${path}.${side}[${index}]`);
    }
    const prices = levels.map((level) => Number(at(level, 'price')));
    const away = side === 'bids' ? -1 : 1;
    const isSorted = prices.every((price, index) => {
      const before = prices[index - 1];
      return before === undefined || away * (price - before) > 0;
    });
    holds(isSorted, `${path}.${side}: ${away < 0 ? 'highest' : 'lowest'} first expected`);
  }
}
