// Which markets have something to be done about, so that a turn touches those and no others: its cost
// does not grow with the number of markets.

import type { UnixMs } from '../../domain/time.ts';
import { Moments } from './moments.ts';

/** What the work queue needs to know of a market. */
export type Planned = {
  readonly plannedAtMs: UnixMs | undefined;
  /** Dropped: whoever still holds it, nothing is done about it any more. */
  isGone: boolean;
};

export class WorkQueue<Market extends Planned> {
  /** Something their quotes depend on has changed. */
  readonly dirty = new Set<Market>();
  /** Those that were planned, the one whose plan is oldest first. */
  readonly planned = new Set<Market>();
  /** Something of theirs may or may not show in the book: when to look at them again at the latest. */
  readonly waiting = new Moments<Market>();
  /** They have target quotes that wait for a write. */
  readonly missing = new Set<Market>();
  /** They want to take. */
  readonly taking = new Set<Market>();
  /** They are on their way out. */
  readonly leaving = new Set<Market>();
  /** Their exposure may have changed since it was summed up. */
  readonly exposed = new Set<Market>();
  /** Their profit may have changed since it was summed up. */
  readonly earning = new Set<Market>();

  /** Whatever changed about a market may have changed what it risks and earns. */
  onTouched(market: Market): void {
    if (market.isGone) return;
    this.exposed.add(market);
    this.earning.add(market);
  }

  /** Its middle moved: what it earns hangs on that, and what it risks on orders and shares alone. */
  onPriced(market: Market): void {
    this.earning.add(market);
  }

  /** @param againAtMs - From when on it is looked at in each turn though nothing happens to it. */
  onPlanned(market: Market, againAtMs: UnixMs | undefined): void {
    if (market.isGone) return;
    this.planned.delete(market);
    this.planned.add(market);
    if (againAtMs === undefined) this.waiting.delete(market);
    else this.waiting.set(market, againAtMs);
    this.onPriced(market);
  }

  /** It is planned at this moment at the latest, whatever happens to it. */
  planBy(market: Market, atMs: UnixMs): void {
    if (!market.isGone) this.waiting.setBy(market, atMs);
  }

  /** What is known of its orders is newer than its last look; whether it waits at all, a look decides. */
  onSynced(market: Market, againAtMs: UnixMs | undefined): void {
    if (againAtMs === undefined) this.waiting.delete(market);
    else this.waiting.move(market, againAtMs);
  }

  /**
   * A dropped market never comes back in here: its namesake may be quoted again by then, and a plan
   * of the old one would cancel the orders of the new.
   */
  forget(market: Market): void {
    market.isGone = true;
    const sets = [this.dirty, this.planned, this.waiting, this.missing];
    for (const set of [...sets, this.taking, this.leaving, this.exposed, this.earning]) {
      set.delete(market);
    }
  }
}

export function mark<Market extends Planned>(
  set: Set<Market>,
  market: Market,
  isIn: boolean,
): void {
  if (isIn && !market.isGone) set.add(market);
  else set.delete(market);
}
