// The worst case of an event over its outcomes. Where exactly one market of it comes true, what one
// market loses another may win; where nothing is known of that, every market is a case of its own.
// @spec Architecture decision 9

/** What a market loses should YES win, and should NO win, every order that hurts then filled. */
export type LossPair = { readonly ifYesNano: number; readonly ifNoNano: number };

export const NO_LOSS: LossPair = Object.freeze({ ifYesNano: 0, ifNoNano: 0 });

export function worseOf({ ifYesNano, ifNoNano }: LossPair): number {
  return Math.max(ifYesNano, ifNoNano);
}

export type EventScope = {
  /** The operator's word: exactly one market of the event comes true. */
  readonly isExclusive: boolean;
  /** All markets of the event are among the pairs; else none of these may come true. */
  readonly isWhole: boolean;
};

export function eventLossNano(pairs: Iterable<LossPair>, scope: EventScope): number {
  let apart = 0;
  let ifNoneNano = 0;
  let mostByYes = scope.isWhole ? Number.NEGATIVE_INFINITY : 0;
  for (const pair of pairs) {
    apart += worseOf(pair);
    ifNoneNano += pair.ifNoNano;
    mostByYes = Math.max(mostByYes, pair.ifYesNano - pair.ifNoNano);
  }
  const isAny = Number.isFinite(mostByYes);
  return scope.isExclusive && isAny ? ifNoneNano + mostByYes : apart;
}

/**
 * Loss by outcome where exactly one market comes true: each of them in its place, and behind them that
 * none of these does, where not all of the event are among them.
 */
export function lossByOutcome(pairs: readonly LossPair[], isWhole: boolean): readonly number[] {
  const ifNoneNano = pairs.reduce((sum, { ifNoNano }) => sum + ifNoNano, 0);
  const nano = pairs.map(({ ifYesNano, ifNoNano }) => ifNoneNano - ifNoNano + ifYesNano);
  return isWhole ? nano : [...nano, ifNoneNano];
}
