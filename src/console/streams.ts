// Server-sent events for the pages that are open: each is told what changed since it was last told, at one
// pace, and one that does not read is told nothing until it does. What a page is told is the trader's own text.

import type { Timers } from '../domain/time.ts';

/** Where a stream is written: the part of a response of `node:http` that is needed. */
export type Sink = {
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', task: () => void): unknown;
};

export type StreamsOptions = {
  readonly timers: Timers;
  /** How the trader is; told with each beat, so that a page knows what its figures are worth. */
  readonly pulse: () => object;
};

type Stream = {
  readonly sink: Sink;
  /** What it has not been told since it changed. */
  readonly markets: Set<string>;
  isHeadDue: boolean;
  isOrderDue: boolean;
  /** The number of the last event that it was told. */
  events: number;
  beats: number;
  /** Beats in which it did not read. */
  unreadBeats: number;
};

type Event = { readonly number: number; readonly json: string };

/** Pages that are open; more are refused. */
export const STREAMS_MAX = 8;
export const BEAT_MS = 500;
/** Then it is ended, and a page asks anew with the session that it has by then: ten minutes. */
const BEATS_MAX = 1_200;
/** Markets in one beat: a thousand are told within three seconds. */
const MARKETS_PER_BEAT = 200;
/** A second of the largest beats. */
const UNREAD_MAX = 1_500_000;
/** Ten seconds without reading. */
const UNREAD_BEATS_MAX = 20;
const EVENTS_KEPT = 500;
/** Kept beside the other events, which would crowd them out. */
const FILLS_KEPT = 300;

export class Streams {
  readonly #options: StreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #markets = new Map<string, string>();
  readonly #events: Event[] = [];
  readonly #fills: Event[] = [];
  #head: string | undefined;
  #order: readonly string[] = [];
  #lastEvent = 0;
  #callOff: () => void = () => {};

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#streams.size;
  }

  onHead(json: string): void {
    this.#head = json;
    for (const stream of this.#streams) stream.isHeadDue = true;
  }

  onOrder(marketIds: readonly string[]): void {
    this.#order = marketIds;
    const kept = new Set(marketIds);
    for (const id of this.#markets.keys()) if (!kept.has(id)) this.#markets.delete(id);
    for (const stream of this.#streams) stream.isOrderDue = true;
  }

  onMarket(marketId: string, json: string): void {
    if (this.#markets.get(marketId) === json) return;
    this.#markets.set(marketId, json);
    for (const stream of this.#streams) stream.markets.add(marketId);
  }

  /** A trader that begins to speak anew says again what it has said lately; each event has a number of its own. */
  onEvent(json: string, isFill: boolean): void {
    const kept = isFill ? this.#fills : this.#events;
    if (kept.some((event) => event.json === json)) return;
    this.#lastEvent += 1;
    kept.push({ number: this.#lastEvent, json });
    if (kept.length > (isFill ? FILLS_KEPT : EVENTS_KEPT)) kept.shift();
  }

  /** Begins to tell; false where too many are open. */
  open(sink: Sink): boolean {
    if (this.#streams.size >= STREAMS_MAX) return false;
    const stream: Stream = {
      ...{ sink, markets: new Set(this.#order), isHeadDue: true, isOrderDue: true },
      ...{ events: 0, beats: 0, unreadBeats: 0 },
    };
    this.#streams.add(stream);
    sink.once('close', () => this.#streams.delete(stream));
    sink.write('retry: 1000\n\n');
    this.#tell(stream);
    if (this.#streams.size === 1) this.#armBeat();
    return true;
  }

  #armBeat(): void {
    this.#callOff();
    this.#callOff = this.#options.timers.after(BEAT_MS, () => {
      for (const stream of [...this.#streams]) this.#beat(stream);
      if (this.#streams.size > 0) this.#armBeat();
    });
  }

  #beat(stream: Stream): void {
    stream.beats += 1;
    const isUnread = stream.sink.writableLength > UNREAD_MAX;
    stream.unreadBeats = isUnread ? stream.unreadBeats + 1 : 0;
    if (stream.unreadBeats > UNREAD_BEATS_MAX) this.#drop(stream);
    else if (stream.beats > BEATS_MAX) stream.sink.end();
    else if (!isUnread) this.#tell(stream);
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream);
    stream.sink.destroy();
  }

  #tell(stream: Stream): void {
    const parts = [eventText('pulse', JSON.stringify(this.#options.pulse()))];
    if (stream.isOrderDue) parts.push(eventText('order', JSON.stringify(this.#order)));
    if (stream.isHeadDue && this.#head !== undefined) parts.push(eventText('head', this.#head));
    const markets = this.#marketsFor(stream);
    if (markets.length > 0) parts.push(eventText('markets', `[${markets.join(',')}]`));
    const events = this.#eventsAfter(stream.events);
    if (events.length > 0) parts.push(eventText('events', `[${events.join(',')}]`));
    stream.isOrderDue = false;
    stream.isHeadDue = false;
    stream.events = this.#lastEvent;
    stream.sink.write(parts.join(''));
  }

  #marketsFor({ markets }: Stream): readonly string[] {
    const texts: string[] = [];
    for (const id of markets) {
      if (texts.length === MARKETS_PER_BEAT) break;
      markets.delete(id);
      texts.push(...[this.#markets.get(id) ?? []].flat());
    }
    return texts;
  }

  #eventsAfter(number: number): readonly string[] {
    if (number === this.#lastEvent) return [];
    const after = [...this.#events, ...this.#fills].filter((event) => event.number > number);
    return after.sort((a, b) => a.number - b.number).map(({ json }) => json);
  }
}

/** JSON has no line end in it. */
function eventText(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
