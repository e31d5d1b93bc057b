// Markets with a split, merge or redeem that balances have not shown yet, by the daemon's own records.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredSets } from '../../../src/domain/record.ts';

const UNDER_WAY: ReadonlySet<StoredSets['state']> = new Set(['sent', 'accepted', 'unknown']);

export class SetsUnderWay {
  #markets: ReadonlySet<MarketId> = new Set();

  onRecord(record: LedgerRecord): void {
    if (record.kind === 'sets') this.#take(record.requests);
  }

  /** A process knows what the disk has: it has not heard of a confirmation that was never written. */
  onProcessStarts(onDisk: readonly StoredSets[]): void {
    this.#take(onDisk);
  }

  #take(requests: readonly StoredSets[]): void {
    const open = requests.filter(({ state }) => UNDER_WAY.has(state));
    this.#markets = new Set(open.map(({ order }) => order.marketId));
  }

  has(marketId: MarketId): boolean {
    return this.#markets.has(marketId);
  }

  get any(): boolean {
    return this.#markets.size > 0;
  }
}
