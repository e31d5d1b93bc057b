// A venue that takes an item of a batch and says in prose that it did not: rarely, and the order rests.

import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';

/** So rarely that a run of an hour has some of it, and a list is nearly always right. */
const PART = 0.01;
const PROSE = 'the order could not be processed at this time';

export class ProseRefusals {
  readonly #random: Random;
  readonly #onRefused: (orderHash: string) => void;

  /** @param onRefused - Notified of every order that rests and is called refused. */
  constructor(random: Random, onRefused: (orderHash: string) => void) {
    this.#random = random;
    this.#onRefused = onRefused;
  }

  /** The answer as the venue gives it. */
  answerTo(target: string, response: ApiResponse): ApiResponse {
    if (response.status !== 200 || !target.endsWith('/orders/batch')) return response;
    const parsed: unknown = JSON.parse(response.body);
    if (typeof parsed !== 'object' || parsed === null || !('data' in parsed)) return response;
    if (!Array.isArray(parsed.data)) return response;
    const data = parsed.data.map((item: unknown) => this.#shown(item));
    return { ...response, body: JSON.stringify({ ...parsed, data }) };
  }

  #shown(item: unknown): unknown {
    const orderHash = hashOf(item);
    if (orderHash === undefined || !this.#random.chance(PART)) return item;
    this.#onRefused(orderHash);
    const index = typeof item === 'object' && item !== null && 'index' in item ? item.index : 0;
    return { index, success: false, error: PROSE };
  }
}

function hashOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('order' in item)) return undefined;
  const { order } = item;
  if (typeof order !== 'object' || order === null || !('orderHash' in order)) return undefined;
  return typeof order.orderHash === 'string' ? order.orderHash : undefined;
}
