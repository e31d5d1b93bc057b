// What holds trading back, and which limits are nearly used, as lines for people.

import { typedClears } from './again.ts';
import { PLAIN } from './paint.ts';
import type { ShownRisk, ShownState } from './state-schema.ts';
import { duration, type Shown } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** A limit this full is worth a line of its own. */
const NEARLY = 0.8;

/** One line for each latch, and one for each limit that is nearly used. */
export function riskLines(
  state: Pick<ShownState, 'atMs' | 'risk'>,
  shown: Shown,
): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  if (state.risk === undefined) return [];
  const held = state.risk.latches.map((latch) =>
    paint.bad(clip(latchText(latch, state.atMs, shown), shown.width)),
  );
  const near = state.risk.controls
    .filter(isNearlyUsed)
    .map((control) => paint.careful(clip(harmless(controlText(control)), shown.width)));
  return [...held, ...near];
}

function latchText(latch: ShownRisk['latches'][number], atMs: number, { resume }: Shown): string {
  const { level, scope, owner, detail } = latch;
  const clears = typedClears(latch.clears, resume);
  const since = duration(Math.max(0, atMs - latch.sinceMs));
  return harmless(
    `risk ${level} on ${scope} by ${owner} for ${since}: ${detail}; clears: ${clears}`,
  );
}

function isNearlyUsed({ value, limit, level }: ShownRisk['controls'][number]): boolean {
  if (value === undefined) return false;
  return level !== 'normal' || Number(value) / Number(limit) >= NEARLY;
}

function controlText({ control, value, limit, unit }: ShownRisk['controls'][number]): string {
  const text = (amount: string) => (unit === 'usdc' ? Number(amount).toFixed(2) : amount);
  return `limit ${control}: ${text(value ?? '0')} of ${text(limit)} ${unit}`;
}
