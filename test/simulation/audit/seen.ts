// What the daemon says of its positions, from its own view, read once a second. A daemon that is dead has said
// nothing new: its last word stands until the next process shows its markets.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { MarketView, PositionView, StateView } from '../../../src/domain/view.ts';
import type { OrderFacts } from './facts.ts';

export type Interval = { readonly lowMicro: number; readonly highMicro: number };

export type SeenPosition = {
  readonly expectedMicro: number;
  /** Absent while the daemon does not tell what its positions may be. */
  readonly interval: Interval | undefined;
  /** What the limits count: with what balances took back, too, which is in no interval and is shown among the items. */
  readonly counted?: Interval;
};

const LOOK_MS = 1_000;

export class SeenPositions {
  readonly #view: () => StateView | undefined;
  readonly #positions = new Map<TokenId, SeenPosition>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** The last view; none before a process has begun, and while none runs. */
  view: StateView | undefined;

  constructor(view: () => StateView | undefined) {
    this.#view = view;
  }

  /** @returns Whether it was read anew. */
  look(nowMs: number): boolean {
    if (nowMs - this.#lookedAtMs < LOOK_MS) return false;
    this.#lookedAtMs = nowMs;
    this.view = this.#view();
    for (const market of this.view?.markets ?? []) this.#note(market);
    return true;
  }

  /** A journal was lost: the next process knows nothing of what the last one said. */
  forget(): void {
    this.#positions.clear();
  }

  of(tokenId: TokenId): SeenPosition | undefined {
    return this.#positions.get(tokenId);
  }

  /** Whether it expects another position than the venue has. */
  differs(facts: OrderFacts, tokenId: TokenId): boolean {
    return (this.of(tokenId)?.expectedMicro ?? 0) !== facts.totalMicro(tokenId);
  }

  #note({ yesTokenId, noTokenId, positions, positionYes, positionNo }: MarketView): void {
    this.#positions.set(yesTokenId, seen(positions?.yes, positionYes));
    this.#positions.set(noTokenId, seen(positions?.no, positionNo));
  }
}

function seen(position: PositionView | undefined, text: string): SeenPosition {
  if (position === undefined) return { expectedMicro: micro(text), interval: undefined };
  const { low, expected, high, uncertain } = position;
  const interval = { lowMicro: micro(low), highMicro: micro(high) };
  const expectedMicro = micro(expected);
  const items = uncertain.map(({ shares }) => micro(shares));
  const sum = (isOf: (shares: number) => boolean) =>
    items.filter(isOf).reduce((all, each) => all + each, expectedMicro);
  const counted = {
    lowMicro: Math.min(
      interval.lowMicro,
      sum((each) => each < 0),
    ),
    highMicro: Math.max(
      interval.highMicro,
      sum((each) => each > 0),
    ),
  };
  return { expectedMicro, interval, counted };
}

function micro(shares: string): number {
  return Math.round(Number(shares) * 1e6);
}
