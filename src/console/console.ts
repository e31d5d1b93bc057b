// The operator's page, for those who serve it: its files, its stream and its history, made of what the trader
// has said to them anyway.

import type { Clock, Timers } from '../domain/time.ts';
import { PAGE_HEADERS, type PageFile, pageFiles } from './files.ts';
import { LastFills } from './fills.ts';
import { History, type PastPoint } from './history.ts';
import { Looks } from './looks.ts';
import { type Sink, Streams } from './streams.ts';

export type ConsoleOptions = {
  /** Time of day. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly pulse: () => object;
  /** Pages show these markets, and no others. */
  readonly onLook: (marketIds: readonly string[]) => void;
};

/** What the trader has said, as far as the page shows it. */
export type Shown =
  | { readonly kind: 'head'; readonly json: string }
  | { readonly kind: 'order'; readonly marketIds: readonly string[] }
  | { readonly kind: 'market'; readonly marketId: string; readonly json: string }
  | { readonly kind: 'event'; readonly isFill: boolean; readonly json: string };

export class Console {
  readonly headers = PAGE_HEADERS;
  readonly #files = pageFiles();
  readonly #streams: Streams;
  readonly #history: History;
  readonly #fills: LastFills;
  readonly #looks: Looks;

  constructor(options: ConsoleOptions) {
    this.#streams = new Streams(options);
    this.#history = new History(options.clock);
    this.#fills = new LastFills(options.clock);
    this.#looks = new Looks(options.clock, options.onLook);
  }

  /** `undefined` where the page has no such file. */
  file(name: string): PageFile | undefined {
    return this.#files.get(name);
  }

  /** Begins to tell; false where too many pages are open. */
  stream(sink: Sink): boolean {
    return this.#streams.open(sink);
  }

  history(marketId: string | undefined): string | undefined {
    const json = this.#history.json(marketId);
    if (marketId !== undefined && json !== undefined) this.#looks.add(marketId);
    return json;
  }

  /** What earlier runs have left of the last day. */
  recall(past: readonly PastPoint[]): void {
    this.#history.recall(past);
  }

  /** The markets that pages show now. */
  get looks(): readonly string[] {
    return this.#looks.marketIds;
  }

  apply(shown: Shown): void {
    switch (shown.kind) {
      case 'head':
        this.#streams.onHead(shown.json);
        this.#history.onHead(shown.json);
        this.#looks.prune();
        return;
      case 'order':
        this.#streams.onOrder(shown.marketIds);
        this.#history.onOrder(shown.marketIds);
        return;
      case 'market':
        this.#streams.onMarket(shown.marketId, this.#fills.withFills(shown.marketId, shown.json));
        this.#history.onMarket(shown.marketId, shown.json);
        return;
      case 'event':
        if (shown.isFill) this.#fills.onFill(shown.json);
        this.#streams.onEvent(shown.json, shown.isFill);
    }
  }
}
