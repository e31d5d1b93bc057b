// How soon something is asked about again whose end the interface does not say is announced.

/** It is taken to hold for this part longer at most than it did: some forty asks in ten minutes. */
const PART = 1 / 10;

export type Pace = { readonly leastMs: number; readonly mostMs: number };

/** @param heldMs - For how long it has held already. */
export function askAgainInMs(heldMs: number, { leastMs, mostMs }: Pace): number {
  return Math.min(Math.max(leastMs, heldMs * PART), mostMs);
}
