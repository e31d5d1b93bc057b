// Known times: news of the calendar, and hours in which nobody watches.

import type { NewsWindow, OverlaySettings, QuietHours } from '../../../domain/overlays.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { Quote } from '../../../strategy/index.ts';
import { defined, movedBack } from '../../risk/latches.ts';
import {
  type Guard,
  type Guarded,
  onlyReducing,
  pulled,
  type Situation,
  shrunk,
  untouched,
} from './guard.ts';

const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1_440;

/** Quotes widen before a window of the calendar, and are pulled shortly before and inside it. */
export const guardNews: Guard<'news'> = (quotes, situation, settings) => {
  const { venueMs } = situation;
  const isIn = (window: NewsWindow, beforeMs: number) =>
    venueMs >= window.fromMs - beforeMs && venueMs <= window.toMs;
  const near = settings.windows.find((window) => isIn(window, settings.pullBeforeMs));
  if (near !== undefined) {
    const clears = `the window ends in ${secondsTo(near.toMs, venueMs)} s`;
    return pulled({ guard: 'news', code: 'news_window', detail: near.name, clears });
  }
  const ahead = settings.windows.find((window) => isIn(window, settings.widenBeforeMs));
  return ahead === undefined ? untouched(quotes) : widened(quotes, situation, { settings, ahead });
};

function widened(
  quotes: readonly Quote[],
  { grid, fair, venueMs }: Situation,
  by: { readonly settings: OverlaySettings['news']; readonly ahead: NewsWindow },
): Guarded {
  const { name, fromMs } = by.ahead;
  const clears = `the window begins in ${secondsTo(fromMs, venueMs)} s and ends`;
  const reason = { guard: 'news', code: 'news_ahead', detail: name, clears } as const;
  // Without a fair value there is no distance to widen, and no way to know what is far enough.
  if (fair === undefined) return pulled(reason);
  const fairTicks = fair.price * grid.ticksPerUnit;
  const kept = quotes.map((quote) => {
    const distance = Math.max(0, Math.abs(quote.price - fairTicks));
    return movedBack(grid, quote, Math.ceil(distance * (by.settings.widenFactor - 1)));
  });
  return { quotes: defined(kept), reasons: [{ ...reason, side: 'both', effect: 'moved' }] };
}

/** No quotes, or reducing ones only, in the quiet hours of each day. */
export const guardQuiet: Guard<'quiet'> = (quotes, { venueMs, grid, net }, settings) => {
  const minute = Math.floor(venueMs / MINUTE_MS) % MINUTES_OF_DAY;
  const hours = settings.hours.find((each) => isWithin(minute, each));
  if (hours === undefined) return untouched(quotes);
  const reason = {
    guard: 'quiet',
    code: 'quiet_hours',
    detail: `from ${clockText(hours.fromMinute)} to ${clockText(hours.toMinute)} UTC`,
    clears: `${clockText(hours.toMinute)} UTC`,
  } as const;
  return settings.reduces ? onlyReducing({ grid, net }, quotes, reason) : pulled(reason);
};

function isWithin(minute: number, { fromMinute, toMinute }: QuietHours): boolean {
  if (fromMinute <= toMinute) return minute >= fromMinute && minute < toMinute;
  return minute >= fromMinute || minute < toMinute;
}

function clockText(minute: number): string {
  const two = (count: number) => String(count).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function secondsTo(atMs: UnixMs, venueMs: UnixMs): number {
  return Math.max(0, Math.ceil((atMs - venueMs) / 1_000));
}

// The end of a market: sizes taper, then only reducing quotes, then none. A share held to the end is
// worth all or nothing, and settlement of what was matched still takes its time after the halt.

/** The parts of a known duration that bound taper, reduce-only and halt from above. */
const TAPER_PART = 0.2;
const REDUCE_PART = 0.1;
const HALT_PART = 0.05;
/** Even the shortest market is left this long before its end. */
const HALT_MS_MIN = 15_000;

export const guardLife: Guard<'life'> = (quotes, { life, grid, net }, settings) => {
  const { leftMs } = life;
  if (leftMs === undefined) return untouched(quotes);
  const { taperMs, reduceOnlyMs, haltMs } = boundaries(settings, life.durationMs);
  const clears = 'nothing: the market comes to its end';
  const detail = `${Math.ceil(leftMs / 1_000)} s before the expiry`;
  if (leftMs <= haltMs) return pulled({ guard: 'life', code: 'near_expiry', detail, clears });
  if (leftMs <= reduceOnlyMs) {
    return onlyReducing({ grid, net }, quotes, {
      guard: 'life',
      code: 'expiry_reduce_only',
      detail,
      clears,
    });
  }
  if (leftMs >= taperMs) return untouched(quotes);
  const progress = (leftMs - reduceOnlyMs) / Math.max(1, taperMs - reduceOnlyMs);
  const part = settings.taperTo + (1 - settings.taperTo) * progress;
  const kept = quotes.map((quote) => (quote.purpose === 'add' ? shrunk(quote, part) : quote));
  const reason = { guard: 'life', code: 'expiry_taper', detail, clears } as const;
  return { quotes: defined(kept), reasons: [{ ...reason, side: 'both', effect: 'smaller' }] };
};

function boundaries(settings: OverlaySettings['life'], durationMs: number | undefined) {
  const { taperMs, reduceOnlyMs, haltMs } = settings;
  if (durationMs === undefined) return { taperMs, reduceOnlyMs, haltMs };
  return {
    taperMs: Math.min(taperMs, TAPER_PART * durationMs),
    reduceOnlyMs: Math.min(reduceOnlyMs, REDUCE_PART * durationMs),
    haltMs: Math.min(haltMs, Math.max(HALT_PART * durationMs, HALT_MS_MIN)),
  };
}
