// The end of a market: sizes taper, then only reducing quotes, then none. A share held to the end is
// worth all or nothing, and settlement of what was matched still takes its time after the halt.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import { defined } from '../../risk/quote-cuts.ts';
import { type Guard, onlyReducing, pulled, shrunk, untouched } from './guard.ts';

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
