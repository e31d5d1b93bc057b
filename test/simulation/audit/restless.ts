// While nobody else moves there is nothing to follow: `restless`.

import type { Flight } from '../world/network.ts';
import { cancelledBy } from './cancels.ts';
import { placeOf } from './churn.ts';
import { describe } from './describe.ts';
import type { OrderFact } from './facts.ts';
import type { Room, Rules } from './room.ts';

const WINDOW_MS = 60_000;
/** A side of several levels is renewed as a whole now and then, and a doubt or a resume brings it back. */
export const RETURNS_MAX = 12;

type Left = { readonly atMs: number; wasElsewhere: boolean };
type Side = { readonly left: Map<number, Left>; returnsAtMs: number[] };

/**
 * Quotes that go to and fro in a market that stands still follow nothing but themselves: an order comes back to
 * where the last one was cancelled untraded within a minute, and the side has been elsewhere in between.
 */
export class RestlessRules implements Rules {
  readonly #room: Room;
  readonly #sides = new Map<string, Side>();
  #isStill = false;

  constructor(room: Room) {
    this.#room = room;
  }

  onStill(): void {
    this.#isStill = true;
  }

  onSent(flight: Flight): void {
    if (!this.#isStill) return;
    for (const hash of cancelledBy(flight)) {
      const fact = this.#room.facts.find(hash);
      if (fact?.owner !== 'intent' || fact.executedMicro > 0 || this.#isHeldByAnother(fact))
        continue;
      const { side, priceTicks } = placeOf(fact.order);
      this.#of(side).left.set(priceTicks, { atMs: this.#room.nowMs(), wasElsewhere: false });
    }
  }

  onAccepted(fact: OrderFact): void {
    if (!this.#isStill) return;
    const { nowMs, marks, violate } = this.#room;
    const { side, priceTicks } = placeOf(fact.order);
    const known = this.#of(side);
    const sinceMs = nowMs() - WINDOW_MS;
    const last = known.left.get(priceTicks);
    known.left.delete(priceTicks);
    for (const each of known.left.values()) each.wasElsewhere = true;
    if (last === undefined || last.atMs < sinceMs || !last.wasElsewhere) return;
    known.returnsAtMs = [...known.returnsAtMs.filter((atMs) => atMs >= sinceMs), nowMs()];
    const returns = known.returnsAtMs.length;
    if (returns > 1) marks.add(`venue:to and fro ${returns}`);
    if (returns <= RETURNS_MAX) return;
    violate('restless', `${returns} returns in 60 s while nobody moves: ${describe(fact)}`);
  }

  /** One that renews it, or another part of the same level, keeps the place. */
  #isHeldByAnother(fact: OrderFact): boolean {
    const { side, priceTicks } = placeOf(fact.order);
    for (const other of this.#room.facts.live()) {
      if (other === fact || other.owner !== 'intent') continue;
      const at = placeOf(other.order);
      if (at.side === side && at.priceTicks === priceTicks) return true;
    }
    return false;
  }

  #of(side: string): Side {
    const known = this.#sides.get(side);
    if (known) return known;
    const fresh: Side = { left: new Map(), returnsAtMs: [] };
    this.#sides.set(side, fresh);
    return fresh;
  }
}
