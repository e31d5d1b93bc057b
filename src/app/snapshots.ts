// What the trader shows of itself, told bit by bit at a pace that costs it a hundredth of its time at the
// most: with a thousand markets each of them is told every few seconds, with a handful all of them at once. Until
// each has been told once it may cost a tenth: whoever looks after a start sees nothing of the others.

import { performance } from 'node:perf_hooks';
import type { MarketId } from '../domain/ids.ts';
import { redactedJson } from '../domain/redact.ts';
import { REPORT_SEVERITY } from '../domain/report.ts';
import type { Timers } from '../domain/time.ts';
import type { PickMarkets, StateView } from '../domain/view.ts';
import type { Posted } from '../telemetry/board.ts';
import { masked } from '../telemetry/mask.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RecentEvents } from './recent-events.ts';

export type SnapshotsOptions = {
  readonly view: (pick?: PickMarkets) => StateView;
  readonly metrics: Pick<Metrics, 'keep' | 'names' | 'text' | 'onViewFailed'>;
  /** Since the loop last turned; `undefined` before its first turn. */
  readonly tickAgeMs: () => number | undefined;
  /** What happened lately. */
  readonly events: RecentEvents;
  /** False: what was told before is not read yet. */
  readonly mayPost: () => boolean;
  readonly post: (posted: readonly Posted[]) => void;
  readonly timers: Timers;
  /** Time that passes for what is done here; the default is the machine's. */
  readonly spentMs?: () => number;
};

/** With few markets, people see a change by then. */
const PACE_MS_MIN = 200;
/** Pause after each bit, in times of what it took; with some room below a hundredth. */
const PAUSES = 150;
/** The same until every market has been told once. */
const FIRST_PAUSES = 15;
/** On a machine that is busy a bit takes longer than its work, and who hears nothing takes us for stuck. */
const PACE_MS_MAX = 3_000;
/** Told in one bit: with the account, some five milliseconds that a decision may wait. */
const MARKETS_MAX = 40;
/** A start that waits, as for a venue that is away, has no markets: by then those of the run before are not of now. */
const BEFORE_SHOWN_MS = 5_000;
/** In one bit; a busy second has about as many. */
const EVENTS_MAX = 20;
/** For what is counted, in one bit. */
const SERIES_MS = 1;
/** The same until all of it has been told once: who scrapes sees nothing before, and what rose meanwhile is no increase. */
const FIRST_SERIES_MS = 10;

export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #spentMs: () => number;
  #order: readonly MarketId[] = [];
  /** Since when nobody was told which markets there are. */
  #untoldSinceMs: number | undefined;
  #place = 0;
  #isEachTold = false;
  #looked: ReadonlySet<string> = new Set();
  #names: readonly string[] = [];
  #namePlace = 0;
  #isAllTold = false;
  #callOff: () => void = () => {};
  #isStopped = false;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#spentMs = options.spentMs ?? (() => performance.now());
    this.#untoldSinceMs = this.#spentMs();
  }

  start(): void {
    void this.#turn();
  }

  /** Somebody listens who has heard nothing yet. */
  anew(): void {
    this.#order = [];
    this.#untoldSinceMs = this.#spentMs();
    this.#place = 0;
    this.#isEachTold = false;
    this.#names = [];
    this.#namePlace = 0;
    this.#isAllTold = false;
    this.#options.events.again();
    this.now();
  }

  /** Somebody looks at these: each bit tells of them, whosever turn it is. */
  onLooked(marketIds: readonly string[]): void {
    this.#looked = new Set(marketIds);
  }

  /** Tells where the account stands at once, and of a few markets all, as when an operator has asked for something. */
  now(): void {
    if (this.#isStopped) return;
    this.#bit();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
  }

  async #turn(): Promise<void> {
    const beganMs = this.#spentMs();
    let tookMs = 0;
    if (this.#options.mayPost()) {
      this.#bit();
      tookMs = this.#spentMs() - beganMs;
      const isFirst = !this.#isAllTold;
      await this.#series(isFirst ? FIRST_SERIES_MS : SERIES_MS);
      if (!isFirst) tookMs = this.#spentMs() - beganMs;
    }
    if (this.#isStopped) return;
    const pauses = this.#isEachTold ? PAUSES : FIRST_PAUSES;
    const pauseMs = Math.min(Math.max(PACE_MS_MIN, tookMs * pauses), PACE_MS_MAX);
    this.#callOff = this.#options.timers.after(pauseMs, () => void this.#turn());
  }

  /** The account, and as many markets as may be reported at once. */
  #bit(): void {
    let all: readonly MarketId[] = [];
    const view = this.#viewed((each) => {
      all = each;
      return this.#next(each);
    });
    if (view === undefined) return;
    const { markets, ...head } = view;
    const posted: Posted[] = [
      { kind: 'head', tickAgeMs: this.#options.tickAgeMs(), json: textOf(head) },
    ];
    const untoldMs = this.#spentMs() - (this.#untoldSinceMs ?? Number.POSITIVE_INFINITY);
    if (!areSame(this.#order, all) || untoldMs > BEFORE_SHOWN_MS) {
      this.#order = [...all];
      this.#untoldSinceMs = undefined;
      posted.push({ kind: 'order', marketIds: all });
    }
    for (const market of markets) {
      posted.push({ kind: 'market', marketId: market.marketId, json: textOf(market) });
    }
    posted.push(...this.#events());
    this.#options.post(posted);
  }

  #events(): readonly Posted[] {
    return this.#options.events.take(EVENTS_MAX).map(({ number, atMs, report }) => {
      const { event, ...fields } = report;
      const line = { ...masked(fields), number, atMs, event, level: REPORT_SEVERITY[event] };
      return { kind: 'event', isFill: event === 'order.filled', json: JSON.stringify(line) };
    });
  }

  #next(all: readonly MarketId[]): readonly MarketId[] {
    if (all.length <= MARKETS_MAX) {
      this.#isEachTold = true;
      return all;
    }
    const from = this.#place < all.length ? this.#place : 0;
    this.#place = from + MARKETS_MAX;
    if (this.#place >= all.length) this.#isEachTold = true;
    const turn = all.slice(from, this.#place);
    if (this.#looked.size === 0) return turn;
    const looked = all.filter((id) => this.#looked.has(id) && !turn.includes(id));
    return [...turn, ...looked];
  }

  #viewed(pick: PickMarkets): StateView | undefined {
    try {
      return this.#options.view(pick);
    } catch {
      // The other numbers are worth more than a state that cannot be told.
      this.#options.metrics.onViewFailed();
      return undefined;
    }
  }

  /** What is counted, name by name. */
  async #series(forMs: number): Promise<void> {
    const { metrics, post } = this.#options;
    const beganMs = this.#spentMs();
    do {
      if (this.#namePlace >= this.#names.length) this.#beginSeries();
      const name = this.#names[this.#namePlace];
      if (name === undefined) return;
      this.#namePlace += 1;
      const text = await metrics.text(name);
      if (this.#isStopped) return;
      post([{ kind: 'series', name, text }]);
    } while (this.#spentMs() - beganMs < forMs && this.#namePlace < this.#names.length);
    if (this.#namePlace >= this.#names.length) this.#isAllTold = true;
  }

  #beginSeries(): void {
    const { metrics, post } = this.#options;
    this.#namePlace = 0;
    // Before the first state nobody knows which markets there are.
    if (this.#order.length > 0) metrics.keep(new Set(this.#order));
    const names = metrics.names();
    if (areSame(this.#names, names)) return;
    this.#names = names;
    post([{ kind: 'names', names }]);
  }
}

/** Details of a state repeat what a venue has said; the process that shows them knows none of its secrets. */
function textOf(part: object): string {
  return redactedJson(JSON.stringify(part));
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
