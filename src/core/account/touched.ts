// What changed since records were last asked for, and what was last written: the notes that
// `records.ts` works from.

import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { StoredFlows, StoredSteady } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { OwnOrder } from '../orders/own-order.ts';
import type { KeptBaselines } from '../risk/baselines.ts';

export class Touched {
  readonly orders = new Set<OwnOrder>();
  readonly tokens = new Set<TokenId>();
  readonly flows = new Set<MarketId>();
  /** What was last written, to see what has drifted since. */
  readonly writtenFlows = new Map<MarketId, StoredFlows>();
  readonly writtenMemories = new Map<string, unknown>();
  writtenCashNano: number | undefined;
  writtenAdoptedNano = 0;
  writtenSteady: StoredSteady | undefined;
  writtenBaselines: KeptBaselines | undefined;
  /** With profits, holdings and prices. */
  writtenBaselinesText: string | undefined;
  baselinesAtMs: UnixMs | undefined;
  sweptAtMs: UnixMs | undefined;
}
