// What a bot did, by the venue's own records, looked at every few milliseconds.

import type { Floor, Resting } from './floor.ts';

export type Limits = { readonly netSharesMax: number; readonly openOrdersMax: number };

export type Verdict = {
  /**
   * Share of time in which both sides had an order resting, mean of the markets, from the first quote on,
   * or from the end of patience where none had come.
   */
  readonly uptime: number;
  /** Time that is not counted: the venue was down. */
  readonly excludedMs: number;
  /** From the start of the process until both sides of a market rest. */
  readonly firstQuoteMs: number | undefined;
  /** The same for each process, the first one too. */
  readonly startsMs: readonly (number | undefined)[];
  /** From the last fault until both sides of all markets rest, and go on resting; absent without a fault. */
  readonly recoverMs: number | 'never' | undefined;
  /** Times that the worst case of position and orders went beyond a limit. */
  readonly breaches: readonly string[];
  /** Times that a price had much more resting than a level, for longer than a replacement takes. */
  readonly duplicates: readonly string[];
  /** Orders placed further from where the ladder belongs than the middle moves in two steps. */
  readonly misplaced: number;
  /** Longest time in which one side was bare. */
  readonly longestGapMs: number;
};

export type JudgeParts = {
  /** For how long the bot was ready to run and the machine had no processor for it. */
  readonly waitedMs?: () => number;
  /** Whether an order that was just placed is where the ladder belongs. */
  readonly isInPlace?: (market: number, order: Resting) => boolean;
};

const LOOK_MS = 5;
/** A start is a figure of its own; whoever does not quote by then, with a processor to itself, is absent. */
const FIRST_QUOTE_MS_MAX = 8_000;
const DOUBLED_PART = 1.5;
const DOUBLED_MS_MAX = 500;
/** Recovered: both sides of all markets stay for so long, short gaps of a requote apart. */
const STEADY_MS = 2_000;
const GAP_MS = 100;
const ROUNDING_SHARES = 1e-6;
const SIDES = ['bid', 'ask'] as const;

type Side = { bareSinceMs: number | undefined };
type Market = { bothMs: number; readonly sides: Readonly<Record<'bid' | 'ask', Side>> };
type Gap = { readonly fromMs: number; readonly toMs: number };
type Start = { readonly atMs: number; quotedAtMs: number | undefined };

export class Judge {
  readonly #floor: Floor;
  readonly #limits: Limits;
  readonly #levelShares: number;
  readonly #waitedMs: () => number;
  readonly #isInPlace: (market: number, order: Resting) => boolean;
  /** Hashes of orders that were looked at, so that each is judged where it was placed. */
  readonly #placed = new Set<string>();
  #misplaced = 0;
  readonly #markets: readonly Market[];
  readonly #timer: NodeJS.Timeout;
  readonly #starts: Start[] = [];
  readonly #gaps: Gap[] = [];
  readonly #breaches: string[] = [];
  readonly #doubled = new Map<string, { sinceMs: number; isCounted: boolean }>();
  readonly #breached = new Set<string>();
  #isPatienceOver = false;
  readonly #duplicates: string[] = [];
  #countedMs = 0;
  #excludedMs = 0;
  #atMs = Date.now();
  #lastFaultMs: number | undefined;
  /** Orders from before do not count as quoted: whoever placed them is dead. */
  #aliveSinceMs = 0;
  isVenueDown = false;

  constructor(
    floor: Floor,
    limits: Limits & { readonly size: number },
    { waitedMs = () => 0, isInPlace = () => true }: JudgeParts = {},
  ) {
    this.#waitedMs = waitedMs;
    this.#isInPlace = isInPlace;
    this.#floor = floor;
    this.#limits = limits;
    this.#levelShares = limits.size;
    this.#markets = Array.from({ length: floor.marketCount }, () => ({
      bothMs: 0,
      sides: { bid: { bareSinceMs: undefined }, ask: { bareSinceMs: undefined } },
    }));
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** A process starts: what an earlier one left resting is nobody's quote. */
  onStart(): void {
    this.#starts.push({ atMs: Date.now(), quotedAtMs: undefined });
    this.#aliveSinceMs = Date.now();
  }

  onDeath(): void {
    this.#aliveSinceMs = Date.now();
  }

  /** The last fault has ended: recovery is timed from here. */
  onFaultsOver(): void {
    this.#lastFaultMs = Date.now();
  }

  /** Both sides rested once, or patience is over. */
  hasBegun(): boolean {
    return this.#isPatienceOver;
  }

  hasQuoted(): boolean {
    return this.#starts.at(-1)?.quotedAtMs !== undefined;
  }

  stop(): Verdict {
    clearInterval(this.#timer);
    this.#look();
    const nowMs = Date.now();
    for (const { sides } of this.#markets) {
      for (const side of SIDES) this.#endGap(sides[side], nowMs);
    }
    const bothMs = this.#markets.reduce((sum, market) => sum + market.bothMs, 0);
    const countedMs = Math.max(1, this.#countedMs);
    return {
      uptime: bothMs / this.#markets.length / countedMs,
      excludedMs: this.#excludedMs,
      firstQuoteMs: startMs(this.#starts[0]),
      startsMs: this.#starts.map(startMs),
      recoverMs: this.#recoverMs(nowMs),
      breaches: this.#breaches,
      duplicates: this.#duplicates,
      misplaced: this.#misplaced,
      longestGapMs: Math.max(0, ...this.#gaps.map(({ fromMs, toMs }) => toMs - fromMs)),
    };
  }

  #look(): void {
    const nowMs = Date.now();
    const passedMs = nowMs - this.#atMs;
    this.#atMs = nowMs;
    const isCounted = this.#isCounted(nowMs);
    if (isCounted && this.isVenueDown) this.#excludedMs += passedMs;
    else if (isCounted) this.#countedMs += passedMs;
    for (const [index, market] of this.#markets.entries()) {
      this.#lookAt(market, index, isCounted && !this.isVenueDown ? passedMs : 0);
    }
    this.#checkCount();
  }

  #isCounted(nowMs: number): boolean {
    const [first] = this.#starts;
    if (first === undefined) return false;
    this.#isPatienceOver ||= first.quotedAtMs !== undefined || this.#isLate(nowMs - first.atMs);
    return this.#isPatienceOver;
  }

  #isLate(ageMs: number): boolean {
    return ageMs > FIRST_QUOTE_MS_MAX && ageMs - this.#waitedMs() > FIRST_QUOTE_MS_MAX;
  }

  #lookAt(market: Market, index: number, countedMs: number): void {
    const { resting, net } = this.#floor.bot(index);
    const own = resting.filter(({ placedAtMs }) => placedAtMs >= this.#aliveSinceMs);
    const isQuoted = {
      bid: own.some(({ axisSide }) => axisSide === 'bid'),
      ask: own.some(({ axisSide }) => axisSide === 'ask'),
    };
    const areBoth = isQuoted.bid && isQuoted.ask;
    if (areBoth) this.#onBoth(market, countedMs);
    for (const side of SIDES) this.#onSide(market.sides[side], isQuoted[side]);
    this.#checkWorstCase(index, resting, net);
    this.#checkPlaces(index, own);
    this.#checkDoubled(index, resting);
  }

  #onBoth(market: Market, countedMs: number): void {
    market.bothMs += countedMs;
    const start = this.#starts.at(-1);
    if (start !== undefined) start.quotedAtMs ??= this.#atMs;
  }

  #onSide(side: Side, isQuoted: boolean): void {
    if (isQuoted) this.#endGap(side, this.#atMs);
    else if (this.#isCounted(this.#atMs)) side.bareSinceMs ??= this.#atMs;
  }

  #endGap(side: Side, toMs: number): void {
    if (side.bareSinceMs !== undefined) this.#gaps.push({ fromMs: side.bareSinceMs, toMs });
    side.bareSinceMs = undefined;
  }

  #recoverMs(endMs: number): number | 'never' | undefined {
    const faultMs = this.#lastFaultMs;
    if (faultMs === undefined) return undefined;
    const gaps = this.#gaps
      .filter(({ fromMs, toMs }) => toMs > faultMs && toMs - fromMs > GAP_MS)
      .sort((a, b) => a.fromMs - b.fromMs);
    let steadyFromMs = faultMs;
    for (const { fromMs, toMs } of gaps) {
      if (fromMs - steadyFromMs >= STEADY_MS) break;
      steadyFromMs = Math.max(steadyFromMs, toMs);
    }
    return steadyFromMs + GAP_MS < endMs ? steadyFromMs - faultMs : 'never';
  }

  /** Everything that rests fills: the net position may then be so much. */
  #checkWorstCase(index: number, resting: readonly Resting[], net: number): void {
    const sum = (side: 'bid' | 'ask') =>
      resting.reduce((total, each) => total + (each.axisSide === side ? each.shares : 0), 0);
    const { netSharesMax } = this.#limits;
    const worst = Math.max(net + sum('bid'), -net + sum('ask'));
    this.#breach(`net of market ${index}`, worst > netSharesMax + ROUNDING_SHARES, worst);
  }

  #checkCount(): void {
    const open = this.#floor.openCount();
    this.#breach('open orders', open > this.#limits.openOrdersMax, open);
  }

  #checkPlaces(index: number, own: readonly Resting[]): void {
    for (const order of own) {
      if (this.#placed.has(order.orderHash)) continue;
      this.#placed.add(order.orderHash);
      if (!this.#isInPlace(index, order)) this.#misplaced += 1;
    }
  }

  #breach(what: string, isBeyond: boolean, amount: number): void {
    if (isBeyond && !this.#breached.has(what)) this.#breaches.push(`${what}: ${amount}`);
    if (isBeyond) this.#breached.add(what);
    else this.#breached.delete(what);
  }

  #checkDoubled(index: number, resting: readonly Resting[]): void {
    const levels = new Map<string, Resting[]>();
    for (const order of resting) {
      if (order.isRestored) continue;
      const key = `${index} ${order.axisSide} ${order.ticks}`;
      levels.set(key, [...(levels.get(key) ?? []), order]);
    }
    for (const key of this.#doubled.keys()) {
      if (key.startsWith(`${index} `) && !this.#isDoubled(levels.get(key) ?? [])) {
        this.#doubled.delete(key);
      }
    }
    for (const [key, orders] of levels) {
      if (this.#isDoubled(orders)) this.#countDoubled(key, orders);
    }
  }

  #isDoubled(orders: readonly Resting[]): boolean {
    const shares = orders.reduce((sum, order) => sum + order.shares, 0);
    return shares > this.#levelShares * DOUBLED_PART;
  }

  #countDoubled(key: string, orders: readonly Resting[]): void {
    const known = this.#doubled.get(key) ?? { sinceMs: this.#atMs, isCounted: false };
    this.#doubled.set(key, known);
    if (known.isCounted || this.#atMs - known.sinceMs < DOUBLED_MS_MAX) return;
    known.isCounted = true;
    const shown = orders.map(
      ({ orderHash, shares, placedAtMs }) =>
        `${orderHash} of ${shares}, placed ${this.#atMs - placedAtMs} ms before`,
    );
    this.#duplicates.push(`market ${key}: ${shown.join('; ')}`);
  }
}

function startMs(start: Start | undefined): number | undefined {
  return start?.quotedAtMs === undefined ? undefined : start.quotedAtMs - start.atMs;
}
