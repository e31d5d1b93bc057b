// What the venue has said so far of winnings in markets that are over.

import type { MarketId, RequestId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';

/** An answer that has not come by then comes no more; nothing waits for it any longer. */
const ANSWER_MS_MAX = 15_000;

/** `asking`: no answer yet. `unsaid`: the venue does not say it in words that are understood. */
export type Claim = 'asking' | 'unsaid' | 'claimable' | 'nothing';

export type AskedResolution = {
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
