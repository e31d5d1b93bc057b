// Amounts of money, and which of them come to a total.

/** Differences below a micro-dollar are rounding, not money. */
export const EPSILON_NANO = 1_000;

/** Amounts of which every part is tried; with more of them some part comes to nearly any total. */
export const PARTS_OF_MAX = 10;

export function isNothing(nano: number): boolean {
  return Math.abs(nano) <= EPSILON_NANO;
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, each) => total + each, 0);
}

/** Some of these amounts that come to a total, the first ones that do. */
export function partOf(amounts: readonly number[], total: number): readonly number[] | undefined {
  for (const [at, each] of amounts.entries()) {
    if (isNothing(total - each)) return [each];
    const others = partOf(amounts.slice(at + 1), total - each);
    if (others !== undefined) return [each, ...others];
  }
  return undefined;
}

/**
 * The only ones of these amounts that come to a total: nothing where others do as well, however likely each
 * is. As much is as good as the other, whosever it is. Of too many to try all parts the first ones are looked
 * at alone, one after the other.
 */
export function onlyPartOf(
  amounts: readonly number[],
  total: number,
): readonly number[] | undefined {
  // What comes to nothing says nothing: it may have moved the cash together, or not.
  if (isNothing(total)) return undefined;
  if (amounts.length > PARTS_OF_MAX) return firstOf(amounts, total);
  const parts = partsOf([...countsOf(amounts)], total);
  return parts.length === 1 ? parts[0] : undefined;
}

/** The first ones of these amounts, where they come to a total. */
function firstOf(amounts: readonly number[], total: number): readonly number[] | undefined {
  let nano = 0;
  const last = amounts.findIndex((each) => {
    nano += each;
    return isNothing(nano - total);
  });
  return last === -1 ? undefined : amounts.slice(0, last + 1);
}

/** All different parts that come to a total, of amounts that are there so often each. */
function partsOf(
  [first, ...others]: readonly (readonly [nano: number, count: number])[],
  total: number,
): readonly (readonly number[])[] {
  if (first === undefined) return isNothing(total) ? [[]] : [];
  const [nano, most] = first;
  const found: (readonly number[])[] = [];
  for (let count = 0; count <= most; count += 1) {
    const taken = Array<number>(count).fill(nano);
    for (const part of partsOf(others, total - count * nano)) found.push([...taken, ...part]);
  }
  return found;
}

/** Asks for one amount after the other whether it is there; each is there as often as it is named. */
export function among(amounts: readonly number[]): (nano: number) => boolean {
  const counts = countsOf(amounts);
  return (nano) => {
    const count = counts.get(nano) ?? 0;
    counts.set(nano, count - 1);
    return count > 0;
  };
}

function countsOf(amounts: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const each of amounts) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
