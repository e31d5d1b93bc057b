// What the venue's holds said of placements that nobody answered, until they are answered or given up.

import type { UnixMs } from '../../domain/time.ts';
import type { HoldSign } from './hold-sign.ts';
import type { OwnOrder } from './own-order.ts';

export type SaidOfHolds = { readonly sign: HoldSign; readonly askedAtMs: UnixMs };

/** What the last read that could speak says of each placement without an answer. */
export class Holds {
  #said: ReadonlyMap<OwnOrder, SaidOfHolds> = new Map();
  /** Told of as held and unlisted, once each. */
  #told = new Set<OwnOrder>();
  /** Cash that orders on the last list hold which the ledger does not have. */
  elsewhereNano = 0;

  of(order: OwnOrder): SaidOfHolds | undefined {
    return this.#said.get(order);
  }

  /** @param said - Of those that are still unknown; others are forgotten. */
  keep(said: ReadonlyMap<OwnOrder, SaidOfHolds>): void {
    this.#said = said;
    this.#told = new Set([...this.#told].filter((order) => said.has(order)));
  }

  /** Whether it is told of for the first time. */
  tell(order: OwnOrder): boolean {
    const isNew = !this.#told.has(order);
    this.#told.add(order);
    return isNew;
  }
}
