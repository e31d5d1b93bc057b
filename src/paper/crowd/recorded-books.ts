// The recorded size of every level as the frames have it so far; no more levels than the grid has.

import type { TokenId } from '../../domain/ids.ts';
import type { BookSide, Level } from '../../domain/message.ts';
import { type MicroShares, NO_SHARES } from '../../domain/shares.ts';
import type { Ticks } from '../../domain/ticks.ts';

export type RecordedChange = {
  readonly tokenId: TokenId;
  readonly side: BookSide;
  readonly price: Ticks;
  readonly size: MicroShares;
};

type Sides = Readonly<Record<BookSide, Map<Ticks, MicroShares>>>;

export class RecordedBooks {
  readonly #books = new Map<TokenId, Sides>();

  set({ tokenId, side, price, size }: RecordedChange): void {
    const levels = this.#sidesOf(tokenId)[side];
    if (size === NO_SHARES) levels.delete(price);
    else levels.set(price, size);
  }

  /**
   * Takes over a whole side, and tells what that changes: smaller sizes first, so that the book
   * never crosses on the way. A level that stays as it was keeps the queue before it.
   */
  replace(tokenId: TokenId, side: BookSide, levels: readonly Level[]): readonly RecordedChange[] {
    const before = this.#sidesOf(tokenId)[side];
    const after = new Map(levels.map((level) => [level.price, level.size]));
    const prices = new Set([...before.keys(), ...after.keys()]);
    const changes = [...prices].flatMap((price) => {
      const size = after.get(price) ?? NO_SHARES;
      const growth = size - (before.get(price) ?? NO_SHARES);
      return growth === 0 ? [] : [{ change: { tokenId, side, price, size }, growth }];
    });
    changes.sort((a, b) => Math.sign(a.growth) - Math.sign(b.growth));
    for (const { change } of changes) this.set(change);
    return changes.map(({ change }) => change);
  }

  /** Every level there is. */
  all(): readonly RecordedChange[] {
    return [...this.#books].flatMap(([tokenId, sides]) =>
      (['bid', 'ask'] as const).flatMap((side) =>
        [...sides[side]].map(([price, size]) => ({ tokenId, side, price, size })),
      ),
    );
  }

  /** Sizes of one side by price. */
  side(tokenId: TokenId, side: BookSide): ReadonlyMap<Ticks, MicroShares> {
    return this.#sidesOf(tokenId)[side];
  }

  /** As when nothing was known of this token. */
  forget(tokenId: TokenId): void {
    this.#books.delete(tokenId);
  }

  clear(): void {
    this.#books.clear();
  }

  #sidesOf(tokenId: TokenId): Sides {
    const known = this.#books.get(tokenId);
    if (known) return known;
    const fresh: Sides = { bid: new Map(), ask: new Map() };
    this.#books.set(tokenId, fresh);
    return fresh;
  }
}
