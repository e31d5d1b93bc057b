// Takers who know better: quotes that keep losing are pulled, moved back and made smaller.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import type { UnixMs } from '../../../domain/time.ts';
import type { AxisSide, Quote } from '../../../strategy/index.ts';
import { defined, movedBack } from '../../risk/latches.ts';
import { type Guarded, type GuardReason, type Situation, shrunk, withoutSide } from './guard.ts';

export type ToxicityState = Readonly<Record<AxisSide, UnixMs | undefined>>;

export const NO_TOXICITY: ToxicityState = { bid: undefined, ask: undefined };

export function guardToxicity(
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings['toxicity'],
  before: ToxicityState,
): Guarded & { readonly state: ToxicityState } {
  const state = {
    bid: pulledSince('bid', situation, { settings, before }),
    ask: pulledSince('ask', situation, { settings, before }),
  };
  let guarded = movedAndShrunk(quotes, situation, settings);
  for (const side of ['bid', 'ask'] as const) {
    const sinceMs = state[side];
    if (sinceMs === undefined) continue;
    const leftMs = sinceMs + settings.pullMs - situation.nowMs;
    const cut = withoutSide(guarded.quotes, side, {
      guard: 'toxicity',
      code: 'toxic_flow',
      detail: `${settings.losses} fills lost a tick within 10 s`,
      clears: `looked at again in ${Math.ceil(leftMs / 1_000)} s`,
    });
    guarded = { quotes: cut.quotes, reasons: [...guarded.reasons, ...cut.reasons] };
  }
  return { ...guarded, state };
}

/** Since when a side is pulled; losses that led to a pull do not lead to the next one. */
function pulledSince(
  side: AxisSide,
  { nowMs, quickLosses }: Situation,
  of: { readonly settings: OverlaySettings['toxicity']; readonly before: ToxicityState },
): UnixMs | undefined {
  const { settings, before } = of;
  const known = before[side];
  if (known !== undefined && nowMs - known < settings.pullMs) return known;
  const sinceMs = Math.max(nowMs - settings.windowMs, (known ?? 0) + 1);
  return quickLosses(side, sinceMs) >= settings.losses ? nowMs : undefined;
}

function movedAndShrunk(
  quotes: readonly Quote[],
  { toxicity, grid }: Situation,
  settings: OverlaySettings['toxicity'],
): Guarded {
  const lossUsdc = Math.max(0, -(toxicity.markout60sUsdc ?? 0));
  const isKnown = toxicity.informedShare !== undefined && lossUsdc > 0;
  const backTicks = Math.ceil(settings.widenWeight * lossUsdc * grid.ticksPerUnit);
  const part = settings.shrinks ? 1 / (1 + lossUsdc * grid.ticksPerUnit) : 1;
  if (!isKnown || (backTicks === 0 && part === 1)) return { quotes, reasons: [] };
  const changed = quotes.map((quote) => {
    const back = movedBack(grid, quote, backTicks);
    return back === undefined ? undefined : shrunk(back, part);
  });
  const reason: GuardReason = {
    guard: 'toxicity',
    side: 'both',
    code: 'toxic_markouts',
    detail: `fills lose ${lossUsdc.toFixed(4)} USDC per share within 60 s`,
    clears: 'fills stop losing',
    effect: backTicks > 0 ? 'moved' : 'smaller',
  };
  return { quotes: defined(changed), reasons: [reason] };
}
