// What was last written to the journal, to see what has drifted since: the notes that `records.ts` works from.

import type { MarketId } from '../../domain/ids.ts';
import type { StoredFlows, StoredSteady } from '../../domain/record.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { KeptBaselines } from '../risk/baselines.ts';

export class Written {
  readonly flows = new Map<MarketId, StoredFlows>();
  readonly memories = new Map<string, unknown>();
  cashNano: number | undefined;
  adoptedNano = 0;
  steady: StoredSteady | undefined;
  baselines: KeptBaselines | undefined;
  /** With profits, holdings and prices. */
  baselinesText: string | undefined;
  baselinesAtMs: UnixMs | undefined;
  sweptAtMs: UnixMs | undefined;
}
