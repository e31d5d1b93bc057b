// External prices of markets, as an edge read them: checked, matched to a market, and for how long the newest of each counts.

import type { FairTarget, Input } from '../../domain/input.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { ExternalSource } from '../../strategy/index.ts';
import type { ListedMarket } from '../kernel/market.ts';
import type { KernelStores } from '../kernel/stores.ts';

export type ExternalPrice = {
  /** Probability of YES, strictly between 0 and 1. */
  readonly price: number;
  readonly logOddsVar: number | undefined;
  /** When its source stated it, or when the edge read it. */
  readonly atMs: UnixMs;
};

type Fault = { readonly detail: string; readonly isWithdrawn: boolean };

/** Keeps the newest statement of one market's price, and what is wrong with its source. */
export class ExternalFeed {
  #latest: ExternalPrice | undefined;
  #fault: Fault | undefined;

  /** Out of order or impossible statements are not taken. @returns `same` when it was known already. */
  take(statement: ExternalPrice): 'taken' | 'same' | 'refused' {
    const isPossible = statement.price > 0 && statement.price < 1;
    const { logOddsVar } = statement;
    const isCertain = logOddsVar !== undefined && !(logOddsVar > 0 && Number.isFinite(logOddsVar));
    if (!isPossible || isCertain) return 'refused';
    const latest = this.#latest;
    if (latest !== undefined && statement.atMs < latest.atMs) return 'refused';
    const isSame = latest !== undefined && isEqual(latest, statement) && this.#fault === undefined;
    this.#latest = statement;
    this.#fault = undefined;
    return isSame ? 'same' : 'taken';
  }

  /** @returns Whether this is new. */
  fail(fault: Fault): boolean {
    const isSame =
      this.#fault?.detail === fault.detail && this.#fault.isWithdrawn === fault.isWithdrawn;
    this.#fault = fault;
    // Another source may speak next, whose last word is older than that of the one before.
    if (fault.isWithdrawn) this.#latest = undefined;
    return !isSame;
  }

  /** The price while it is fresh enough; an outage is an absence, never the last value for ever. */
  at(nowMs: UnixMs, ageMsMax: number): ExternalPrice | undefined {
    if (this.#latest === undefined || nowMs - this.#latest.atMs > ageMsMax) return undefined;
    return this.#latest;
  }

  /** `undefined` while nobody ever reported a price. */
  sourceAt(nowMs: UnixMs): ExternalSource | undefined {
    if (this.#latest === undefined && this.#fault === undefined) return undefined;
    return {
      ageMs: this.#latest === undefined ? undefined : Math.max(0, nowMs - this.#latest.atMs),
      fault: this.#fault?.detail,
    };
  }
}

function isEqual(one: ExternalPrice, other: ExternalPrice): boolean {
  return (
    one.price === other.price && one.atMs === other.atMs && one.logOddsVar === other.logOddsVar
  );
}

/** A market that keeps its external price. */
type FedMarket = ListedMarket & { readonly insight: { readonly external: ExternalFeed } };

/** What is known of prices from outside the venue beside what each market keeps. */
export interface ExternalStores<Market extends FedMarket = FedMarket> extends KernelStores<Market> {
  /** Targets of external prices that fit no market, so that each is told once. */
  readonly unknownFairs: Set<string>;
}

/** Targets remembered as unknown, so that each is told once; as many as there may be feeds. */
const UNKNOWN_MAX = 1_000;

/** Gives an external price to the market it is about; one that fits none, or is none, is reported. */
export function onFair(stores: ExternalStores, input: Extract<Input, { kind: 'fair' }>): void {
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
  stores: ExternalStores,
  input: Extract<Input, { kind: 'fairFault' }>,
): void {
  const market = targetOf(stores, input.target);
  if (market === undefined) return;
  const { fault, isWithdrawn } = input;
  if (market.insight.external.fail({ detail: fault, isWithdrawn })) market.isDirty = true;
}

/** The one market that is meant; what is meant by none is told once until it is known. */
function targetOf(stores: ExternalStores, target: FairTarget): FedMarket | undefined {
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

function marketsOf(stores: ExternalStores, target: FairTarget): readonly FedMarket[] {
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
