// Delays between attempts: doubling, bounded, jittered so that many clients do not come at once.

export type Backoff = { readonly msMin: number; readonly msMax: number };

/**
 * The delay before an attempt.
 * @param attempt - Failures in a row so far, from 0.
 * @param random - 0 to 1; takes up to half of the delay off.
 */
export function backoffMs(
  { msMin, msMax }: Backoff,
  attempt: number,
  random: () => number,
): number {
  // Thirty doublings outgrow any bound; more would only overflow.
  const full = Math.min(msMax, msMin * 2 ** Math.min(attempt, 30));
  return Math.round(full * (1 - random() / 2));
}
