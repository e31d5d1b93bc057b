// A token was quiet for as long as positions lag, and the venue's number is the last word on what had matched:
// some of it settled without a word, and the others failed. Which ones says what was earned.

import { cashOf, cashOfAll, type PendingFill, signed } from './pending.ts';
import { isNothing, PARTS_OF_MAX } from './sums.ts';

/** What cash says of matches without a word. */
export type CashEvidence = {
  /** Asked of one match after the other: a read has shown its payment. */
  readonly isPaid: (fill: PendingFill) => boolean;
  /** Cash that nothing explains beside these. */
  readonly unexplainedNano: number;
};

/**
 * The matches that make up a change of shares: the only ones that do, or the only ones whose cash has moved, as
 * far as cost and cash tell one from the other.
 * @returns Nothing where none make it, or nobody can tell which ones do.
 */
export function settledAmong(
  pending: readonly PendingFill[],
  change: number,
  cash?: CashEvidence,
): readonly PendingFill[] | undefined {
  const parts = partsOf(pending, change);
  return onlyOf(parts) ?? (cash && onlyOf(parts.filter(fitsTo(pending, cash))));
}

/** One of them, where all come to the same. */
function onlyOf(parts: readonly (readonly PendingFill[])[]): readonly PendingFill[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const nano = cashOfAll(first);
  return parts.every((each) => isNothing(cashOfAll(each) - nano)) ? first : undefined;
}

function fitsTo(
  pending: readonly PendingFill[],
  { isPaid, unexplainedNano }: CashEvidence,
): (part: readonly PendingFill[]) => boolean {
  const paid = pending.filter(isPaid);
  return (part) => {
    const unpaid = part.filter((fill) => !paid.includes(fill));
    const hasPaid = part.length - unpaid.length === paid.length;
    return hasPaid && isNothing(cashOfAll(unpaid) - unexplainedNano);
  };
}

/** All that make a change; of more matches than all parts of which can be tried, only all of them or none. */
function partsOf(
  pending: readonly PendingFill[],
  change: number,
): readonly (readonly PendingFill[])[] {
  if (pending.length > PARTS_OF_MAX) {
    return [pending, []].filter((part) => sharesOf(part) === change);
  }
  const [first, ...others] = pending;
  if (first === undefined) return change === 0 ? [[]] : [];
  const withIt = partsOf(others, change - signed(first.side, first.quantity));
  return [...withIt.map((part) => [first, ...part]), ...partsOf(others, change)];
}

function sharesOf(fills: readonly PendingFill[]): number {
  return fills.reduce((sum, { side, quantity }) => sum + signed(side, quantity), 0);
}

/** What they were counted with that did not settle. */
export function unsettledNano(
  pending: readonly PendingFill[],
  settled: readonly PendingFill[],
): number {
  const failed = pending.filter((fill) => !settled.includes(fill));
  return failed.reduce((nano, fill) => nano + cashOf(fill, fill.quantity), 0);
}
