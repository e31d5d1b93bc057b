// What may make a mirrored book doubtful, and the thresholds at which each signal speaks.

import type { TokenId } from './ids.ts';

/**
 * `trusted` prices. `suspect`: a signal spoke, quotes are pulled, resync is about to begin.
 * `resyncing`: a fresh baseline is in flight. `dead`: the socket is gone, or nothing helped so far.
 */
export type TrustState = 'trusted' | 'suspect' | 'resyncing' | 'dead';

export const TRUST_SIGNALS = [
  'socket',
  'snapshot',
  'crossed',
  'unreadable',
  'clock',
  'age',
  'depth',
  'parity',
  'ownOrder',
  'audit',
] as const;

export type TrustSignal = (typeof TRUST_SIGNALS)[number];

/** What brought a book back. */
export type ResyncedBy = 'subscribe' | 'snapshot' | 'rest' | 'connection';

export type TrustSettings = {
  /** A snapshot must follow a subscription within this time. */
  readonly snapshotMs: number;
  /** A book may look partially updated this long: the frames of one flush may be split by the network. */
  readonly partialUpdateMs: number;
  /** `ts` may run backwards by this much. */
  readonly clockBackMs: number;
  /** A delta or a snapshot may be this old by our clock and the venue's offset; 0 turns the signal off. */
  readonly frameAgeMs: number;
  /** YES and NO may contradict each other by this much, in USDC; 0 turns it off. */
  readonly parityEdge: number;
  /** ... and for this long. */
  readonly parityMs: number;
  /** An own resting order must show in the book within this time; 0 turns it off. */
  readonly ownOrderAuditMs: number;
  /** Books read over REST to compare, in rotation; 0 turns it off. */
  readonly auditsPerSec: number;
  /** ... and more often where one round of all books would take longer; 0 turns that off. */
  readonly auditRoundMs: number;
  /** REST may be older or newer than the socket by this much. */
  readonly auditAgeMs: number;
  /**
   * The connection is replaced for the sake of one book this often at most, and for one that stays ill ever less
   * often while any market has its books.
   */
  readonly reconnectMs: number;
};

/** In force where a configuration names nothing else; the settings take their defaults from here. */
export const TRUST_DEFAULTS: TrustSettings = Object.freeze({
  snapshotMs: 3_000,
  partialUpdateMs: 300,
  clockBackMs: 2_000,
  frameAgeMs: 5_000,
  parityEdge: 0.03,
  parityMs: 2_000,
  ownOrderAuditMs: 2_000,
  auditsPerSec: 2,
  auditRoundMs: 60_000,
  auditAgeMs: 1_000,
  reconnectMs: 60_000,
});

/** What is reported of mirrored books. */
export type BookReport =
  | {
      readonly event: 'book.state';
      readonly tokenId: TokenId;
      readonly state: string;
      readonly reason: string;
    }
  /** A signal spoke against the book of a token. */
  | {
      readonly event: 'book.doubt';
      readonly tokenId: TokenId;
      readonly signal: TrustSignal;
      readonly detail: string;
    }
  /** A book is trusted again, not for the first time; `wasRight` when it had not been wrong at all. */
  | {
      readonly event: 'book.resynced';
      readonly tokenId: TokenId;
      readonly signal: TrustSignal;
      readonly by: ResyncedBy;
      readonly tookMs: number;
      readonly wasRight: boolean;
    }
  /** Own orders show in the book of the other outcome as well, or no more: two in a row said so. */
  | { readonly event: 'book.unified'; readonly isUnified: boolean };
