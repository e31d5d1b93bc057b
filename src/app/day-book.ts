// Writes down, for those who look back, what the ledger has no place for: the book at each fill and a while after it,
// orders that ended, uptime and profit now and then, and what happened. It looks on: nothing waits for it.

import { MARKOUT_SEC } from '../backtest/fills.ts';
import type { MarketId } from '../domain/ids.ts';
import { isTerminal } from '../domain/order.ts';
import type { LedgerRecord, StoredFill, StoredOrder } from '../domain/record.ts';
import { REPORT_SEVERITY, type Report, type ReportEvent } from '../domain/report.ts';
import { formatShares } from '../domain/shares.ts';
import { formatPrice, tickGrid } from '../domain/ticks.ts';
import type { Clock, Timers } from '../domain/time.ts';
import type { MarketView, PickMarkets, StateView, UptimeView } from '../domain/view.ts';
import { dayOf } from '../journal/days/day-files.ts';
import type { DayLineOf, DayMarket } from '../journal/days/day-line.ts';
import type { DayWriter } from '../journal/days/day-writer.ts';
import { type Earned, type EarnedSoFar, EarnedTally } from './look-back/earned.ts';

export type DayBookNeeds = {
  readonly days: Pick<DayWriter, 'write'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly version: string;
  readonly view: (pick?: PickMarkets) => StateView;
  /** r of the fee that takers pay in a market, where the configuration says it. */
  readonly takerFeeRateOf: (market: MarketView) => number | undefined;
  /** Orders that a previous run left: what had failed of them by then is written down. */
  readonly left?: readonly StoredOrder[] | undefined;
};

/** A year of twenty markets is some hundred megabytes. */
export const SAMPLE_MS = 600_000;
/** One so soon after the start, so that a short run is not without any, and after a market is resolved. */
const SOON_SAMPLE_MS = 20_000;
/** A burst of fills beyond this goes without its later looks. */
const WATCHED_FILLS_MAX = 2_000;
/** Each look at books is made of the whole state, which takes milliseconds with a thousand markets: those of a burst go together. */
const LOOK_GAP_MS = 50;
/** Intents that are remembered for what came of them. */
const REMEMBERED_MAX = 10_000;
/** Of one kind of event on one day: what repeats itself says nothing new. */
const EVENTS_OF_A_DAY = 500;
/** Beside all that warn. */
const TOLD: ReadonlySet<ReportEvent> = new Set([
  'phase.changed',
  'settings.applied',
  'start.cleared',
  'sets.changed',
]);

type Watched = {
  readonly fill: StoredFill;
  readonly line: DayLineOf<'fill'>;
  readonly middles: (number | null)[];
};

export class DayBook {
  readonly #needs: DayBookNeeds;
  readonly #tally = new EarnedTally();
  readonly #titles = new Map<string, { readonly title: string }>();
  /** Of this turn. */
  #fills: StoredFill[] = [];
  /** Fills that are still looked at, by market. */
  readonly #watched = new Map<MarketId, Set<Watched>>();
  #watchedCount = 0;
  /** Those whose next look has come. */
  #due: Watched[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  readonly #lastMiddles = new Map<string, number>();
  /** Of YES, once they are known. */
  readonly #outcomes = new Map<string, number>();
  /** Intents of what was sent to take, with r of the fee of those that have traded. */
  readonly #takes = new Map<string, number | undefined>();
  readonly #failed = new Map<string, number>();
  readonly #told = new Map<string, string>();
  #events = { day: '', counts: new Map<string, number>() };
  #callOffSoon: (() => void) | undefined;
  #callOffSample: () => void = () => {};
  #isClosed = false;

  constructor(needs: DayBookNeeds) {
    this.#needs = needs;
    for (const { intentId, failed = 0 } of needs.left ?? []) this.#failed.set(intentId, failed);
    needs.days.write({ kind: 'run', atMs: needs.clock.nowMs(), version: needs.version });
    this.#sampleSoon();
    this.#armSample();
  }

  onRecord(record: LedgerRecord): void {
    if (record.kind === 'fill') this.#fills.push(record.fill);
    if (record.kind === 'order') quietly(() => this.#onOrder(record.order));
  }

  /** Behind what the turn has sent: books are looked at. */
  onTurn(): void {
    if (this.#fills.length === 0) return;
    const fills = this.#fills;
    this.#fills = [];
    quietly(() => {
      const markets = this.#marketsOf(fills.map(({ marketId }) => marketId));
      for (const fill of fills) this.#onFill(fill, markets.get(fill.marketId));
    });
  }

  onReport(report: Report): void {
    const { event, ...fields } = report;
    // Profit counts at the last price until the outcome is written down.
    if (report.event === 'market.status' && report.status === 'resolved') this.#sampleSoon();
    const severity = REPORT_SEVERITY[event];
    const isTold = TOLD.has(event) || severity === 'warn' || severity === 'error';
    if (!isTold || !this.#mayTell(event)) return;
    this.#needs.days.write({ kind: 'event', atMs: this.#nowMs(), event, severity, fields });
  }

  /** What the fills of this run have earned, but for those of the last minute. */
  earned(): Earned {
    const middles = new Map([...this.#lastMiddles, ...this.#outcomes]);
    return this.#tally.earned({ middles, markets: this.#titles });
  }

  /** What those of one market come to at a value of YES, the last minute included. */
  soFar(marketId: MarketId, value: number | undefined): EarnedSoFar {
    return this.#tally.soFar(marketId, value, [...(this.#watched.get(marketId) ?? [])]);
  }

  /** The last look of the run. */
  close(): void {
    if (this.#isClosed) return;
    this.onTurn();
    for (const each of [...this.#watched.values()].flatMap((of) => [...of])) this.#writeLater(each);
    quietly(() => this.#sample());
    this.#isClosed = true;
    this.#callOffSoon?.();
    this.#callOffSample();
    this.#needs.days.write({ kind: 'end', atMs: this.#nowMs() });
  }

  #nowMs(): number {
    return this.#needs.clock.nowMs();
  }

  #onOrder(order: StoredOrder): void {
    const { intentId, isTake, failed = 0, state } = order;
    const before = this.#failed.get(intentId) ?? 0;
    if (failed > before) {
      remember(this.#failed, intentId, failed);
      const micro = failed - before;
      this.#tally.takeBack(order, micro, this.#takes.get(intentId));
      this.#needs.days.write({ kind: 'bust', atMs: this.#nowMs(), intentId, micro });
    }
    const isNew = isTake === true && !isTerminal(state) && !this.#takes.has(intentId);
    if (isNew) this.#takes.set(intentId, undefined);
    if (!isTerminal(state)) return;
    if (this.#takes.size > REMEMBERED_MAX) this.#takes.clear();
    // One that was never sent from here is somebody else's.
    if (order.settingsVersion !== undefined) this.#writeOrder(order);
  }

  #writeOrder(order: StoredOrder): void {
    this.#needs.days.write({
      kind: 'order',
      atMs: order.stateSinceMs,
      order: dayOrderOf(order),
    });
  }

  #onFill(fill: StoredFill, market: MarketView | undefined): void {
    const { intentId, executedAfter, atMs, isInferred, aheadMicro } = fill;
    if (market === undefined) return;
    const isTake = this.#takes.has(intentId);
    const takerFeeRate = isTake ? this.#needs.takerFeeRateOf(market) : undefined;
    if (isTake) this.#takes.set(intentId, takerFeeRate);
    const line: DayLineOf<'fill'> = {
      kind: 'fill',
      ...{ atMs, intentId, executedAfter, marketId: fill.marketId },
      isYes: fill.tokenId === market.yesTokenId,
      // Of an inferred fill nobody knows when it was.
      middle: isInferred === true ? null : this.#middleOf(market),
      ...(takerFeeRate === undefined ? {} : { takerFeeRate }),
      ...(isTake ? { isTake } : {}),
      ...(aheadMicro === undefined || isTake ? {} : { aheadMicro }),
    };
    this.#needs.days.write(line);
    const watched: Watched = { fill, line, middles: [] };
    if (isInferred === true || this.#watchedCount >= WATCHED_FILLS_MAX) {
      this.#count(watched);
      return;
    }
    const ofMarket = this.#watched.get(fill.marketId) ?? new Set();
    this.#watched.set(fill.marketId, ofMarket.add(watched));
    this.#watchedCount += 1;
    this.#armLook(watched);
  }

  #armLook(watched: Watched): void {
    const look = watched.middles.length;
    const [sec = 0, before = 0] = [MARKOUT_SEC[look], MARKOUT_SEC[look - 1]];
    this.#needs.timers.after((sec - before) * 1_000, () => {
      this.#due.push(watched);
      if (this.#due.length === 1) this.#lookSoon();
    });
  }

  #lookSoon(): void {
    const waitMs = this.#lookedAtMs + LOOK_GAP_MS - this.#nowMs();
    // A clock that was set back puts no look off.
    const isEarly = waitMs > 0 && waitMs <= LOOK_GAP_MS;
    if (isEarly) this.#needs.timers.after(waitMs, () => this.#lookAtDue());
    else this.#lookAtDue();
  }

  #lookAtDue(): void {
    const due = this.#due;
    this.#due = [];
    this.#lookedAtMs = this.#nowMs();
    if (this.#isClosed) return;
    let markets: ReadonlyMap<string, MarketView> = new Map();
    quietly(() => {
      markets = this.#marketsOf(due.map(({ fill }) => fill.marketId));
    });
    // A look that fails shows nothing, as one at a market that is gone: each fill has its next one all the same.
    for (const watched of due)
      quietly(() => this.#look(watched, markets.get(watched.fill.marketId)));
  }

  #look(watched: Watched, market: MarketView | undefined): void {
    watched.middles.push(market === undefined ? null : this.#middleOf(market));
    if (watched.middles.length < MARKOUT_SEC.length) this.#armLook(watched);
    else this.#writeLater(watched);
  }

  #writeLater(watched: Watched): void {
    const ofMarket = this.#watched.get(watched.fill.marketId);
    if (ofMarket?.delete(watched)) this.#watchedCount -= 1;
    if (ofMarket?.size === 0) this.#watched.delete(watched.fill.marketId);
    this.#count(watched);
    const { intentId, executedAfter, atMs } = watched.fill;
    const { middles } = watched;
    // Dated as the fill: it stands in the same file, and no other fill has its name.
    this.#needs.days.write({ kind: 'later', atMs, intentId, executedAfter, middles });
  }

  #count({ fill, line, middles }: Watched): void {
    const noted = { line, later: middles };
    this.#tally.add(fill, { micro: fill.quantity, isYes: line.isYes, noted });
  }

  #marketsOf(ids: readonly string[]): ReadonlyMap<string, MarketView> {
    const { markets } = this.#needs.view((all) => all.filter((id) => ids.includes(id)));
    return new Map(markets.map((market) => [market.marketId, market]));
  }

  /** While a side is empty, the last one, no better than the side that is left. */
  #middleOf({ marketId, bestBid, bestAsk }: MarketView): number | null {
    const [bid, ask] = [Number(bestBid ?? 0), Number(bestAsk ?? 1)];
    const isTwoSided = bestBid !== undefined && bestAsk !== undefined;
    const last = this.#lastMiddles.get(marketId);
    if (!isTwoSided && last === undefined) return null;
    const between = Math.round((bid + ask) * 5_000) / 10_000;
    const middle = isTwoSided || last === undefined ? between : Math.min(Math.max(last, bid), ask);
    this.#lastMiddles.set(marketId, middle);
    return middle;
  }

  /** What a share of YES is worth: the middle, and the outcome from when it is known. No fill was adverse for that. */
  #worthOf(market: MarketView): number | null {
    const mark = numberOr(market.mark);
    if (mark !== 0 && mark !== 1) return this.#middleOf(market);
    this.#outcomes.set(market.marketId, mark);
    return mark;
  }

  /** Samples of all runs come at the same moments, so that a day begins with one. */
  #armSample(): void {
    const inMs = SAMPLE_MS - (this.#nowMs() % SAMPLE_MS);
    this.#callOffSample = this.#needs.timers.after(inMs, () => {
      if (this.#isClosed) return;
      quietly(() => this.#sample());
      this.#armSample();
    });
  }

  #sampleSoon(): void {
    if (this.#isClosed) return;
    this.#callOffSoon ??= this.#needs.timers.after(SOON_SAMPLE_MS, () => {
      this.#callOffSoon = undefined;
      quietly(() => this.#sample());
    });
  }

  #sample(): void {
    const view = this.#needs.view();
    const atMs = this.#nowMs();
    for (const market of view.markets) this.#tellMarket(market, atMs);
    const { writes, account } = view;
    const placed = Object.values(writes.placed ?? {}).reduce((sum, count) => sum + count, 0);
    this.#needs.days.write({
      kind: 'sample',
      atMs,
      phase: view.phase,
      pnlUsdc: numberOr(account.pnlUsdc),
      ordersPlaced: placed,
      writesUsed: writes.usedInWindow,
      writesMax: writes.perWindow,
      markets: view.markets.map((market) => this.#sampleOf(market)),
    });
  }

  #tellMarket(market: MarketView, atMs: number): void {
    const { marketId, title, strategy, yesTokenId, noTokenId } = market;
    const facts = { marketId, title, strategy, yesTokenId, noTokenId };
    const text = JSON.stringify([dayOf(atMs), facts]);
    if (this.#told.get(marketId) === text) return;
    this.#told.set(marketId, text);
    this.#titles.set(marketId, { title });
    this.#needs.days.write({ kind: 'market', atMs, ...facts });
  }

  #sampleOf(market: MarketView): DayMarket {
    const { marketId, positionYes, positionNo, pnlUsdc, uptime, bidReason, askReason } = market;
    return {
      marketId,
      middle: this.#worthOf(market),
      net: Math.round((Number(positionYes) - Number(positionNo)) * 1e6) / 1e6,
      pnlUsdc: numberOr(pnlUsdc),
      bid: { ...uptimeOf(uptime.bid), ...(bidReason && { reason: bidReason.code }) },
      ask: { ...uptimeOf(uptime.ask), ...(askReason && { reason: askReason.code }) },
    };
  }

  #mayTell(event: string): boolean {
    const day = dayOf(this.#nowMs());
    if (this.#events.day !== day) this.#events = { day, counts: new Map() };
    const { counts } = this.#events;
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    return count <= EVENTS_OF_A_DAY;
  }
}

/** Whoever looks on stops nobody. */
function quietly(task: () => void): void {
  try {
    task();
  } catch {
    // That much is not written down.
  }
}

/** An order in words of the command line: what it asked for, and what became of it. */
export function dayOrderOf(order: StoredOrder) {
  const grid = tickGrid(order.ticksPerUnit === 100 ? '0.01' : '0.001');
  const { intentId, orderHash, marketId, tokenId, side, sentAtMs, state, isTake } = order;
  return {
    ...{ intentId, marketId, tokenId, side, sentAtMs, state },
    ...(orderHash === undefined ? {} : { orderHash }),
    price: formatPrice(grid, order.price),
    shares: formatShares(order.quantity),
    filled: formatShares(order.executed),
    ...(isTake === true ? { isTake } : {}),
  };
}

function uptimeOf({ sinceStart, countedMs = 0, excludedMs }: UptimeView) {
  const excluded = Object.entries(excludedMs).filter(([, ms]) => ms > 0);
  return {
    countedMs: Math.round(countedMs),
    quotedMs: Math.round(countedMs * (sinceStart ?? 0)),
    excludedMs: Object.fromEntries(excluded.map(([cause, ms]) => [cause, Math.round(ms)])),
  };
}

function remember(kept: Map<string, number>, key: string, value: number): void {
  if (kept.size >= REMEMBERED_MAX) kept.clear();
  kept.set(key, value);
}

function numberOr(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
