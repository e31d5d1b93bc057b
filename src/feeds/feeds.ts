// The external prices of a running daemon: one feed for each source, as the settings name them.
// A price is stated to the core with its time, restated while it counts, and withdrawn as soon as its
// source says something that cannot be one: what it means then is not known.

import type { FeedChoice, FeedView } from '../domain/feed.ts';
import { Feed } from './feed.ts';
import type { FeedsOptions } from './update.ts';

export class FairFeeds {
  readonly #options: FeedsOptions;
  #feeds: ReadonlyMap<string, Running> = new Map();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  /** Runs exactly these: what is unchanged goes on, what is gone withdraws its price. */
  apply(choices: readonly FeedChoice[]): void {
    const next = new Map<string, Running>();
    for (const choice of choices) {
      const known = this.#feeds.get(choice.name);
      const text = textOf(choice);
      if (known?.text === text) next.set(choice.name, known);
    }
    for (const [name, { feed }] of this.#feeds) if (!next.has(name)) feed.stop(true);
    for (const choice of choices) {
      if (next.has(choice.name)) continue;
      next.set(choice.name, { feed: new Feed(choice, this.#options), text: textOf(choice) });
    }
    this.#feeds = next;
  }

  views(): readonly FeedView[] {
    return [...this.#feeds.values()].map(({ feed }) => feed.view());
  }

  stop(): void {
    for (const { feed } of this.#feeds.values()) feed.stop(false);
    this.#feeds = new Map();
  }
}

type Running = { readonly feed: Feed; readonly text: string };

/** Equal for equal choices; a secret comes from the environment and cannot change. */
function textOf(choice: FeedChoice): string {
  return JSON.stringify(choice);
}
