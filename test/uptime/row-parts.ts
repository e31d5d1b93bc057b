// What rows on the venue double share: how long their faults last, and how they begin and end.

import { DoubleFloor } from './rig/double-floor.ts';
import { type Scene, waitFor } from './rig/run-row.ts';
import type { DoubleOptions, Switches } from './venue-double/options.ts';

export type DoubleScene = Scene & { readonly floor: DoubleFloor };

/** How long each fault lasts. */
export type Pace = {
  readonly calmSec: number;
  readonly busySec: number;
  readonly beforeFaultMs: number;
  readonly outageMs: number;
  readonly lostMs: number;
  readonly busts: number;
  readonly bustMs: number;
  readonly ceilingMs: number;
  readonly drifts: readonly (1 | -1)[];
  readonly pauseMs: number;
  readonly restrictedMs: number;
  readonly failingCancelsMs: number;
};

export const LONG: Pace = {
  calmSec: 15,
  busySec: 40,
  beforeFaultMs: 3_000,
  outageMs: 12_000,
  lostMs: 10_000,
  busts: 3,
  bustMs: 3_000,
  ceilingMs: 12_000,
  drifts: [1, 1, -1, -1],
  pauseMs: 17_000,
  restrictedMs: 10_000,
  failingCancelsMs: 15_000,
};

/** For the scenes. */
export const SHORT: Pace = {
  calmSec: 1,
  busySec: 11,
  beforeFaultMs: 1_000,
  outageMs: 12_000,
  lostMs: 4_000,
  busts: 1,
  bustMs: 1_500,
  ceilingMs: 3_000,
  drifts: [1],
  pauseMs: 4_000,
  restrictedMs: 4_000,
  failingCancelsMs: 4_000,
};

export function opened(options: Partial<DoubleOptions> = {}, switches: Partial<Switches> = {}) {
  return async () => await DoubleFloor.start(options, switches);
}

/** @returns From now to both sides of all markets. */
export async function backMs(
  { floor, judge }: DoubleScene,
  withinMs: number,
): Promise<number | undefined> {
  const overMs = Date.now();
  judge.onFaultsOver();
  const isBack = await waitFor(() => hasBothSides(floor), withinMs);
  return isBack ? Date.now() - overMs : undefined;
}

function hasBothSides(floor: DoubleFloor): boolean {
  return Array.from({ length: floor.marketCount }, (_, market) => market).every(
    (market) => new Set(floor.bot(market).resting.map(({ axisSide }) => axisSide)).size === 2,
  );
}
