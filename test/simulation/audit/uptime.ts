// Quoting uptime, from the venue's own records of resting orders: the share of time in which a side that the strategy
// wants has an order of ours resting, while the market is open and the venue answers. What an operator stopped and
// what a limit or a control holds back is not counted; doubt and our own caution are.

import type { MarketId } from '../../../src/domain/ids.ts';
import { CONTROLS } from '../../../src/domain/risk.ts';
import type { MarketView, Reason, StateView } from '../../../src/domain/view.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { ProfileName } from '../profiles.ts';
import { type Counts, Tally } from '../world/tally.ts';
import type { OrderFacts } from './facts.ts';
import type { Fault } from './room.ts';

export type Side = 'bid' | 'ask';

export type UptimeParts = {
  readonly facts: OrderFacts;
  readonly markets: () => readonly ListedMarket[];
  /** Markets that the settings quote. */
  readonly isConfigured: (market: ListedMarket) => boolean;
  /** Whether the strategy asked for this side when it was last asked. */
  readonly isWanted: (marketId: MarketId, side: Side) => boolean;
  /** Whether requests and the connection get through. */
  readonly isAnswering: () => boolean;
  readonly isAlive: () => boolean;
  /** Whether the ledger can be written: without it nobody may place. */
  readonly isDiskSound: () => boolean;
  /** No frame was lost, doubled or late, and no process died. */
  readonly isHarmless: () => boolean;
  readonly view: () => StateView | undefined;
};

/** Time of all sides of all markets together, in milliseconds. */
export type Uptime = {
  readonly upMs: number;
  /** Nothing rested and nothing excuses it, by the reason that the daemon gave. */
  readonly lost: Counts;
  /** Not counted, by why. */
  readonly aside: Counts;
};

/** What each profile is held to, in per cent: by the worst of what it does. */
export const UPTIME_FLOORS: Readonly<Record<ProfileName, number>> = {
  calm: 99.5,
  /** Every dialect of the silent places. */
  elsewhere: 99,
  /** Restarts every ten minutes, kill -9 included. */
  restarts: 98,
  /** Requests lost and late, frames late. */
  stormy: 97,
  killer: 97,
  /** Two deaths in three minutes, with a disk that fails. */
  crashy: 98,
  /** Failed settlements, refused cancels. */
  account: 97,
  clocks: 97,
  /** Lost, late and doubled frames. */
  feed: 97,
  /** Every dialect of the silent places, with failed settlements, lost frames and restarts beside it. */
  dialects: 97,
  outcomes: 97,
  everything: 97,
};

/** A profile is held to its floor when so much time of sides was counted. */
const JUDGED_MS = 1_800_000;
/** The daemon is asked for its reason this often at most while a side is empty. */
const ASK_MS = 10;

/** Phases in which an operator, or a limit that halts, holds everything. */
const STOPPED = new Set(['paused', 'halted', 'killing', 'killed', 'stopping', 'stopped']);
/** Controls of doubt are our own caution. */
const DOUBTS = new Set<string>(['position_uncertain']);
const CONTROLLED = new Set<string>(CONTROLS.filter((control) => !DOUBTS.has(control)));

export class UptimeMeter {
  readonly #parts: UptimeParts;
  #upMs = 0;
  readonly #lost = new Tally();
  readonly #aside = new Tally();
  /** What each side is in since the last moment: `up`, or what keeps it empty. */
  #states: readonly State[] = [];
  #atMs: number | undefined;
  #hasBegun = false;
  #isOver = false;
  #view: StateView | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: UptimeParts) {
    this.#parts = parts;
  }

  /** After each moment: until the next one everything stays as it is. */
  check(nowMs: number): void {
    if (this.#isOver) return;
    this.#count(nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    const quoted = this.#quoted();
    // The first process counts from its first quote on, later ones from their start.
    this.#hasBegun ||= quoted.size > 0;
    if (this.#hasBegun) this.#states = this.#statesAt(quoted, nowMs);
  }

  /** The plan is over: what follows resyncs. */
  end(nowMs: number): void {
    this.check(nowMs);
    this.#isOver = true;
  }

  get sums(): Uptime {
    return { upMs: this.#upMs, lost: this.#lost.entries(), aside: this.#aside.entries() };
  }

  #count(ms: number): void {
    if (ms <= 0) return;
    for (const state of this.#states) {
      if (state.kind === 'up') this.#upMs += ms;
      else (state.kind === 'lost' ? this.#lost : this.#aside).add(state.why, ms);
    }
  }

  #quoted(): ReadonlySet<string> {
    const quoted = new Set<string>();
    for (const { owner, order } of this.#parts.facts.live()) {
      if (owner === 'intent') quoted.add(keyOf(order.terms.market.market.id, order.axis.side));
    }
    return quoted;
  }

  #statesAt(quoted: ReadonlySet<string>, nowMs: number): readonly State[] {
    const { markets, isConfigured } = this.#parts;
    const states: State[] = [];
    for (const market of markets()) {
      if (!isConfigured(market)) continue;
      for (const side of ['bid', 'ask'] as const) {
        const isUp = quoted.has(keyOf(market.market.id, side));
        states.push(this.#stateOf(market, side, { isUp, nowMs }));
      }
    }
    return states;
  }

  #stateOf(market: ListedMarket, side: Side, at: { isUp: boolean; nowMs: number }): State {
    const { isWanted, isAnswering, isAlive, isDiskSound, isHarmless } = this.#parts;
    const { id } = market.market;
    if (market.trading !== 'open') return { kind: 'aside', why: `market ${market.trading}` };
    if (!isAnswering()) return { kind: 'aside', why: 'the venue does not answer' };
    if (!isWanted(id, side)) return { kind: 'aside', why: 'the strategy wants none' };
    if (at.isUp) return UP;
    if (!isDiskSound()) return { kind: 'aside', why: 'the disk does not write' };
    const view = isAlive() ? this.#viewAt(at.nowMs) : undefined;
    if (view === undefined) return { kind: 'aside', why: 'no process runs' };
    if (STOPPED.has(view.phase)) return { kind: 'aside', why: view.phase };
    return excuseOf(view, id, { side, isHarmless: isHarmless() });
  }

  #viewAt(nowMs: number): StateView | undefined {
    if (nowMs - this.#askedAtMs < ASK_MS) return this.#view;
    this.#askedAtMs = nowMs;
    this.#view = this.#parts.view();
    return this.#view;
  }
}

type State = { readonly kind: 'up' } | { readonly kind: 'lost' | 'aside'; readonly why: string };

const UP: State = { kind: 'up' };

/** Whether a limit or a control holds the side, by the daemon's own reason; no cash breaks where nothing was lost. */
function excuseOf(
  view: StateView,
  marketId: MarketId,
  { side, isHarmless }: { readonly side: Side; readonly isHarmless: boolean },
): State {
  const market = view.markets.find((each) => each.marketId === marketId);
  if (market === undefined || view.phase !== 'quoting') return { kind: 'lost', why: view.phase };
  const reason = reasonOf(market, side);
  if (reason === undefined) return { kind: 'lost', why: 'no reason' };
  const code = controlOf(reason);
  const isFalse = isHarmless && code === 'cash_divergence';
  const isLimit = !isFalse && (code.startsWith('max_') || CONTROLLED.has(code));
  return { kind: isLimit ? 'aside' : 'lost', why: code };
}

/** What holds an order back at the level of a control is that control, which the detail names. */
function controlOf({ code, detail }: Reason): string {
  if (code !== 'stop_adding' && code !== 'reduce_only') return code;
  return CONTROLS.find((control) => detail.includes(`: ${control}, `)) ?? code;
}

function reasonOf(market: MarketView, side: Side): MarketView['bidReason'] {
  return side === 'bid' ? market.bidReason : market.askReason;
}

function keyOf(marketId: MarketId, side: Side): string {
  return `${marketId} ${side}`;
}

/** Of several runs. */
export function summed(all: readonly Uptime[]): Uptime {
  const lost = new Tally();
  const aside = new Tally();
  for (const each of all) {
    lost.addAll(Tally.from(each.lost));
    aside.addAll(Tally.from(each.aside));
  }
  const upMs = all.reduce((sum, each) => sum + each.upMs, 0);
  return { upMs, lost: lost.entries(), aside: aside.entries() };
}

/** In per cent; `undefined` where nothing was counted. */
export function percentOf({ upMs, lost }: Uptime): number | undefined {
  const all = upMs + sumOf(lost);
  return all === 0 ? undefined : (100 * upMs) / all;
}

/** The rule `uptime_low`: a profile is below its floor. */
export function lowUptime(profile: ProfileName, uptime: Uptime): Fault | undefined {
  const percent = percentOf(uptime);
  const floor = UPTIME_FLOORS[profile];
  const isJudged = uptime.upMs + sumOf(uptime.lost) >= JUDGED_MS;
  if (!isJudged || percent === undefined || percent >= floor) return undefined;
  const detail = `${profile} quotes ${percent.toFixed(2)} % of the time, ${floor} % are asked for`;
  return { rule: 'uptime_low', detail };
}

/** The line of a profile, and where its time went. */
export function uptimeLines(profile: ProfileName, uptime: Uptime): readonly string[] {
  const percent = percentOf(uptime)?.toFixed(2) ?? 'nothing counted';
  const verdict = lowUptime(profile, uptime) === undefined ? '' : ' BELOW';
  const head = `${profile.padEnd(10)} ${percent.padStart(6)} %, floor ${UPTIME_FLOORS[profile]} %${verdict}`;
  return [head, `  lost: ${largest(uptime.lost)}`, `  not counted: ${largest(uptime.aside)}`];
}

const SHOWN_MAX = 8;

function largest(counts: Counts): string {
  const most = counts.toSorted(([, a], [, b]) => b - a).slice(0, SHOWN_MAX);
  const words = most.map(([why, ms]) => `${why} ${(ms / 1_000).toFixed(1)} s`);
  return words.length === 0 ? 'nothing' : words.join(' · ');
}

function sumOf(counts: Counts): number {
  return counts.reduce((sum, [, ms]) => sum + ms, 0);
}
