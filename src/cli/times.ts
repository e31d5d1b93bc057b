// Moments as people type them.

import { InvalidArgumentError } from 'commander';
import { systemClock } from '../clock/system.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';

export const TIMES =
  'as 2026-11-23, 2026-11-23T10:00, "2026-11-23 10:00:00", today, yesterday, or 90m, 12h, 7d ago; UTC unless it says a zone';

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** UTC where no zone is said. */
export function parseTime(text: string): UnixMs {
  const at = timeOf(text.trim().toLowerCase(), systemClock().nowMs());
  if (at === undefined) throw new InvalidArgumentError(`not a time, ${TIMES}`);
  return unixMs(at);
}

/** A moment by one of its forms; `undefined` where it has none of them. */
export function timeOf(text: string, nowMs: number): number | undefined {
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (text === 'now') return nowMs;
  if (text === 'today') return midnight;
  if (text === 'yesterday') return midnight - DAY_MS;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return Math.max(0, nowMs - Number(count) * (UNITS_MS[unit] ?? 0));
  }
  return dateOf(text);
}

function dateOf(text: string): number | undefined {
  const [, day, time = '00:00', zone = 'z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?))?(z|[+-]\d{2}:\d{2})?$/.exec(
      text,
    ) ?? [];
  if (day === undefined) return undefined;
  const atMs = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  // 2026-02-30 is no day, and not the second of March.
  return Number.isNaN(atMs) || !isRealDay(day) ? undefined : atMs;
}

function isRealDay(day: string): boolean {
  const atMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}
