// One feed: its source, what is trusted of it, and how it is doing.

import type { FeedChoice, FeedCounts, FeedState, FeedView } from '../domain/feed.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import type { Reader } from './arrival.ts';
import { readFileSource } from './file-source.ts';
import { readHttpSource } from './http-source.ts';
import { Judge, type Taken, type Verdict } from './judge.ts';
import { readerOf } from './reader.ts';
import { lineOf, questionOf } from './request.ts';
import { readSocketSource } from './socket-source.ts';
import type { Source, SourceSink, SourceTools } from './source.ts';
import type { Refusal, Statement } from './statement.ts';
import type { FeedsOptions } from './update.ts';

/** A price is stated at most this often; of more only the newest matters. */
const GAP_MS = 50;
/** A price that counts is stated again this often: the core may not have known its market before. */
const RESTATE_MS = 1_000;

export class Feed {
  readonly #choice: FeedChoice;
  readonly #options: FeedsOptions;
  readonly #judge: Judge;
  readonly #reader: Reader;
  readonly #sources: readonly Source[];
  #taken: Taken | undefined;
  #isWithdrawn = false;
  #state: Exclude<FeedState, 'stale'> = 'waiting';
  #detail = 'nothing has been read yet';
  #sinceMs: UnixMs;
  #counts: FeedCounts = { taken: 0, refused: 0, skipped: 0, failures: 0 };
  #statedAtMs: UnixMs | undefined;
  #callOff: () => void = () => undefined;
  #isStopped = false;

  constructor(choice: FeedChoice, options: FeedsOptions) {
    this.#choice = choice;
    this.#options = options;
    this.#judge = new Judge(choice);
    this.#reader = readerOf(choice);
    this.#sinceMs = options.clock.nowMs();
    const { clock, timers, fromTimeOfDay, random, lookup } = options;
    const tools = { choice, clock, timers, fromTimeOfDay, random, lookup };
    const isStream = /^wss?:/.test(choice.from);
    this.#sources = [openSource({ ...tools, sink: this.#sink(isStream) })];
    if (choice.stream === undefined) return;
    // What is asked counts; what is told between makes it sooner, and its loss is no loss of the price.
    const sink = { ...this.#sink(true), onFailure: () => this.#count('failures') };
    const line = lineOf(choice, choice.stream);
    this.#sources = [...this.#sources, readSocketSource({ ...tools, sink }, line)];
  }

  /** @param withdraws - Whether the core is told that its price counts no more. */
  stop(withdraws: boolean): void {
    this.#isStopped = true;
    this.#callOff();
    for (const source of this.#sources) source.stop();
    if (withdraws) this.#tellFault('the feed was taken out of the configuration', true);
  }

  view(): FeedView {
    const { name, target, from } = this.#choice;
    const ageMs = this.#ageMs();
    const isStale = this.#state === 'ok' && ageMs !== undefined && ageMs > this.#choice.ageMsMax;
    return {
      name,
      event: target.kind === 'event' ? target.event : '',
      market: target.kind === 'event' ? target.market : target.marketId,
      from: withoutQuery(from),
      state: isStale ? 'stale' : this.#state,
      sinceMs: this.#sinceMs,
      detail: isStale ? `the last price is ${ageMs} ms old` : this.#detail,
      basis: this.#reader.basis?.(),
      volatility: this.#reader.volatility?.(),
      price: this.#taken === undefined ? undefined : String(this.#taken.price),
      ageMs,
      counts: this.#counts,
    };
  }

  #ageMs(): number | undefined {
    if (this.#taken === undefined) return undefined;
    return Math.max(0, this.#options.clock.nowMs() - this.#taken.atMs);
  }

  #sink(isStream: boolean): SourceSink {
    return {
      onText: (text, usualAtMs) => this.#onText(text, usualAtMs, isStream),
      onFailure: (detail) => this.#onFailure(detail),
      onTrouble: () => this.#count('failures'),
      isRefused: () => this.#state === 'refused',
    };
  }

  #onText(text: string, usualAtMs: UnixMs, isStream: boolean): void {
    if (this.#isStopped) return;
    const nowMs = this.#options.clock.nowMs();
    const reading = this.#reader.read({ text, isStream, usualAtMs, nowMs: this.#timeOfDay(nowMs) });
    const verdict: Verdict =
      reading.kind === 'stated'
        ? this.#judge.judge(this.#dated(reading), reading.heardAtMs ?? usualAtMs, nowMs)
        : reading;
    switch (verdict.kind) {
      case 'taken':
        this.#onTaken(verdict);
        break;
      case 'refused':
        this.#onRefused(verdict);
        break;
      case 'skipped':
        this.#count('skipped');
        break;
    }
  }

  #dated(statement: Statement): Statement {
    const { atMs } = statement;
    if (atMs === undefined) return statement;
    return { ...statement, atMs: this.#options.fromTimeOfDay(atMs) };
  }

  /** What an option has left is counted by it: where it was set back, the clock of here goes on ahead of it. */
  #timeOfDay(nowMs: UnixMs): UnixMs {
    return unixMs(nowMs - this.#options.fromTimeOfDay(unixMs(0)));
  }

  #onTaken(taken: Taken): void {
    this.#count('taken');
    this.#taken = taken;
    this.#isWithdrawn = false;
    this.#become('ok', '');
    this.#tellSoon();
  }

  #onRefused({ place, found, right }: Refusal): void {
    this.#count('refused');
    const detail = `${place} is ${found}; right would be ${right}`;
    this.#isWithdrawn = true;
    this.#become('refused', detail);
    this.#tell();
  }

  #onFailure(detail: string): void {
    if (this.#isStopped) return;
    this.#count('failures');
    // What it said last was no price, and silence does not make it one.
    this.#become('down', detail);
    this.#tell();
  }

  /** At once, unless it was stated a moment ago. */
  #tellSoon(): void {
    const { clock, timers } = this.#options;
    const nowMs = clock.nowMs();
    const waitMs = this.#statedAtMs === undefined ? 0 : this.#statedAtMs + GAP_MS - nowMs;
    // A clock that steps back must not hold a price back.
    if (waitMs <= 0 || waitMs > GAP_MS) {
      this.#tell();
      return;
    }
    this.#callOff();
    this.#callOff = timers.after(waitMs, () => this.#tell());
  }

  /** States the price while it counts, and what is wrong; and again later, for a market that appears. */
  #tell(): void {
    const { clock, timers, onUpdate } = this.#options;
    this.#callOff();
    if (this.#isStopped) return;
    this.#statedAtMs = clock.nowMs();
    const { target } = this.#choice;
    if (!this.#isWithdrawn && this.#taken !== undefined) {
      const { price, logOddsVar, atMs } = this.#taken;
      onUpdate({ kind: 'price', target, price, logOddsVar, statedAtMs: atMs });
    }
    if (this.#state !== 'ok') this.#tellFault(this.#detail, this.#isWithdrawn);
    this.#callOff = timers.after(RESTATE_MS, () => this.#tell());
  }

  #tellFault(fault: string, isWithdrawn: boolean): void {
    this.#options.onUpdate({ kind: 'fault', target: this.#choice.target, fault, isWithdrawn });
  }

  #become(state: Exclude<FeedState, 'stale'>, detail: string): void {
    const hasChanged = state !== this.#state;
    this.#state = state;
    this.#detail = detail;
    if (!hasChanged) return;
    this.#sinceMs = this.#options.clock.nowMs();
    this.#options.onState(this.view());
  }

  #count(what: keyof FeedCounts): void {
    this.#counts = { ...this.#counts, [what]: this.#counts[what] + 1 };
  }
}

function openSource(tools: SourceTools): Source {
  const { from } = tools.choice;
  if (/^https?:/.test(from)) return readHttpSource(tools, questionOf(tools.choice));
  if (/^wss?:/.test(from)) return readSocketSource(tools, lineOf(tools.choice, from));
  return readFileSource(tools);
}

function withoutQuery(from: string): string {
  const at = from.indexOf('?');
  return at >= 0 && /^\w+:\/\//.test(from) ? `${from.slice(0, at)}?[…]` : from;
}
