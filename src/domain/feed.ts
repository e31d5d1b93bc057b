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
  /** JSON pointers; a stated one must be there, the usual ones may be absent. */
  readonly fields: {
    readonly price: string;
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
