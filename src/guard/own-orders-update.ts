// What a trader tells of its orders, checked as it arrives.

import { intentId, marketId, orderHash, tokenId } from '../domain/ids.ts';
import { microShares } from '../domain/shares.ts';
import { unixMs } from '../domain/time.ts';
import type { OwnEnd, OwnOrdersUpdate, OwnOrderWord } from './own-book.ts';

/** `undefined` for anything that no trader tells: half of it would be worse than none. */
export function readOwnOrdersUpdate(value: unknown): OwnOrdersUpdate | undefined {
  const live = fieldOf(value, 'live');
  const ended = fieldOf(value, 'ended');
  if (!Array.isArray(live) || !Array.isArray(ended)) return undefined;
  try {
    const isWhole = fieldOf(value, 'isWhole') === true;
    const ahead = fieldOf(value, 'aheadMs');
    const aheadMs = typeof ahead === 'number' ? ahead : undefined;
    return { isWhole, live: live.map(readWord), ended: ended.map(readEnd), aheadMs };
  } catch {
    return undefined;
  }
}

/** A field of something that came from another process. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Reflect.get(value, name);
}

function readWord(value: unknown): OwnOrderWord {
  const side = textOf(value, 'side');
  if (side !== 'BUY' && side !== 'SELL') throw new TypeError('a side expected');
  return {
    intentId: intentId(textOf(value, 'intentId')),
    orderHash: maybe(value, 'orderHash', orderHash),
    marketId: marketId(textOf(value, 'marketId')),
    tokenId: tokenId(textOf(value, 'tokenId')),
    side,
    priceMilli: countOf(value, 'priceMilli'),
    quantity: microShares(countOf(value, 'quantity')),
    sentAtMs: unixMs(countOf(value, 'sentAtMs')),
  };
}

function readEnd(value: unknown): OwnEnd {
  return {
    intentId: maybe(value, 'intentId', intentId),
    orderHash: maybe(value, 'orderHash', orderHash),
  };
}

function maybe<Id>(value: unknown, name: string, parse: (text: string) => Id): Id | undefined {
  return fieldOf(value, name) === undefined ? undefined : parse(textOf(value, name));
}

function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  if (typeof field !== 'string') throw new TypeError(`${name}: a text expected`);
  return field;
}

function countOf(value: unknown, name: string): number {
  const field = fieldOf(value, name);
  if (typeof field !== 'number') throw new TypeError(`${name}: a number expected`);
  return field;
}
