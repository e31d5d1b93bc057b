// Orders that somebody placed by hand at a price between two ticks, as what is left of a market order may
// have: the venue shows that price of them, wherever it names them to the account.

import type { ApiResponse } from '../../../src/paper/api/message.ts';

const LIST = /\/orders(\?|$)/;
const UPDATE = /"type":"order\.update"/;

export class OddPrices {
  readonly #shown = new Map<string, number>();

  /** @param price - What the venue shows of the order from now on. */
  add(orderHash: string, price: number): void {
    this.#shown.set(orderHash, price);
  }

  /** The answer as the venue gives it. */
  answerTo(method: string, target: string, response: ApiResponse): ApiResponse {
    if (this.#shown.size === 0 || method !== 'GET' || !LIST.test(target)) return response;
    return { ...response, body: this.#told(response.body) };
  }

  /** The frame as the venue sends it. */
  inFrame(text: string): string {
    return this.#shown.size === 0 || !UPDATE.test(text) ? text : this.#told(text);
  }

  #told(text: string): string {
    return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value;
      if (!('orderHash' in value) || typeof value.orderHash !== 'string') return value;
      const price = this.#shown.get(value.orderHash);
      if (price === undefined || !('price' in value)) return value;
      return { ...value, price: typeof value.price === 'number' ? price : String(price) };
    });
  }
}
