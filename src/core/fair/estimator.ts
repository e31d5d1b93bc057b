// The fair value of one market: a Kalman filter in log-odds over the YES book, the mirrored NO book,
// trades and an external price. One step for each decision, with everything seen since the last one
// combined first, so that the order of messages inside a flush does not matter.

import type { Leg } from '../../domain/market.ts';
import type { TickGrid } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { AxisBook, FairValue } from '../../strategy/index.ts';
import { decayFactor, secondsBetween } from '../../strategy/toolkit/estimate/decay.ts';
import {
  agedObservation,
  bookObservation,
  combined,
  fairValueStep,
  type LogitEstimate,
  type LogitObservation,
  predictedEstimate,
  repeatedObservation,
  tradeObservation,
} from '../../strategy/toolkit/estimate/kalman.ts';
import {
  type Variation,
  varianceRates,
  withSample,
} from '../../strategy/toolkit/estimate/variation.ts';
import { pricePastDust } from '../../strategy/toolkit/heuristic/touch.ts';
import { logit, sigmoid } from '../../strategy/toolkit/log-odds.ts';
import { clamped } from '../../strategy/toolkit/numeric/domain.ts';
import type { ExternalPrice } from './external.ts';

/** A book's error lasts about this long: looks closer together count as one. */
const BOOK_MEMORY_SEC = 2;
/** An external price repeats its own error for longer. */
const EXTERNAL_MEMORY_SEC = 30;
/** A trade is a weak witness beside a book: its side is a claim, its size may be a tick's worth. */
const TRADE_WEAKNESS = 4;
/** Log-odds variance per second until it has been measured: .03 in half an hour. */
const VAR_PER_SEC_PRIOR = 2e-5;
/** A measured calm is not trusted below this: a quiet hour says little of the next minute. */
const VAR_PER_SEC_MIN = 1e-7;
/** Standard deviation in log-odds of an external price that states none. */
const EXTERNAL_VAR = 0.05 ** 2;
/** Surer, or less sure, none is taken for, whatever it states: at the ends of what a number can be its weight is none. */
const EXTERNAL_VAR_RANGE = { min: 1e-8, max: 1e6 };
/** However many fills come between two looks, the value stays a probability. */
const LOG_ODDS_MAX = logit(1);
/** A book this many deviations away begins a new estimate. */
const NEWS_DEVIATIONS = 3;
/** Sampling of the volatility; slower than the tick bounce, forgetting within an hour. */
const SAMPLING = { halfLifeSec: 1_800, sampleSecMin: 30 };

export type Seen = {
  readonly yes: AxisBook | undefined;
  readonly no: AxisBook | undefined;
  readonly tradeTicks: number | undefined;
  /** Who took in those trades: from -1 where all of it was sold to 1 where all was bought. */
  readonly takerBalance: number;
  readonly external: ExternalPrice | undefined;
  readonly nowMs: UnixMs;
};

export class FairEstimator {
  readonly #grid: TickGrid;
  #estimate: LogitEstimate | undefined;
  #variation: Variation | undefined;
  /** As the variation tells it; `undefined` until it does. */
  #totalVarPerSec: number | undefined;
  /** No sample is taken before. */
  #nextSampleMs = Number.NEGATIVE_INFINITY;
  #observedAtMs: UnixMs | undefined;
  /** When each book was last there to be looked at: steps go on without them while they are dark. */
  readonly #shownAtMs: { yes?: UnixMs; no?: UnixMs } = {};
  #externalAtMs: UnixMs | undefined;
  readonly #flow = new FlowLead();
  /** By which the value is ahead of the books, as of the last step. */
  #lead = 0;

  constructor(grid: TickGrid) {
    this.#grid = grid;
  }

  /** Takes in what the books show now and what traded since the last step. */
  step(seen: Seen): void {
    const looks = this.#looks(seen);
    const observations = this.#observations(seen, looks);
    const at = { nowMs: seen.nowMs, logitVarPerSec: this.#varPerSec() };
    // Books so far off are new: the past says nothing of them, and to wait would be to quote it.
    const shown = looks.map(({ mid }) => bookObservation(mid));
    const isNew = deviationsOf(this.#estimate, shown, at) > NEWS_DEVIATIONS;
    const next = isNew
      ? fairValueStep(undefined, shown, at)
      : fairValueStep(this.#estimate, observations, at);
    if (next === undefined) return;
    this.#estimate = next.estimate;
    if (seen.takerBalance !== 0) this.#flow.add(seen.takerBalance, seen.nowMs);
    this.#flow.learn(next.estimate.logOdds, seen.nowMs);
    this.#lead = this.#flow.leadAt(seen.nowMs);
    if (observations.length === 0) return;
    this.#observedAtMs = seen.nowMs;
    this.#sample(next.estimate.logOdds, seen.nowMs);
  }

  /** Most steps fall between two samples, which is found without a look at the last one. */
  #sample(value: number, atMs: UnixMs): void {
    if (atMs < this.#nextSampleMs) return;
    const sample = { value, atMs };
    const variation = withSample(this.#variation, sample, SAMPLING);
    if (variation === this.#variation) return;
    this.#variation = variation;
    this.#nextSampleMs = atMs + SAMPLING.sampleSecMin * 1_000;
    this.#totalVarPerSec = varianceRates(variation)?.totalVarPerSec;
  }

  /** A fill of ours is itself news: the value moves towards where the taker went. */
  shift(byLogOdds: number): void {
    if (this.#estimate === undefined) return;
    const logOdds = clamped(this.#estimate.logOdds + byLogOdds, -LOG_ODDS_MAX, LOG_ODDS_MAX);
    this.#estimate = { ...this.#estimate, logOdds };
  }

  /** The price alone, where nothing else of the value is asked for. */
  get price(): number | undefined {
    if (this.#estimate === undefined || this.#observedAtMs === undefined) return undefined;
    return sigmoid(this.#estimate.logOdds + this.#lead);
  }

  valueAt(nowMs: UnixMs, external: ExternalPrice | undefined): FairValue | undefined {
    const estimate = this.#estimate;
    if (estimate === undefined || this.#observedAtMs === undefined) return undefined;
    const elapsedSec = secondsBetween(estimate.atMs, nowMs);
    const logOdds = estimate.logOdds + this.#lead;
    return {
      logOdds,
      logOddsVar: estimate.logitVar + elapsedSec * this.#varPerSec(),
      price: sigmoid(logOdds),
      logOddsVarPerSec: this.#totalVarPerSec,
      ageMs: Math.max(0, nowMs - this.#observedAtMs),
      takerLead: this.#flow.perTaker,
      external:
        external === undefined
          ? undefined
          : {
              price: external.price,
              logOddsVar: external.logOddsVar,
              ageMs: Math.max(0, nowMs - external.atMs),
            },
    };
  }

  #varPerSec(): number {
    const rate = this.#totalVarPerSec;
    return rate === undefined ? VAR_PER_SEC_PRIOR : Math.max(rate, VAR_PER_SEC_MIN);
  }

  #looks({ yes, no, nowMs }: Seen): readonly Look[] {
    const looks: Look[] = [];
    const ofYes = bookOf(this.#grid, yes);
    if (ofYes !== undefined) looks.push({ mid: ofYes, sinceSec: this.#sinceShown('yes', nowMs) });
    const ofNo = bookOf(this.#grid, no);
    if (ofNo !== undefined) looks.push({ mid: ofNo, sinceSec: this.#sinceShown('no', nowMs) });
    return looks;
  }

  /**
   * Since the last look at this very book. One that comes back after an outage repeats nothing: counted
   * from the last step, which may have seen no book, it would weigh next to nothing beside the value of before.
   */
  #sinceShown(leg: Leg, nowMs: UnixMs): number {
    const lastMs = this.#shownAtMs[leg];
    this.#shownAtMs[leg] = nowMs;
    return lastMs === undefined ? BOOK_MEMORY_SEC : secondsBetween(lastMs, nowMs);
  }

  #observations(seen: Seen, looks: readonly Look[]): readonly LogitObservation[] {
    const found: LogitObservation[] = [];
    for (const { mid, sinceSec } of looks) {
      const repeat = { sinceSec, memorySec: BOOK_MEMORY_SEC };
      const observation = repeatedObservation(bookObservation(mid), repeat);
      if (observation !== undefined) found.push(observation);
    }
    if (seen.tradeTicks !== undefined) {
      const spreadPrice = Math.max(
        1 / this.#grid.ticksPerUnit,
        ...looks.map(({ mid }) => mid.spreadPrice),
      );
      const price = seen.tradeTicks / this.#grid.ticksPerUnit;
      found.push(tradeObservation({ price, spreadPrice, weakness: TRADE_WEAKNESS }));
    }
    const external = this.#externalObservation(seen);
    if (external !== undefined) found.push(external);
    return found;
  }

  #externalObservation({ external, nowMs }: Seen): LogitObservation | undefined {
    if (external === undefined) return undefined;
    const sinceSec =
      this.#externalAtMs === undefined
        ? EXTERNAL_MEMORY_SEC
        : secondsBetween(this.#externalAtMs, nowMs);
    this.#externalAtMs = nowMs;
    const { min, max } = EXTERNAL_VAR_RANGE;
    const stated = {
      logOdds: logit(external.price),
      logitVar: clamped(external.logOddsVar ?? EXTERNAL_VAR, min, max),
    };
    const ageSec = secondsBetween(external.atMs, nowMs);
    const aged = agedObservation(stated, { ageSec, logitVarPerSec: this.#varPerSec() });
    return repeatedObservation(aged, { sinceSec, memorySec: EXTERNAL_MEMORY_SEC });
  }
}

/** How many deviations the books lie away from what was expected; 0 where one of them is absent. */
function deviationsOf(
  before: LogitEstimate | undefined,
  shown: readonly LogitObservation[],
  at: { readonly nowMs: UnixMs; readonly logitVarPerSec: number },
): number {
  const together = combined(shown);
  if (before === undefined || together === undefined) return 0;
  const expected = predictedEstimate(before, at);
  const doubt = expected.logitVar + together.logitVar;
  return Math.abs(together.logOdds - expected.logOdds) / Math.sqrt(doubt);
}

type Mid = { readonly midPrice: number; readonly spreadPrice: number };
type Look = { readonly mid: Mid; readonly sinceSec: number };

/** A book with one side has no middle, a crossed one no truth, and dust at the touch moves nothing. */
function bookOf(grid: TickGrid, book: AxisBook | undefined): Mid | undefined {
  const bestBid = book?.bestBid();
  const bestAsk = book?.bestAsk();
  if (book === undefined || bestBid === undefined || bestAsk === undefined) return undefined;
  if (bestBid >= bestAsk) return undefined;
  const bid = pricePastDust(book, 'bid') ?? bestBid;
  const ask = pricePastDust(book, 'ask') ?? bestAsk;
  return {
    midPrice: (bid + ask) / 2 / grid.ticksPerUnit,
    spreadPrice: (ask - bid) / grid.ticksPerUnit,
  };
}

// How far takers lead the books: who pays the spread may know something, and how much is learnt from what the
// books did afterwards, in this very market. A market whose flow says nothing is left where its books are.

/** A trade counts half as much after so long. */
const HALVED_SEC = 8;
/** The books are looked at again so long after a look at the flow. */
const HORIZON_MS = 10_000;
const SAMPLE_MS = 1_000;
/** So much later, as behind a sleep of the host, they say nothing of it. */
const LATE_MS = 2 * HORIZON_MS;
/** Looks that wait for their answer; they are a second apart. */
const PENDING_MAX = HORIZON_MS / SAMPLE_MS + 1;
/** So much evidence is needed before a lead counts by half: the sum of squares of one minute of busy flow. */
const EVIDENCE = 30;
/** What was learnt an hour of looks ago counts for a third. */
const KEPT = 1 - 1 / 3_600;
/** No flow is worth more than this in log-odds: five cents where the outcome is open. */
const LEAD_MAX = 0.2;
/** More trades in a row say little more. */
const FLOW_MAX = 3;
/** Less than this is no flow to learn from. */
const FLOW_MIN = 0.05;

type FlowLook = { readonly atMs: UnixMs; readonly flow: number; readonly logOdds: number };

export class FlowLead {
  #flow = 0;
  #flowAtMs: UnixMs | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  readonly #pending: FlowLook[] = [];
  /** Sums of flow times what followed, and of flow squared. */
  #product = 0;
  #square = EVIDENCE;

  /** What was traded since the last step, from -1 (sold) to 1 (bought). */
  add(balance: number, nowMs: UnixMs): void {
    const flow = this.#flowAt(nowMs) + balance;
    this.#flow = Math.max(-FLOW_MAX, Math.min(FLOW_MAX, flow));
    this.#flowAtMs = nowMs;
  }

  learn(logOdds: number, nowMs: UnixMs): void {
    for (let look = this.#pending[0]; look && nowMs - look.atMs >= HORIZON_MS; ) {
      this.#pending.shift();
      if (nowMs - look.atMs <= LATE_MS) this.#add(look, logOdds);
      look = this.#pending[0];
    }
    if (nowMs - this.#lookedAtMs < SAMPLE_MS) return;
    this.#lookedAtMs = nowMs;
    const flow = this.#flowAt(nowMs);
    if (Math.abs(flow) < FLOW_MIN || this.#pending.length >= PENDING_MAX) return;
    this.#pending.push({ atMs: nowMs, flow, logOdds });
  }

  /** Log-odds that one taker has been worth; a flow that goes the other way is worth nothing. */
  get perTaker(): number {
    return Math.max(0, Math.min(LEAD_MAX, this.#product / this.#square));
  }

  /** Log-odds by which the value is ahead of the books. */
  leadAt(nowMs: UnixMs): number {
    const lead = (this.#product / this.#square) * this.#flowAt(nowMs);
    return Math.max(-LEAD_MAX, Math.min(LEAD_MAX, lead));
  }

  #add({ flow, logOdds: before }: FlowLook, logOdds: number): void {
    this.#product = KEPT * this.#product + flow * (logOdds - before);
    this.#square = EVIDENCE + KEPT * (this.#square - EVIDENCE) + flow ** 2;
  }

  #flowAt(nowMs: UnixMs): number {
    if (this.#flowAtMs === undefined) return 0;
    return this.#flow * decayFactor(secondsBetween(this.#flowAtMs, nowMs), HALVED_SEC);
  }
}
