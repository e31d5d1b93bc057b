// Reads the bodies of placements. @spec Endpoints › Orders (all Auth)

import { Decimal } from 'decimal.js';
import { type OrderHash, orderHash } from '../../domain/ids.ts';
import { type Ticks, ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import { nanoOfMicro } from '../exchange/amounts.ts';
import type { TokenRef } from '../exchange/events.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { TimeInForce } from '../exchange/exchange-order.ts';
import type { MarketRequest, MarketSize } from '../exchange/market-plan.ts';
import type { LimitRequest } from '../exchange/placement.ts';
import { VenueRefusal } from '../exchange/refusal.ts';
import {
  datetimeOf,
  decimalOf,
  type Fields,
  fieldsOf,
  invalid,
  microOf,
  missing,
  optionalChoice,
  optionalText,
  optionalWhole,
  requiredChoice,
  requiredText,
} from './fields.ts';

export type OrderReading = {
  readonly exchange: Exchange;
  /** The venue's clock, faults included. */
  readonly nowMs: UnixMs;
  readonly acceptsText: boolean;
};

/** The absolute price range of order validation. @spec What the service does */
const PRICE_MIN = new Decimal('0.0001');
const PRICE_MAX = new Decimal('0.9999');
const SLIPPAGE_BPS_MAX = 10_000;
const MARKET_SIZE_DECIMALS = 6;

/** @throws {VenueRefusal} @spec Endpoints › Orders (all Auth) › POST /orders (limit order) */
export function readLimitOrder(body: unknown, reading: OrderReading): LimitRequest {
  const fields = fieldsOf(body);
  const token = reading.exchange.catalogue.token(requiredText(fields, 'tokenId'));
  const side = requiredChoice(fields, 'side', ['BUY', 'SELL']);
  const price = readPrice(fields, token, reading);
  const quantityMicro = readQuantity(fields, reading);
  const types: readonly TimeInForce[] = ['GTC', 'GTD', 'FOK', 'FAK'];
  const timeInForce = optionalChoice(fields, 'orderType', types) ?? 'GTC';
  return {
    ...{ token, side, price, quantityMicro, timeInForce },
    expiresAtMs: timeInForce === 'GTD' ? readExpiry(fields, reading) : undefined,
    clientOrderId: optionalText(fields, 'clientOrderId'),
  };
}

/** @throws {VenueRefusal} @spec Endpoints › Orders (all Auth) › POST /orders/market (market order) */
export function readMarketOrder(body: unknown, reading: OrderReading): MarketRequest {
  const fields = fieldsOf(body);
  return {
    token: reading.exchange.catalogue.token(requiredText(fields, 'tokenId')),
    size: readMarketSize(fields),
    timeInForce: optionalChoice(fields, 'timeInForce', ['FOK', 'FAK']) ?? 'FOK',
    slippageBpsMax: optionalWhole(fields, 'maxSlippageBps', SLIPPAGE_BPS_MAX),
  };
}

/** A hash as a client sends it; what is no hash at all is simply not found. */
export function readOrderHash(value: unknown): OrderHash | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,128}$/i.test(value)) return undefined;
  return orderHash(value);
}

function readPrice(fields: Fields, token: TokenRef, reading: OrderReading): Ticks {
  const value = fields['price'] ?? missing('price');
  const price = decimalOf(value, reading.acceptsText);
  if (!price) throw new VenueRefusal('invalid_price', 'price is not a usable number');
  if (price.lt(PRICE_MIN) || price.gt(PRICE_MAX)) {
    throw new VenueRefusal('price_out_of_range', 'price is outside 0.0001 to 0.9999');
  }
  const { grid } = token.market;
  const count = price.times(grid.ticksPerUnit);
  if (!count.isInteger()) {
    throw new VenueRefusal('tick_size_violation', `price is not a multiple of ${grid.tickSize}`);
  }
  return ticks(grid, count.toNumber());
}

function readQuantity(fields: Fields, reading: OrderReading): number {
  const value = fields['quantity'] ?? missing('quantity');
  const quantity = decimalOf(value, reading.acceptsText);
  const { quantityDecimalsMax } = reading.exchange.context.rules;
  if (!quantity || quantity.decimalPlaces() > quantityDecimalsMax) {
    throw new VenueRefusal('invalid_quantity', `at most ${quantityDecimalsMax} decimals`);
  }
  return positiveMicro(quantity);
}

function readExpiry(fields: Fields, reading: OrderReading): UnixMs {
  const text = optionalText(fields, 'expiredAt') ?? missing('expiredAt');
  const atMs = datetimeOf(text, 'expiredAt');
  const aheadMs = atMs - reading.nowMs;
  if (aheadMs < reading.exchange.context.rules.gtdAheadMsMin) {
    return invalid('expiredAt', 'a time at least one minute ahead');
  }
  return atMs;
}

function readMarketSize(fields: Fields): MarketSize {
  const side = requiredChoice(fields, 'side', ['BUY', 'SELL']);
  const [wanted, other] = side === 'BUY' ? SIZE_FIELDS : [SIZE_FIELDS[1], SIZE_FIELDS[0]];
  if (fields[other] !== undefined && fields[other] !== null) {
    return invalid(other, `no such size on a ${side}`);
  }
  const text = optionalText(fields, wanted) ?? missing(wanted);
  const amount = decimalOf(text, true);
  if (!amount || amount.decimalPlaces() > MARKET_SIZE_DECIMALS) {
    throw new VenueRefusal('invalid_quantity', `${wanted}: a decimal text of up to 6 places`);
  }
  const micro = positiveMicro(amount);
  return side === 'BUY'
    ? { side, spendMaxNano: nanoOfMicro(micro) }
    : { side, quantityMicro: micro };
}

const SIZE_FIELDS = ['maxSpend', 'quantity'] as const;

function positiveMicro(amount: Decimal): number {
  const micro = microOf(amount);
  if (micro !== undefined && micro > 0) return micro;
  throw new VenueRefusal('invalid_quantity', 'a quantity is above zero and within reach');
}
