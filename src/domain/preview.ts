// What other settings would do to a running daemon: worked out on its state, without a trace in it.

import type { MarketId } from './ids.ts';
import type { UnixMs } from './time.ts';
import type { AppliesWhen, QuoteView } from './view.ts';

export type ParamChange = {
  readonly event: string;
  readonly market: string | undefined;
  readonly strategy: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly applies: AppliesWhen;
};

/** A wanted quote that a limit would keep from being placed. */
export type HeldQuote = QuoteView & { readonly limit: string };

export type SidePreview = {
  /** What rests now, best first. */
  readonly now: readonly QuoteView[];
  /** What would rest with the settings as they are, were everything done that is wanted now. */
  readonly unchanged: readonly QuoteView[];
  /** The same with the other settings. */
  readonly changed: readonly QuoteView[];
  readonly held: readonly HeldQuote[];
  /** Whether the settings make a difference here. */
  readonly moves: boolean;
  readonly cancels: number;
  readonly places: number;
};

export type MarketPreview = {
  readonly marketId: MarketId;
  readonly eventSlug: string;
  readonly title: string;
  readonly strategyNow: string;
  /** `undefined` where the market would be quoted no more. */
  readonly strategyAfter: string | undefined;
  /** Why nothing may be quoted with the other settings at this moment. */
  readonly blocked: string | undefined;
  /** What the strategy throws with them. */
  readonly failure: string | undefined;
  readonly bid: SidePreview;
  readonly ask: SidePreview;
};

export type QuotesPreview = {
  readonly atMs: UnixMs;
  readonly versionNow: string;
  readonly versionAfter: string;
  readonly params: readonly ParamChange[];
  readonly markets: readonly MarketPreview[];
  /** Chosen, and not quoted yet: nothing can be said of their books. */
  readonly added: readonly string[];
};
