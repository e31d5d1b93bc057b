// External prices come in as inputs: checked, matched to a market, and kept by it.

import type { FairTarget, Input } from '../../domain/input.ts';
import { unixMs } from '../../domain/time.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

type FairInput = Extract<Input, { kind: 'fair' }>;

/** Gives an external price to the market it is about; one that fits none, or is none, is reported. */
export function onFair(world: World, input: FairInput): void {
  const market = targetOf(world, input.target);
  if (market === undefined) {
    refuse(world, input, 'no quoted market of this name');
    return;
  }
  const { price, logOddsVar } = input;
  // A source whose clock runs ahead would otherwise never seem old.
  const statedAtMs = input.statedAtMs ?? input.atMs;
  const atMs = unixMs(Math.min(statedAtMs, world.nowMs));
  if (!market.insight.external.take({ price, logOddsVar, atMs })) {
    refuse(world, input, `${price} is no probability, or older than the last one`);
    return;
  }
  market.isDirty = true;
}

function targetOf(world: World, target: FairTarget): MarketState | undefined {
  if (target.kind === 'market') return world.markets.get(target.marketId);
  const found = [...world.markets.values()].filter(
    (each) =>
      (each.event.slug === target.event || each.event.id === target.event) &&
      (target.market === undefined || each.market.id === target.market),
  );
  // One price for several markets could only be right for one of them.
  return found.length === 1 ? found[0] : undefined;
}

function refuse(world: World, { target }: FairInput, detail: string): void {
  const names =
    target.kind === 'market' ? target.marketId : `${target.event} ${target.market ?? ''}`;
  world.outbox.report({ event: 'fair.refused', target: names.trim(), detail });
}
