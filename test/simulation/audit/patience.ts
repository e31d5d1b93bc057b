// What the venue asks of a client: to wait when it says so, and not to ask again and again for what it
// has refused.

import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { Flight } from '../world/network.ts';
import { isOrderWrite } from './writes.ts';

const REFUSALS_WINDOW_MS = 60_000;
/** A side that was refused for want of cash or shares rests for ever longer. */
export const SHORTAGES_MAX = 6;
/** Where nobody else trades, and nothing failed, the daemon knows what it has. */
export const SHORTAGES_ALONE_MAX = 2;

export class Patience {
  #closedUntilMs = 0;
  #toldAtMs = 0;
  readonly #refusals = new Map<string, number[]>();

  onProcessStarts(): void {
    this.#closedUntilMs = 0;
    this.#refusals.clear();
  }

  /** The client was told to wait: a 429 to an order write is in its hands. */
  onLimited({ request }: Flight, retryAfterMs: number, nowMs: number): void {
    if (!isOrderWrite(request.method, request.target)) return;
    this.#toldAtMs = nowMs;
    this.#closedUntilMs = Math.max(this.#closedUntilMs, nowMs + retryAfterMs);
  }

  /** @returns How long the client should still have waited, if it did not. */
  onSent({ request }: Flight, nowMs: number): number | undefined {
    if (!isOrderWrite(request.method, request.target)) return undefined;
    const isEarly = nowMs > this.#toldAtMs && nowMs < this.#closedUntilMs;
    return isEarly ? this.#closedUntilMs - nowMs : undefined;
  }

  /** An order was refused. @returns How many of its kind were within the window. */
  onRefused(kind: string, nowMs: number): number {
    const times = (this.#refusals.get(kind) ?? []).filter(
      (atMs) => nowMs - atMs < REFUSALS_WINDOW_MS,
    );
    times.push(nowMs);
    this.#refusals.set(kind, times);
    return times.length;
  }
}

/** What was refused for want of cash or shares, by token and side. */
export function shortagesOf({ origin }: Flight, { body }: ApiResponse): readonly string[] {
  const { placing } = origin;
  if (placing === undefined || !SHORTAGE.test(body)) return [];
  const { data } = parsed(body);
  const refused = Array.isArray(data)
    ? data.filter(({ error }) => SHORTAGE.test(error ?? '')).map(({ index }) => index)
    : [0];
  const kinds = refused.flatMap((index) => {
    const order = placing.orders[index];
    return order ? `${order.side} ${order.tokenId}` : [];
  });
  // Several levels in one request were refused for one reason.
  return [...new Set(kinds)];
}

/** A batch item has prose only. */
const SHORTAGE = /insufficient_|not enough (settled shares|USDC)/;

type Item = { readonly index: number; readonly error?: string };

function parsed(body: string): { readonly data?: readonly Item[] } {
  return JSON.parse(body);
}
