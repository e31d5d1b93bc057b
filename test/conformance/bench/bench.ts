// What a card may use: any venue by its addresses, or an embedded venue with powers that no other has.

import type { CardText, HarmlessBench, Target } from '../../../src/cli/doctor/card.ts';
import type { Lab } from './lab.ts';
import type { Keys, RawRest } from './raw-rest.ts';
import type { RawSocket } from './raw-socket.ts';

/** An account, and requests signed by it. */
export type Trader = { readonly rest: RawRest; readonly keys: Keys };

export type Bench = Omit<HarmlessBench, 'rest'> & {
  readonly rest: RawRest;
  readonly target: Target;
  /** Only cards that need an account may ask for it. */
  readonly keys: Keys;
  /** Another account, for cards in which two traders meet; only those may ask for it. */
  readonly second: Trader;
  /** @param options - `autoPong: false` leaves native pings without an answer. */
  openSocket(options?: { readonly autoPong?: boolean }): Promise<RawSocket>;
};

/** Who is shown to hold to a row: the venue, this client, or the whole daemon. */
export type Party = 'venue' | 'client' | 'daemon';

/** Runs anywhere. `destructive`: it places orders or moves money, and takes back what it can. */
export type AnywhereCard = CardText & {
  readonly kind: 'harmless' | 'destructive';
  readonly needsAccount: boolean;
  /** Two traders meet in it: it trades for a few dollars. */
  readonly needsSecond?: true;
  /** Something in it takes minutes of a real venue: settlement, the index of positions, pings. */
  readonly isSlow?: true;
  readonly run: (bench: Bench) => Promise<string | undefined>;
};

/** Why a card cannot run against any venue: what it needs that no interface offers. */
export const NEEDS = {
  answers: 'answers that are written out, for the client to read',
  failures: 'a venue that fails or refuses when told to',
  statuses: 'markets that pause, close or resolve when told to',
  clock: 'a venue whose clock the card moves',
  readings: 'a venue that reads the interface otherwise, or has other rules, when told to',
  keys: 'keys that are renewed, or bearer tokens that are issued, when told to',
  alone: 'books that nobody else is in',
  excess: 'a buffer or a connection that is filled on purpose',
  configuration: 'no venue at all',
} as const;

export type Need = keyof typeof NEEDS;

/** Needs what only an embedded venue of the card has. */
export type EmbeddedCard = CardText & {
  readonly kind: 'embedded';
  readonly needs: Need;
  /** The venue where nothing is said. */
  readonly of?: readonly Party[];
  readonly run: (lab: Lab) => Promise<string | undefined>;
};

export type Card = AnywhereCard | EmbeddedCard;

export function harmless(...cards: readonly Omit<AnywhereCard, 'kind' | 'needsAccount'>[]) {
  return cards.map((card): AnywhereCard => ({ ...card, kind: 'harmless', needsAccount: true }));
}

export function destructive(...cards: readonly Omit<AnywhereCard, 'kind' | 'needsAccount'>[]) {
  return cards.map((card): AnywhereCard => ({ ...card, kind: 'destructive', needsAccount: true }));
}

/** Cards in which two accounts of any venue trade with each other. */
export function paired(...cards: readonly Omit<AnywhereCard, 'kind' | 'needsAccount'>[]) {
  return destructive(...cards).map(
    (card): AnywhereCard => ({ ...card, needsSecond: true, isSlow: true }),
  );
}

type Unplaced = Omit<EmbeddedCard, 'kind' | 'needs'> & { readonly needs?: Need };

/** @param needs - What the cards need that do not say it for themselves. */
export function embedded(needs: Need, ...cards: readonly Unplaced[]) {
  return cards.map((card): EmbeddedCard => ({ needs, ...card, kind: 'embedded' }));
}

/** Cards of this client, against a venue that is written out. */
export function ofClient(...cards: readonly Omit<Unplaced, 'of'>[]) {
  return embedded('answers', ...cards.map((card): Unplaced => ({ ...card, of: ['client'] })));
}

/** Cards of the daemon: core, loop and client. */
export function ofDaemon(needs: Need, ...cards: readonly Omit<Unplaced, 'of'>[]) {
  return embedded(needs, ...cards.map((card): Unplaced => ({ ...card, of: ['daemon'] })));
}
