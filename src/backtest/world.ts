// Where a backtest takes place: a recording, or a synthetic crowd.

import type { VirtualClock } from '../clock/virtual.ts';
import type { MarketId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import type { UnixMs } from '../domain/time.ts';
import type { Desk } from '../paper/exchange/desk.ts';
import type { WorthOf } from './watch.ts';

export type WorldProgress = {
  readonly fromMs: number;
  readonly atMs: number;
  /** Where it ends, as far as that is known. */
  readonly toMs: number | undefined;
  /** How much of it was read, 0 to 1, where the end is not known. */
  readonly readPart?: number;
};

export type Stage = { readonly desk: Desk; readonly clock: VirtualClock };

/** Waited for, so that others get their turn; what it throws ends the run. */
export type OnProgress = (progress: WorldProgress) => void | Promise<void>;

/** One world serves one run. */
export interface World {
  readonly name: string;
  readonly events: readonly Event[];
  readonly startsAtMs: UnixMs;
  /** Lays what is there at the start before the exchange; called some seconds earlier. */
  open(stage: Stage): void;
  /**
   * Moves the clock from the start to the end.
   * @throws {BotError} `replay.file` for a recording that cannot be read on.
   */
  play(onProgress: OnProgress): Promise<void>;
  /** Ends all trading; outcomes that are known are settled. */
  close(): void;
  worthOf(marketId: MarketId): ReturnType<WorthOf>;
  counts(): {
    readonly frames: number;
    readonly badLines: number;
    readonly badLineExamples: readonly string[];
  };
}
