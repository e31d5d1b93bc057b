// Never more order writes than the venue allows, counted where they leave.

import { ORDER_WRITES_MAX, ORDER_WRITES_WINDOW_MS } from '../../../src/wire/limits.ts';
import type { Flight } from '../world/network.ts';

export class WriteCount {
  readonly #times: number[] = [];

  /** @returns Writes in the window that ends now, when there are too many. */
  onSent({ request }: Flight, nowMs: number): number | undefined {
    if (!isOrderWrite(request.method, request.target)) return undefined;
    while (nowMs - (this.#times[0] ?? nowMs) >= ORDER_WRITES_WINDOW_MS) this.#times.shift();
    this.#times.push(nowMs);
    return this.#times.length > ORDER_WRITES_MAX ? this.#times.length : undefined;
  }
}

/** @spec Limits */
export function isOrderWrite(method: string, target: string): boolean {
  if (method !== 'POST' && method !== 'DELETE') return false;
  const path = target.replace(/^\/api/, '').split('?')[0] ?? '';
  if (method === 'POST') return /^\/orders(\/market|\/batch)?$/.test(path);
  return method === 'DELETE' && /^\/orders\/.+/.test(path);
}
