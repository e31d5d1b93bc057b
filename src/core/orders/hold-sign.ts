// An amount that the venue holds back, against what orders and matches explain of it, and what it says of
// one placement that nobody answered. Pure.

/** Sums of orders under way that are tried, ten orders of different size: beyond it they explain nothing. */
const SUMS_MAX = 1_024;
/** Amounts of which whole ones are looked for, so that a storm of unanswered orders costs little. */
const AMOUNTS_MAX = 24;

/**
 * What holds back: what rests for sure, what may or may not have, as whole amounts, and what explains
 * nothing, since nobody can tell whether it is there.
 */
export type Held = { sure: number; readonly perhaps: number[]; readonly doubtful: number[] };

/**
 * `explained`: what is known makes it up, and nothing is left · `unclear`: it does not, and what is left is
 * less than the order would hold, as where something else that we believe in is gone · `room`: more is held
 * than anything known explains, enough for the order · `fits`: and whole orders, this one among them, make
 * up just that.
 */
export type HoldSign = 'explained' | 'unclear' | 'room' | 'fits';

/**
 * Orders that hold back or do not leave no room between: whole ones explain the rest, or nothing does.
 * Less than what should be held explains no more than too much does: a match that we wait for is over
 * or was never there, or an order rests that we only believe in.
 */
export function isExplained(
  hold: number,
  { sure, perhaps }: Pick<Held, 'sure' | 'perhaps'>,
  epsilon: number,
): boolean {
  const rest = hold - sure;
  if (Math.abs(rest) <= epsilon) return true;
  if (rest < 0) return false;
  const sums = new Set([0]);
  for (const amount of perhaps) {
    for (const sum of [...sums]) {
      if (Math.abs(sum + amount - rest) <= epsilon) return true;
      if (sums.size < SUMS_MAX) sums.add(sum + amount);
    }
  }
  return false;
}

/** Whether some of what may or may not hold back leaves an amount that is no more than something else may be. */
export function mayHide(
  rest: number,
  perhaps: readonly number[],
  { most, epsilon }: { readonly most: number; readonly epsilon: number },
): boolean {
  const isRoom = (sum: number) => rest - sum > epsilon && rest - sum <= most + epsilon;
  const sums = new Set([0]);
  if (isRoom(0)) return true;
  for (const amount of perhaps) {
    for (const sum of [...sums]) {
      if (isRoom(sum + amount)) return true;
      sums.add(sum + amount);
    }
    // So many of them make nearly any amount.
    if (sums.size >= SUMS_MAX) return true;
  }
  return false;
}

/** @returns What an amount held back says of an order that would hold so much of it, one of the doubtful. */
export function holdSigns(hold: number, held: Held, epsilon: number): (own: number) => HoldSign {
  const { sure, perhaps, doubtful } = held;
  const isKnown = isExplained(hold, held, epsilon);
  const isShort = perhaps.length + doubtful.length <= AMOUNTS_MAX;
  return (own) => {
    if (isKnown) return 'explained';
    if (hold - sure < own - epsilon) return 'unclear';
    const others = doubtful.toSpliced(doubtful.indexOf(own), 1);
    const withIt = { sure: sure + own, perhaps: [...perhaps, ...others] };
    return isShort && isExplained(hold, withIt, epsilon) ? 'fits' : 'room';
  };
}
