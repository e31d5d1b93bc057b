// Prices from outside the venue: where each comes from, and how its source is doing.

import type { FairTarget } from './input.ts';
import type { Secret } from './secret.ts';
import type { UnixMs } from './time.ts';

/** One source of external prices, complete and validated. */
export type FeedChoice = {
  readonly name: string;
  readonly target: FairTarget;
  /** A path, or an `http(s)://` or `ws(s)://` address: its form says how it is read. */
  readonly from: string;
  /** A second address of the same source that tells changes between what is asked; without it nothing is missing. */
  readonly stream?: string | undefined;
  /** JSON pointers; a stated one must be there, the usual ones may be absent. */
  readonly fields: {
    readonly price: string;
    /** Best bid and best ask in place of the price: their middle is it. */
    readonly touch?: { readonly bid: string; readonly ask: string } | undefined;
    readonly uncertainty: string | undefined;
    readonly time: string | undefined;
  };
  /** Only documents with this text at this pointer are about the market. */
  readonly only: { readonly field: string; readonly value: string } | undefined;
  /** Sent when a socket opens. */
  readonly subscribe: string | undefined;
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** A value older than this is an outage; the same limit that the core holds it to. */
  readonly ageMsMax: number;
  /** A move beyond this, from one fresh value to the next, is not trusted at once. */
  readonly jumpMax: number;
  /** It is trusted when so many readings in a row agree. */
  readonly jumpReadings: number;
  readonly auth: { readonly header: string; readonly secret: Secret } | undefined;
  /** The source is another venue's order books. */
  readonly venue?: VenueMids | undefined;
  /** What is read is a spot price; the price of YES follows from it. */
  readonly digital?: DigitalOption | undefined;
  /** YES here is what does not happen there. */
  readonly isInverted?: boolean;
};

/** Which outcomes of another venue make YES here, and how its books are read. */
export type VenueMids = {
  readonly name: 'polymarket' | 'kalshi' | 'betfair';
  /** Token ids, tickers or selection ids. YES is any of them: they exclude each other. */
  readonly outcomes: readonly string[];
  /** Betfair: the market that the selections are of. */
  readonly market: string | undefined;
  /** The middle of a wider spread says nothing. */
  readonly spreadMax: number;
  /** Betfair: the application key, and the address that keeps a session alive. */
  readonly appKey: Secret | undefined;
  readonly keepAlive: string | undefined;
};

/** A digital option: YES where the spot price at the expiry is above the strike, or between two. */
export type DigitalOption = {
  readonly strike: number;
  readonly strikeUpper: number | undefined;
  readonly expiryMs: UnixMs;
  /** Deviation of the log price over the root of a year; where the fit begins. */
  readonly volatility: number;
  readonly volatilityMin: number;
  readonly volatilityMax: number;
  readonly halfLifeMs: number;
  readonly sampleMs: number;
};

export type FeedState =
  /** Nothing has been read yet. */
  | 'waiting'
  | 'ok'
  /** The source works, and its last value is too old. */
  | 'stale'
  /** The last thing it said is no price; the price before is withdrawn. */
  | 'refused'
  /** It cannot be read; the price before counts until it is too old. */
  | 'down';

/** How one source is doing, for people and metrics. */
export type FeedView = {
  readonly name: string;
  readonly event: string;
  readonly market: string | undefined;
  /** The address without its query, which may hold a key. */
  readonly from: string;
  readonly state: FeedState;
  readonly sinceMs: UnixMs;
  /** What is wrong, empty when nothing is. */
  readonly detail: string;
  /** What the price was made of, where that is more than it. */
  readonly basis?: string | undefined;
  /** Fitted volatility of the spot price, over the root of a year. */
  readonly volatility?: number | undefined;
  /** The last price that was taken, exact. */
  readonly price: string | undefined;
  readonly ageMs: number | undefined;
  readonly counts: FeedCounts;
};

export type FeedCounts = {
  readonly taken: number;
  readonly refused: number;
  /** About something else, or older than what is known. */
  readonly skipped: number;
  /** Times the source could not be read. */
  readonly failures: number;
};
