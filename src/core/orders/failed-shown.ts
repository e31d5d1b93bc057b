// What a venue shows to have traded of an order after a part of it had failed: some take that off, some go
// on counting it, and nobody says which. Whoever shows less than before takes it off; whoever does not
// may have seen as much trade anew. What failed is never counted a second time on such a word alone.

import { type MicroShares, microShares } from '../../domain/shares.ts';
import type { OwnOrder } from './own-order.ts';

/** Shares that have traded and did not fail. */
export type Traded = {
  readonly executed: MicroShares;
  /** What failed was taken off what was shown, and may have traded anew: balances have to say it. */
  readonly isLeast: boolean;
  /** The same, for the first time since it failed. */
  readonly isUnclear: boolean;
};

export class FailedShown {
  /** A list took off what had failed of some order: this venue does. */
  #isTakenOff = false;
  /** Orders of which the user channel has told less since they failed. */
  readonly #takenOff = new WeakSet<OwnOrder>();
  /** What had failed of an order when it was first shown as traded all the same. */
  readonly #counted = new WeakMap<OwnOrder, MicroShares>();

  /** Reads a list that was asked for after the last failure was reported. */
  ofList(order: OwnOrder, shown: MicroShares): Traded {
    if (isShownLess(order, shown)) this.#isTakenOff = true;
    return this.#read(order, shown);
  }

  /** Reads reports of the user channel; of what is told twice only the state right after the failure is a sign. */
  ofUpdate(order: OwnOrder, shown: MicroShares): Traded {
    if (isShownLess(order, shown) && shown === order.executed) this.#takenOff.add(order);
    return this.#read(order, shown);
  }

  #read(order: OwnOrder, shown: MicroShares): Traded {
    const { executed, failed } = order;
    const isTakenOff = this.#isTakenOff || this.#takenOff.has(order);
    if (failed <= 0 || isTakenOff || shown < executed + failed) {
      return { executed: shown, isLeast: false, isUnclear: false };
    }
    // Once for each failure: it is shown for as long as the order rests.
    const isUnclear = this.#counted.get(order) !== failed;
    this.#counted.set(order, failed);
    return { executed: microShares(shown - failed), isLeast: true, isUnclear };
  }
}

function isShownLess({ executed, failed }: OwnOrder, shown: MicroShares): boolean {
  return failed > 0 && shown >= executed && shown < executed + failed;
}
