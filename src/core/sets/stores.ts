// What the recycler and redeeming remember.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { QuotedMarket } from '../quoting/market.ts';
import type { QuotingStores } from '../quoting/stores.ts';

export interface SetsStores<Market extends QuotedMarket = QuotedMarket>
  extends QuotingStores<Market> {
  readonly recycling: RecyclingTurn<Market>;
  readonly resolutions: ResolutionBook;
}

// What the venue has said so far of winnings in markets that are over.

/** An answer that has not come by then comes no more; nothing waits for it any longer. */
const ANSWER_MS_MAX = 15_000;

/** `asking`: no answer yet. `unsaid`: the venue does not say it in words that are understood. */
export type Claim = 'asking' | 'unsaid' | 'claimable' | 'nothing';

type AskedResolution = {
  readonly sinceMs: UnixMs;
  requestId: RequestId | undefined;
  askedAtMs: UnixMs;
  againMs: number;
  claim: Claim;
};

export class ResolutionBook {
  /** Markets that are over and in which something was held; dropped with their market. */
  readonly asked = new Map<MarketId, AskedResolution>();
  lookedAtMs = 0;

  claimOf(marketId: MarketId, nowMs: UnixMs): Claim {
    const asked = this.asked.get(marketId);
    if (asked === undefined) return 'asking';
    const isLate = asked.claim === 'asking' && nowMs - asked.sinceMs >= ANSWER_MS_MAX;
    return isLate ? 'unsaid' : asked.claim;
  }
}

export class RecyclingTurn<Market> {
  #turn: Iterator<Market> | undefined;

  /** The market whose turn it is to be looked at, each as often as every other. */
  next(markets: ReadonlyMap<unknown, Market>): Market | undefined {
    const next = this.#turn?.next();
    if (next?.done === false) return next.value;
    // A map tells of those that come and leave meanwhile, too.
    this.#turn = markets.values();
    return this.#turn.next().value;
  }
}
