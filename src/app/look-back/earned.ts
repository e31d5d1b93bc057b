// What own fills of a time have earned, market by market, by the figures of `src/backtest`: between the price and the
// middle of the book, how that moved afterwards, and what is not known of it.

import {
  addParts,
  type Fill,
  MARKOUT_SEC,
  NO_PARTS,
  type Parts,
  profitOf,
} from '../../backtest/fills.ts';
import type { MarkoutCurve, Markouts, QueueRow } from '../../backtest/result.ts';
import { Tally } from '../../backtest/tally.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { StoredFill, StoredOrder } from '../../domain/record.ts';
import { unixMs } from '../../domain/time.ts';
import { fillKey, type NotedFill, type PastDays } from './past-days.ts';

/** The exact half ticks of every grid there is. */
const HALVES = 2_000;

export type MarketEarned = {
  readonly marketId: MarketId;
  readonly title: string | undefined;
  readonly fills: number;
  readonly boughtShares: number;
  readonly soldShares: number;
  /** Net shares of YES that these fills added. */
  readonly netShares: number;
  /** What YES is taken to be worth at the end: the last middle known, or the outcome; `undefined` where there is none. */
  readonly value: number | undefined;
  /** Of all fills at that value; `undefined` where it is not known. */
  readonly pnlUsdc: number | undefined;
  /** With `unsplitUsdc` they add up to it. */
  readonly parts: Parts;
  /** Profit of fills whose book nobody has written down: in `pnlUsdc`, and in no part. */
  readonly unsplitUsdc: number;
  readonly unsplitFills: number;
  /** Fills of which a look is missing, being too young or cut off by an end: that move is in the last part. */
  readonly cutFills: number;
  /** Fills that nobody reported, booked because the venue's amount said so: their price is an estimate. */
  readonly inferredFills: number;
  readonly inferredUsdc: number;
  /** Fills whose outcome nobody knows any more: in no figure. */
  readonly leftOutFills: number;
  /** Fills, or parts of them, whose settlement failed and that were taken back. */
  readonly bustShares: number;
  readonly markouts: readonly Markouts[];
  /** Shares of orders that rested, and of those that took; what failed on the chain is taken out. */
  readonly makerShares: number;
  readonly takerShares: number;
  /** Of orders that traded before they were seen to rest: on arrival, or very soon. */
  readonly unsureShares: number;
  /** Fills that made, by what stood before their orders when they came to rest. */
  readonly queue: readonly QueueRow[];
  readonly curves: readonly MarkoutCurve[];
};

export type Earned = {
  readonly markets: readonly MarketEarned[];
  readonly total: {
    readonly fills: number;
    /** Of the markets whose value is known. */
    readonly pnlUsdc: number;
    readonly parts: Parts;
    readonly unsplitUsdc: number;
    readonly inferredUsdc: number;
    /** Traded in, and without a value: their profit is in no sum. */
    readonly withoutValue: number;
    readonly leftOutFills: number;
  };
};

/** A fill of which not every look has come. */
export type OpenFill = {
  readonly fill: StoredFill;
  readonly line: NotedFill['line'];
  readonly middles: NotedFill['later'];
};

/** What a running market's fills come to at one moment. */
export type EarnedSoFar = Pick<
  MarketEarned,
  'parts' | 'unsplitUsdc' | 'makerShares' | 'takerShares' | 'unsureShares' | 'queue'
>;

/**
 * @param fills - Of the time in question, oldest first.
 * @param past - What was written down of the same days.
 */
export function earnedBy(fills: readonly StoredFill[], past: PastDays): Earned {
  const tally = new EarnedTally();
  for (const { fill, micro } of withoutBusts(fills, past)) {
    const noted = past.fills.get(fillKey(fill));
    const isYes = noted?.line.isYes ?? past.legs.get(fill.tokenId);
    tally.add(fill, { micro, isYes, noted });
  }
  return tally.earned(past);
}

type Left = { readonly fill: StoredFill; readonly micro: number };

/** What failed on the chain was the order's latest. */
function withoutBusts(fills: readonly StoredFill[], { busts }: PastDays): readonly Left[] {
  const open = new Map(busts);
  const left = fills.toReversed().map((fill): Left => {
    const bust = Math.min(open.get(fill.intentId) ?? 0, fill.quantity);
    if (bust > 0) open.set(fill.intentId, (open.get(fill.intentId) ?? 0) - bust);
    return { fill, micro: fill.quantity - bust };
  });
  return left.reverse();
}

type Sums = {
  readonly tally: Tally;
  readonly unsplit: Tally;
  readonly inferred: Tally;
  fills: number;
  unsplitFills: number;
  cutFills: number;
  inferredFills: number;
  leftOutFills: number;
  bought: number;
  sold: number;
  net: number;
  bust: number;
  made: number;
  took: number;
  unsure: number;
};

/** Sums by market: however many fills there are, it stays as small as it is. */
export class EarnedTally {
  readonly #markets = new Map<MarketId, Sums>();

  add(fill: StoredFill, of: Noted): void {
    const sums = this.#sumsOf(fill.marketId);
    const { micro, isYes, noted } = of;
    sums.fills += 1;
    sums.bust += fill.quantity - micro;
    if (micro === 0) return;
    if (isYes === undefined) {
      sums.leftOutFills += 1;
      return;
    }
    const own = fillOf(fill, { micro, isYes, noted });
    move(sums, own, micro);
    if (fill.isInferred === true) {
      sums.inferredFills += 1;
      sums.inferred.add(own);
    }
    if (typeof noted?.line.middle === 'number') {
      sums.tally.add(own);
      if (own.later.length < MARKOUT_SEC.length) sums.cutFills += 1;
      return;
    }
    sums.unsplitFills += 1;
    sums.unsplit.add(own);
  }

  /** What had been added, and failed on the chain: at its price it never happened, and it paid no fee. */
  takeBack(
    order: Priced & Pick<StoredOrder, 'marketId' | 'leg' | 'isTake'>,
    micro: number,
    takerFeeRate?: number,
  ): void {
    const sums = this.#sumsOf(order.marketId);
    const noted = fillOf(order, { micro, isYes: order.leg === 'yes', noted: undefined });
    const own = { ...noted, isTaker: order.isTake === true };
    const back = own.sign === 1 ? -1 : 1;
    sums.bust += micro;
    move(sums, own, -micro);
    sums.unsplit.add({ ...own, sign: back, feeUsdc: -feeUsdcOf(own, takerFeeRate) });
  }

  /**
   * Of one market at a value of YES, with those fills that are still looked at: looks that have not come are made now.
   */
  soFar(marketId: MarketId, value: number | undefined, open: readonly OpenFill[]): EarnedSoFar {
    const sums = this.#markets.get(marketId) ?? freshSums();
    const at = value === undefined ? undefined : value * HALVES;
    const own = open.map(({ fill, line, middles: later }) =>
      fillOf(fill, { micro: fill.quantity, isYes: line.isYes, noted: { line, later } }),
    );
    const known = own.filter((_, index) => open[index]?.line.middle !== null);
    const unknown = own.filter((_, index) => open[index]?.line.middle === null);
    const tally = known.length === 0 ? sums.tally : sums.tally.with(known, at);
    const unsplit = unknown.length === 0 ? sums.unsplit : sums.unsplit.with(unknown, at);
    const shares = (role: 'made' | 'took' | 'unsure'): number =>
      own.reduce(
        (sum, fill) => sum + (roleOf(fill) === role ? fill.quantityMicro : 0),
        sums[role],
      ) / 1e6;
    return {
      parts: tally.parts(at),
      unsplitUsdc: profitOf(unsplit.parts(at)),
      ...{ makerShares: shares('made'), takerShares: shares('took') },
      unsureShares: shares('unsure'),
      queue: tally.markouts.queueRows(HALVES),
    };
  }

  earned({ middles, markets }: Pick<PastDays, 'middles'> & EarnedTitles): Earned {
    const of = [...this.#markets].map(([id, sums]) =>
      marketEarned(id, sums, { title: markets.get(id)?.title, value: middles.get(id) }),
    );
    return { markets: of, total: totalOf(of) };
  }

  #sumsOf(marketId: MarketId): Sums {
    const known = this.#markets.get(marketId);
    if (known) return known;
    const fresh = freshSums();
    this.#markets.set(marketId, fresh);
    return fresh;
  }
}

function freshSums(): Sums {
  return {
    ...{ tally: new Tally(HALVES, 0), unsplit: new Tally(HALVES, 0) },
    inferred: new Tally(HALVES, 0),
    ...{ fills: 0, unsplitFills: 0, cutFills: 0, inferredFills: 0, leftOutFills: 0 },
    ...{ bought: 0, sold: 0, net: 0, bust: 0, made: 0, took: 0, unsure: 0 },
  };
}

type EarnedTitles = {
  readonly markets: ReadonlyMap<string, { readonly title: string | undefined }>;
};

/** The venue says of no fill who made and who took. */
function roleOf({ isTaker, aheadMicro }: Fill): 'took' | 'made' | 'unsure' {
  if (isTaker) return 'took';
  return aheadMicro === undefined ? 'unsure' : 'made';
}

function move(sums: Sums, fill: Fill, micro: number): void {
  const { sign } = fill;
  sums[roleOf(fill)] += micro;
  if (sign === 1) sums.bought += micro;
  else sums.sold += micro;
  sums.net += sign * micro;
}

function marketEarned(
  marketId: MarketId,
  sums: Sums,
  { title, value }: Pick<MarketEarned, 'title' | 'value'>,
): MarketEarned {
  const at = value === undefined ? undefined : value * HALVES;
  const parts = sums.tally.parts(at);
  const unsplitUsdc = profitOf(sums.unsplit.parts(at));
  return {
    ...{ marketId, title, fills: sums.fills },
    ...{ boughtShares: sums.bought / 1e6, soldShares: sums.sold / 1e6 },
    ...{ netShares: sums.net / 1e6, value, bustShares: sums.bust / 1e6 },
    pnlUsdc: at === undefined ? undefined : profitOf(parts) + unsplitUsdc,
    ...{ parts, unsplitUsdc, unsplitFills: sums.unsplitFills, cutFills: sums.cutFills },
    ...{ inferredFills: sums.inferredFills, leftOutFills: sums.leftOutFills },
    inferredUsdc: profitOf(sums.inferred.parts(at)),
    markouts: sums.tally.markouts.markouts(HALVES),
    ...{ makerShares: sums.made / 1e6, takerShares: sums.took / 1e6 },
    unsureShares: sums.unsure / 1e6,
    queue: sums.tally.markouts.queueRows(HALVES),
    curves: sums.tally.markouts.curves(HALVES),
  };
}

type Priced = Pick<StoredFill, 'side' | 'price' | 'ticksPerUnit' | 'marketId'>;

type Noted = {
  readonly micro: number;
  /** `undefined` where nobody knows it any more. */
  readonly isYes: boolean | undefined;
  readonly noted: NotedFill | undefined;
};

/** On the YES axis; where nobody has written the book down, its price stands for the middle. */
function fillOf(fill: Priced, { micro, isYes = true, noted }: Noted): Fill {
  const raw = (fill.price * HALVES) / fill.ticksPerUnit;
  const price = isYes ? raw : HALVES - raw;
  const takerFeeRate = noted?.line.takerFeeRate;
  const later: number[] = [];
  for (const middle of noted?.later ?? []) {
    if (middle === null) break;
    later.push(middle * HALVES);
  }
  return {
    ...{
      marketId: fill.marketId,
      atMs: unixMs(noted?.line.atMs ?? 0),
      quantityMicro: micro,
      price,
      later,
    },
    sign: (fill.side === 'BUY') === isYes ? 1 : -1,
    feeUsdc: feeUsdcOf({ price, quantityMicro: micro }, takerFeeRate),
    isTaker: noted?.line.isTake === true || takerFeeRate !== undefined,
    aheadMicro: noted?.line.aheadMicro,
    middle: typeof noted?.line.middle === 'number' ? noted.line.middle * HALVES : price,
    isSettled: true,
  };
}

/** A taker pays r p (1 - p) a share. */
function feeUsdcOf(
  { price, quantityMicro }: Pick<Fill, 'price' | 'quantityMicro'>,
  rate = 0,
): number {
  const part = price / HALVES;
  return rate * part * (1 - part) * (quantityMicro / 1e6);
}

function totalOf(markets: readonly MarketEarned[]): Earned['total'] {
  const sum = (of: (market: MarketEarned) => number): number =>
    markets.reduce((total, market) => total + of(market), 0);
  const valued = markets.filter(({ pnlUsdc }) => pnlUsdc !== undefined);
  return {
    fills: sum(({ fills }) => fills),
    pnlUsdc: sum(({ pnlUsdc = 0 }) => pnlUsdc),
    parts: valued.reduce((parts, market) => addParts(parts, market.parts), NO_PARTS),
    unsplitUsdc: valued.reduce((total, market) => total + market.unsplitUsdc, 0),
    inferredUsdc: valued.reduce((total, market) => total + market.inferredUsdc, 0),
    withoutValue: markets.length - valued.length,
    leftOutFills: sum(({ leftOutFills }) => leftOutFills),
  };
}
