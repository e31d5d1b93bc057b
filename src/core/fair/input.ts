// External prices come in as inputs: checked, matched to a market, and kept by it.

import type { FairTarget, Input } from '../../domain/input.ts';
import { unixMs } from '../../domain/time.ts';
import type { KernelStores } from '../kernel/stores.ts';
import type { PricedMarket } from './market.ts';
import type { FairStores } from './stores.ts';

/** Targets remembered as unknown, so that each is told once; as many as there may be feeds. */
const UNKNOWN_MAX = 1_000;

/** Gives an external price to the market it is about; one that fits none, or is none, is reported. */
export function onFair(stores: FairStores, input: Extract<Input, { kind: 'fair' }>): void {
  const market = targetOf(stores, input.target);
  if (market === undefined) return;
  const { price, logOddsVar } = input;
  // A source whose clock runs ahead would otherwise never seem old.
  const statedAtMs = input.statedAtMs ?? input.atMs;
  const atMs = unixMs(Math.min(statedAtMs, stores.nowMs));
  const take = market.insight.external.take({ price, logOddsVar, atMs });
  if (take === 'refused') {
    refuse(stores, input.target, `${price} is no probability, or older than the last one`);
  }
  if (take === 'taken') market.isDirty = true;
}

/** The source of an external price fails: its market says so, and may lose the price at once. */
export function onFairFault(
  stores: FairStores,
  input: Extract<Input, { kind: 'fairFault' }>,
): void {
  const market = targetOf(stores, input.target);
  if (market === undefined) return;
  const { fault, isWithdrawn } = input;
  if (market.insight.external.fail({ detail: fault, isWithdrawn })) market.isDirty = true;
}

/** The one market that is meant; what is meant by none is told once until it is known. */
function targetOf(stores: FairStores, target: FairTarget): PricedMarket | undefined {
  const found = marketsOf(stores, target);
  const name = nameOf(target);
  const [market] = found;
  // One price for several markets could only be right for one of them.
  if (market !== undefined && found.length === 1) {
    stores.unknownFairs.delete(name);
    return market;
  }
  // Before the catalogue is read no market is known, and that is no mistake.
  if (stores.catalogue === undefined || stores.unknownFairs.has(name)) return undefined;
  if (stores.unknownFairs.size < UNKNOWN_MAX) stores.unknownFairs.add(name);
  const several = `${found.length} quoted markets have this name; name one of them`;
  refuse(stores, target, found.length > 1 ? several : 'no quoted market of this name');
  return undefined;
}

function marketsOf(stores: FairStores, target: FairTarget): readonly PricedMarket[] {
  if (target.kind === 'market') {
    const market = stores.markets.get(target.marketId);
    return market === undefined ? [] : [market];
  }
  return [...stores.markets.values()].filter(
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

function refuse(stores: KernelStores, target: FairTarget, detail: string): void {
  stores.outbox.report({ event: 'fair.refused', target: nameOf(target), detail });
}
