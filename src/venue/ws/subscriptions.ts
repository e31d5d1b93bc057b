// Which books and trades we want, as frames: an idempotent set that survives connections.
// @spec Events › Client frames

import type { TokenId } from '../../domain/ids.ts';
import { subscribeBooksFrame, subscribeTradesFrame, unsubscribeFrame } from '../../wire/encode.ts';
import { BOOK_DEPTH_DEFAULT, BOOK_DEPTH_MAX } from '../../wire/limits.ts';

export type SubscriptionsOptions = {
  readonly tokensPerFrame: number;
  /** Whether `unsubscribe` ends trades too, so that a renewal must ask for both. */
  readonly unsubscribeEndsTrades: boolean;
};

export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  #tokens: ReadonlySet<TokenId> = new Set();
  #depth = BOOK_DEPTH_DEFAULT;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Replaces the set; returns the frames that bring an open connection from old to new. */
  replace(tokenIds: readonly TokenId[], depth: number): readonly string[] {
    const before = this.#tokens;
    const after = new Set(tokenIds);
    const wantedDepth = Math.min(Math.max(Math.trunc(depth) || 1, 1), BOOK_DEPTH_MAX);
    const isDeeper = wantedDepth !== this.#depth;
    this.#tokens = after;
    this.#depth = wantedDepth;
    const kept = isDeeper ? [...after].filter((token) => before.has(token)) : [];
    return [
      ...this.#leave([...before].filter((token) => !after.has(token) || isDeeper)),
      ...this.#join([...after].filter((token) => !before.has(token))),
      ...this.#rejoin(kept),
    ];
  }

  /** Drops and renews one token, for a fresh snapshot; nothing when it is not wanted. */
  renew(tokenId: TokenId): readonly string[] {
    if (!this.#tokens.has(tokenId)) return [];
    return [...this.#leave([tokenId]), ...this.#rejoin([tokenId])];
  }

  /** Everything wanted, for a connection that has no subscriptions yet. */
  all(): readonly string[] {
    return this.#join([...this.#tokens]);
  }

  #join(tokens: readonly TokenId[]): readonly string[] {
    return [...this.#joinBooks(tokens), ...this.#chunks(tokens, subscribeTradesFrame)];
  }

  #rejoin(tokens: readonly TokenId[]): readonly string[] {
    return this.#options.unsubscribeEndsTrades ? this.#join(tokens) : this.#joinBooks(tokens);
  }

  #joinBooks(tokens: readonly TokenId[]): readonly string[] {
    return this.#chunks(tokens, (chunk) => subscribeBooksFrame(chunk, this.#depth));
  }

  #leave(tokens: readonly TokenId[]): readonly string[] {
    return this.#chunks(tokens, unsubscribeFrame);
  }

  #chunks(
    tokens: readonly TokenId[],
    frame: (chunk: readonly TokenId[]) => string,
  ): readonly string[] {
    const { tokensPerFrame } = this.#options;
    const frames: string[] = [];
    for (let start = 0; start < tokens.length; start += tokensPerFrame) {
      frames.push(frame(tokens.slice(start, start + tokensPerFrame)));
    }
    return frames;
  }
}
