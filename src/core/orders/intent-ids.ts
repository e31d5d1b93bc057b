// Names of orders that we mean to place.

import { type IntentId, intentId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';

export class IntentIds {
  #count = 0;
  #bornAtMs: UnixMs | undefined;

  /** Unique over restarts, since no two runs begin in the same millisecond on one journal. */
  next(nowMs: UnixMs): IntentId {
    this.#bornAtMs ??= nowMs;
    this.#count += 1;
    return intentId(`${this.#bornAtMs}-${this.#count}`);
  }
}
