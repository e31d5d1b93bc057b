// Identifiers as brands, each made by one parser.

import type { Brand } from './brand.ts';
import { type BotErrorCode, WireError } from './errors.ts';
import { clipped } from './excerpt.ts';

/** Hex id of one outcome token, lower case; the identifier for orders, books and subscriptions. */
export type TokenId = Brand<string, 'TokenId'>;
/** Hex hash of one order, lower case; the handle of every cancel. */
export type OrderHash = Brand<string, 'OrderHash'>;
export type EventId = Brand<string, 'EventId'>;
export type MarketId = Brand<string, 'MarketId'>;
/** Database id of an outcome; not usable for orders or subscriptions. */
export type OutcomeId = Brand<string, 'OutcomeId'>;
/** Our own name for one placement we decided on, unique within the journal. */
export type IntentId = Brand<string, 'IntentId'>;
/** Our own name for one request we made, so that its answer can be told from others. */
export type RequestId = Brand<number, 'RequestId'>;

const HEX_LENGTH_MAX = 130;
const ID_LENGTH_MAX = 200;
/** Of an id that is none. */
const SHOWN_LENGTH_MAX = 80;

/** @throws {WireError} `wire.token_id` when the text is not `0x` and hex digits. */
export function tokenId(text: string): TokenId {
  return hex(text, 'wire.token_id') as TokenId;
}

/** @throws {WireError} `wire.order_hash` when the text is not `0x` and hex digits. */
export function orderHash(text: string): OrderHash {
  return hex(text, 'wire.order_hash') as OrderHash;
}

/** @throws {WireError} `wire.id` */
export function eventId(text: string): EventId {
  return plain(text) as EventId;
}

/** @throws {WireError} `wire.id` */
export function marketId(text: string): MarketId {
  return plain(text) as MarketId;
}

/** @throws {WireError} `wire.id` */
export function outcomeId(text: string): OutcomeId {
  return plain(text) as OutcomeId;
}

export function intentId(text: string): IntentId {
  return plain(text) as IntentId;
}

/**
 * Whether an intent is of a request that left, as `born-count` says. What is only kept beside one, or was met
 * on the venue, has a word more in its name.
 */
export function isOfRequest(intent: IntentId): boolean {
  return intent.split('-').length <= 2;
}

export function requestId(count: number): RequestId {
  return count as RequestId;
}

function hex(text: string, code: BotErrorCode): string {
  if (text.length > HEX_LENGTH_MAX || !/^0x[0-9a-f]+$/i.test(text)) {
    throw new WireError(code, clipped(text, SHOWN_LENGTH_MAX));
  }
  return text.toLowerCase();
}

function plain(text: string): string {
  if (text.length > 0 && text.length <= ID_LENGTH_MAX) return text;
  throw new WireError('wire.id', clipped(text, SHOWN_LENGTH_MAX));
}
