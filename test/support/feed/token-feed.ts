// One token of a made-up feed: the true book, what the client was notified of it, and what the client must
// trust after the frames that really reached it.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { BookSide, Level } from '../../../src/domain/message.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { type TickGrid, ticks } from '../../../src/domain/ticks.ts';
import type { FaultKind } from './fault-kinds.ts';

export type Change = { readonly side: BookSide; readonly price: number; readonly size: number };
export type Sides = Readonly<Record<BookSide, Map<number, number>>>;

export type OpenFault = {
  readonly kind: FaultKind;
  readonly atMs: number;
  /** Since when the client's book is wrong. */
  wrongSinceMs: number | undefined;
  uncertainAtMs: number | undefined;
};

export class TokenFeed {
  readonly tokenId: TokenId;
  readonly truth: Sides = sides();
  /** What an undisturbed client would trust. */
  readonly told: Sides = sides();
  /** What this client trusts. */
  readonly counted: Sides = sides();
  /** The truth of a while ago, for reads that are older than they look. */
  older: Sides = sides();
  isMuted = false;
  isSubscribed = false;
  fault: OpenFault | undefined;
  /** Strikes the next flush that has enough in it. */
  planned: FaultKind | undefined;
  /** A delta kept back, to be delivered after newer ones. */
  late: { readonly change: Change; flushesLeft: number } | undefined;
  calmUntilMs = 0;

  constructor(tokenId: TokenId) {
    this.tokenId = tokenId;
  }

  /** What changed since the client was told last; what leaves goes before what joins. */
  flush(): readonly Change[] {
    const changes: Change[] = [];
    for (const side of ['bid', 'ask'] as const) {
      const truth = this.truth[side];
      const told = this.told[side];
      for (const price of new Set([...told.keys(), ...truth.keys()])) {
        const size = truth.get(price) ?? 0;
        if (size !== (told.get(price) ?? 0)) changes.push({ side, price, size });
      }
    }
    for (const change of changes) apply(this.told, change);
    return changes.sort((a, b) => Number(a.size > 0) - Number(b.size > 0));
  }

  /** A baseline reaches the client: it trusts just that. */
  rebase(): void {
    copy(this.truth, this.told);
    copy(this.truth, this.counted);
    this.isMuted = false;
    this.isSubscribed = true;
    this.late = undefined;
  }

  get isWrong(): boolean {
    return !isSame(this.told, this.counted);
  }
}

export function apply(book: Sides, { side, price, size }: Change): void {
  if (size === 0) book[side].delete(price);
  else book[side].set(price, size);
}

export function copy(from: Sides, to: Sides): void {
  for (const side of ['bid', 'ask'] as const) {
    to[side].clear();
    for (const [price, size] of from[side]) to[side].set(price, size);
  }
}

export function sides(): Sides {
  return { bid: new Map(), ask: new Map() };
}

export function levelsOf(grid: TickGrid, book: Sides, side: BookSide): readonly Level[] {
  const towards = side === 'bid' ? -1 : 1;
  return [...book[side]]
    .sort(([a], [b]) => towards * (a - b))
    .map(([price, size]) => ({ price: ticks(grid, price), size: microShares(size) }));
}

function isSame(one: Sides, other: Sides): boolean {
  return (['bid', 'ask'] as const).every((side) => {
    if (one[side].size !== other[side].size) return false;
    for (const [price, size] of one[side]) if (other[side].get(price) !== size) return false;
    return true;
  });
}
