// The last that the trader has said of itself, as texts that were made once: whoever asks is answered from
// here, however busy the trader is, and told how old it is.

import type { Clock, UnixMs } from '../domain/time.ts';
import type { StateView } from '../domain/view.ts';

/** What the trader says on its own. */
export type Posted =
  /** The state without its markets. `tickAgeMs`: since the loop last turned, none before its first turn. */
  | { readonly kind: 'head'; readonly tickAgeMs: number | undefined; readonly json: string }
  /** The markets in their order, each of them. */
  | { readonly kind: 'order'; readonly marketIds: readonly string[] }
  | { readonly kind: 'market'; readonly marketId: string; readonly json: string }
  /** Something happened; for those who follow along, and kept nowhere here. */
  | { readonly kind: 'event'; readonly isFill: boolean; readonly json: string }
  /** What is counted, in its order. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'series'; readonly name: string; readonly text: string };

/** Which markets of a state are asked for: all of them, a part of them in their order, or one. */
export type StateQuery = {
  readonly market?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
};

export type StateAnswer =
  | { readonly kind: 'ok'; readonly json: string }
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 503; readonly text: string };

export type Pulse = {
  readonly status: 'starting' | 'alive' | 'stuck' | 'down';
  readonly tickAgeMs: number | undefined;
  /** Since the trader last said something; absent where it never has. */
  readonly stateAgeMs: number | undefined;
};

/** About a megabyte. */
export const LIMIT_MAX = 1_000;
/** A hundred ticks of the loop: longer is not a slow moment but a standstill. */
const STALE_MS = 5_000;
const STARTING = 'the daemon is starting';

type Stamped = { readonly json: string; readonly atMs: UnixMs };
type Head = Stamped & {
  readonly tickAgeMs: number | undefined;
  readonly notReady: readonly string[];
  readonly warnings: readonly string[];
};

export class StateBoard {
  readonly #clock: Clock;
  readonly #markets = new Map<string, Stamped>();
  readonly #series = new Map<string, string>();
  #head: Head | undefined;
  #order: readonly string[] = [];
  #names: readonly string[] = [];
  #isCounted = false;
  #isConnected = false;
  #hasBeenConnected = false;

  /** @param clock - Nobody sets it: ages are measured by it. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A trader begins to speak; what the one before it said stays until this one has said it. */
  onConnected(): void {
    this.#isConnected = true;
    this.#hasBeenConnected = true;
  }

  onGone(): void {
    this.#isConnected = false;
  }

  apply(posted: Posted): void {
    const atMs = this.#clock.nowMs();
    switch (posted.kind) {
      case 'head': {
        const { json, tickAgeMs } = posted;
        const { notReady, connection } = viewOf(json, []);
        const warnings = clockWarnings(connection.clockOffsetMs);
        this.#head = { json, tickAgeMs, atMs, notReady, warnings };
        return;
      }
      case 'order':
        this.#order = posted.marketIds;
        keepOnly(this.#markets, posted.marketIds);
        return;
      case 'market':
        this.#markets.set(posted.marketId, { json: posted.json, atMs });
        return;
      case 'names':
        this.#names = posted.names;
        keepOnly(this.#series, posted.names);
        return;
      case 'series':
        this.#series.set(posted.name, posted.text);
        return;
      case 'event':
    }
  }

  /** Whether the loop of the trader turns, as far as it has said. */
  pulse(): Pulse {
    const { tickAgeMs, atMs } = this.#head ?? {};
    const stateAgeMs = atMs === undefined ? undefined : this.#ageOf(atMs);
    const age = tickAgeMs === undefined ? undefined : tickAgeMs + (stateAgeMs ?? 0);
    const isStuck = Math.max(age ?? 0, stateAgeMs ?? 0) > STALE_MS;
    return { status: this.#statusOf(isStuck), tickAgeMs: age, stateAgeMs };
  }

  /** What is wrong, and stops nothing. */
  warnings(): readonly string[] {
    return this.#head?.warnings ?? [];
  }

  /** Why nothing can be quoted now; empty where it can. */
  notReady(): readonly string[] {
    if (this.#head === undefined) return [STARTING];
    const { status, stateAgeMs = 0 } = this.pulse();
    if (status === 'alive') return this.#head.notReady;
    const why = status === 'down' ? 'the trader is gone' : 'the trader does not turn';
    const seconds = (stateAgeMs / 1_000).toFixed(1);
    return [`${why}; its last word is ${seconds} s old`, ...this.#head.notReady];
  }

  /**
   * The last state, and in `age` how the trader is, since when it has said it, and since when the market
   * that it told longest ago.
   */
  state(query: StateQuery): StateAnswer {
    const head = this.#head;
    if (head === undefined) return refused(503, STARTING);
    const { market, limit = LIMIT_MAX, cursor } = query;
    const isWhole = market === undefined && query.limit === undefined && cursor === undefined;
    if (isWhole) return this.#answer(head, this.#order, {});
    if (market !== undefined) {
      if (!this.#markets.has(market)) return refused(404, 'no such market');
      return this.#answer(head, [market], {});
    }
    const from = cursor === undefined ? 0 : this.#order.indexOf(cursor);
    if (from < 0) return refused(400, 'the market of this cursor is gone; begin anew');
    // Who asks for none follows nothing.
    const next = limit === 0 ? undefined : this.#order[from + limit];
    const page = { markets: this.#order.length, ...(next === undefined ? {} : { next }) };
    return this.#answer(head, this.#order.slice(from, from + limit), { page });
  }

  /** The state as gauges are made from it; `undefined` where it says nothing of now. */
  view(): StateView | undefined {
    const { status } = this.pulse();
    if (this.#head === undefined || status === 'stuck' || status === 'down') return undefined;
    return viewOf(this.#head.json, this.#textsOf(this.#order));
  }

  /**
   * Everything that the trader has counted, in the text form of Prometheus; `undefined` until all of it has been told
   * once: a counter that comes later than others and has counted by then is no increase to whoever asks for one.
   */
  counted(): string | undefined {
    this.#isCounted ||=
      this.#names.length > 0 && this.#names.every((name) => this.#series.has(name));
    if (!this.#isCounted) return undefined;
    const texts = this.#names.flatMap((name) => this.#series.get(name) ?? []);
    return texts.map((text) => `${text.trimEnd()}\n\n`).join('');
  }

  #answer(head: Head, marketIds: readonly string[], more: object): StateAnswer {
    const ages = marketIds.flatMap((id) => this.#markets.get(id)?.atMs ?? []);
    const oldestMs = ages.reduce((oldest, atMs) => (atMs < oldest ? atMs : oldest), head.atMs);
    const { status: trader } = this.pulse();
    const oldestAgeMs = Math.max(0, this.#clock.nowMs() - oldestMs);
    const age = { trader, stateMs: this.#ageOf(head.atMs), oldestMs: oldestAgeMs };
    const tail = JSON.stringify({ ...more, age }).slice(1);
    const markets = this.#textsOf(marketIds).join(',');
    return { kind: 'ok', json: `${head.json.slice(0, -1)},"markets":[${markets}],${tail}` };
  }

  #textsOf(marketIds: readonly string[]): readonly string[] {
    return marketIds.flatMap((id) => this.#markets.get(id)?.json ?? []);
  }

  #ageOf(atMs: UnixMs): number {
    return Math.max(0, this.#clock.nowMs() - atMs);
  }

  #statusOf(isStuck: boolean): Pulse['status'] {
    if (!this.#isConnected) return this.#hasBeenConnected ? 'down' : 'starting';
    if (this.#head === undefined || this.#head.tickAgeMs === undefined) {
      return this.#head !== undefined && isStuck ? 'stuck' : 'starting';
    }
    return isStuck ? 'stuck' : 'alive';
  }
}

/** The trader is of this build and has written it itself. */
function viewOf(headJson: string, marketJsons: readonly string[]): StateView {
  const head: StateView = JSON.parse(headJson);
  return { ...head, markets: JSON.parse(`[${marketJsons.join(',')}]`) };
}

function keepOnly(map: Map<string, unknown>, keys: readonly string[]): void {
  const kept = new Set(keys);
  for (const key of map.keys()) if (!kept.has(key)) map.delete(key);
}

function refused(status: 400 | 404 | 503, text: string): StateAnswer {
  return { kind: 'refused', status, text };
}

/** As the alert on the metric. */
const OFFSET_WARNED_MS = 5_000;

function clockWarnings(offsetMs: number | undefined): readonly string[] {
  if (offsetMs === undefined || Math.abs(offsetMs) <= OFFSET_WARNED_MS) return [];
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const way = offsetMs > 0 ? 'behind' : 'ahead of';
  return [
    `the clock of this machine is ${seconds} s ${way} the venue's; requests carry the venue's time, logs and the journal ours`,
  ];
}
