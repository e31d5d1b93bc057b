// All guards in their order: those that end everything first, those that trim last.

import type { OverlaySettings } from '../../../domain/overlays.ts';
import type { Quote } from '../../../strategy/index.ts';
import { guardLife, guardNews, guardQuiet } from './calendar.ts';
import type { Guarded, GuardReason, Situation } from './guard.ts';
import { guardBoundary, guardInventory } from './inventory.ts';
import { guardJump, type JumpState, NO_JUMP } from './jump.ts';
import { guardShape, type ShapeState } from './shape.ts';
import { guardToxicity, NO_TOXICITY, type ToxicityState } from './toxicity.ts';

/** What the guards of one market remember between two decisions: plain data of fixed size. */
export type OverlayState = {
  readonly jump: JumpState;
  readonly shape: ShapeState;
  readonly toxicity: ToxicityState;
};

export const NO_OVERLAY_STATE: OverlayState = {
  jump: NO_JUMP,
  shape: undefined,
  toxicity: NO_TOXICITY,
};

/** Sends the quotes of one market through all guards that are switched on. */
export function overlaid(
  quotes: readonly Quote[],
  situation: Situation,
  settings: OverlaySettings,
  before: OverlayState,
): Guarded & { readonly state: OverlayState } {
  const reasons: GuardReason[] = [];
  const take = (guarded: Guarded): readonly Quote[] => {
    reasons.push(...guarded.reasons);
    return guarded.quotes;
  };
  let left = quotes;
  if (settings.life.enabled) left = take(guardLife(left, situation, settings.life));
  if (settings.news.enabled) left = take(guardNews(left, situation, settings.news));
  if (settings.quiet.enabled) left = take(guardQuiet(left, situation, settings.quiet));
  let { jump, shape, toxicity } = before;
  if (settings.jump.enabled) {
    const guarded = guardJump(left, situation, settings.jump, jump);
    left = take(guarded);
    jump = guarded.state;
  }
  if (settings.shape.enabled) {
    const guarded = guardShape(left, situation, settings.shape, shape);
    left = take(guarded);
    shape = guarded.state;
  }
  if (settings.toxicity.enabled) {
    const guarded = guardToxicity(left, situation, settings.toxicity, toxicity);
    left = take(guarded);
    toxicity = guarded.state;
  }
  if (settings.boundary.enabled) left = take(guardBoundary(left, situation, settings.boundary));
  if (settings.inventory.enabled) left = take(guardInventory(left, situation, settings.inventory));
  return { quotes: left, reasons, state: { jump, shape, toxicity } };
}
