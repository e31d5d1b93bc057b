// External prices come in as inputs: checked, matched to a market, and kept by it.

import type { FairTarget, Input } from '../../domain/input.ts';
import { unixMs } from '../../domain/time.ts';
import type { MarketState } from '../market.ts';
import type { World } from '../world.ts';

type FairInput = Extract<Input, { kind: 'fair' }>;
type FaultInput = Extract<Input, { kind: 'fairFault' }>;

/** Targets remembered as unknown, so that each is told once; as many as there may be feeds. */
const UNKNOWN_MAX = 1_000;

/** Gives an external price to the market it is about; one that fits none, or is none, is reported. */
export function onFair(world: World, input: FairInput): void {
  const market = targetOf(world, input.target);
  if (market === undefined) return;
  const { price, logOddsVar } = input;
  // A source whose clock runs ahead would otherwise never seem old.
  const statedAtMs = input.statedAtMs ?? input.atMs;
  const atMs = unixMs(Math.min(statedAtMs, world.nowMs));
  const take = market.insight.external.take({ price, logOddsVar, atMs });
  if (take === 'refused') {
    refuse(world, input.target, `${price} is no probability, or older than the last one`);
  }
  if (take === 'taken') market.isDirty = true;
}

/** The source of an external price fails: its market says so, and may lose the price at once. */
export function onFairFault(world: World, input: FaultInput): void {
  const market = targetOf(world, input.target);
  if (market === undefined) return;
  const { fault, isWithdrawn } = input;
  if (market.insight.external.fail({ detail: fault, isWithdrawn })) market.isDirty = true;
}

/** The one market that is meant; what is meant by none is told once until it is known. */
function targetOf(world: World, target: FairTarget): MarketState | undefined {
  const found = marketsOf(world, target);
  const name = nameOf(target);
  const [market] = found;
  // One price for several markets could only be right for one of them.
  if (market !== undefined && found.length === 1) {
    world.unknownFairs.delete(name);
    return market;
  }
  // Before the catalogue is read no market is known, and that is no mistake.
  if (world.catalogue === undefined || world.unknownFairs.has(name)) return undefined;
  if (world.unknownFairs.size < UNKNOWN_MAX) world.unknownFairs.add(name);
  const several = `${found.length} quoted markets have this name; name one of them`;
  refuse(world, target, found.length > 1 ? several : 'no quoted market of this name');
  return undefined;
}

function marketsOf(world: World, target: FairTarget): readonly MarketState[] {
  if (target.kind === 'market') {
    const market = world.markets.get(target.marketId);
    return market === undefined ? [] : [market];
  }
  return [...world.markets.values()].filter(
    (each) =>
      (each.event.slug === target.event || each.event.id === target.event) &&
      (target.market === undefined || each.market.id === target.market),
  );
}

function nameOf(target: FairTarget): string {
  return target.kind === 'market'
    ? target.marketId
    : `${target.event} ${target.market ?? ''}`.trim();
}

function refuse(world: World, target: FairTarget, detail: string): void {
  world.outbox.report({ event: 'fair.refused', target: nameOf(target), detail });
}
