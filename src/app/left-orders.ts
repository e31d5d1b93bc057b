// What a previous run left, while a start waits for a venue that answers in part: nobody minds those prices, and an
// outage of a list of events may last for an hour in which everybody else trades.

import { NOT_LOOKED, outlastOf } from './abandoned-start.ts';
import type { DaemonOptions, DaemonParts } from './compose.ts';
import type { Outlast } from './outlast.ts';
import { withVenueHttp } from './venue-access.ts';

export class LeftOrders {
  readonly #options: DaemonOptions;
  readonly #parts: DaemonParts;
  readonly #mayRest: boolean;
  #outlast: Outlast | undefined;
  #done = Promise.resolve();

  /** @param mayRest - Of a run before; behind a death its guard cancels until the next trader takes over. */
  constructor(options: DaemonOptions, parts: DaemonParts, mayRest: boolean) {
    this.#options = options;
    this.#parts = parts;
    this.#mayRest = mayRest && (options.guarded?.facts.run ?? 1) === 1;
  }

  /** The start waits: what rests is cancelled until nothing of before can arrive any more, or until it goes on. */
  onWait(): void {
    if (!this.#mayRest || this.#outlast !== undefined) return;
    this.#outlast = outlastOf(this.#options, this.#parts);
    this.#done = this.#cancel(this.#outlast);
  }

  /** From here on the start clears the account by itself. Never rejects. */
  async end(): Promise<void> {
    this.#outlast?.giveUp();
    await this.#done;
  }

  async #cancel(outlast: Outlast): Promise<void> {
    const { log } = this.#options;
    try {
      const { cancelled, leftAlone } = await withVenueHttp(
        this.#parts.access,
        async (door) => await outlast.run(door, NOT_LOOKED),
      );
      log.warn('start.took_back', { cancelled, leftAlone });
    } catch (error) {
      log.error('start.took_back', { detail: String(error) });
    }
  }
}
