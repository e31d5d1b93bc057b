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
  openSocket(): Promise<RawSocket>;
};

/** Who is shown to hold to a row: the venue, this client, or the whole daemon. */
export type Party = 'venue' | 'client' | 'daemon';

/** Runs anywhere. `destructive`: it places orders or moves money, and takes back what it can. */
export type AnywhereCard = CardText & {
  readonly kind: 'harmless' | 'destructive';
  readonly needsAccount: boolean;
  /** Two traders meet in it: it trades for a few dollars. */
  readonly needsSecond?: true;
  readonly run: (bench: Bench) => Promise<string | undefined>;
};

/** Needs failures, pauses, other dialects or another trader on demand. */
export type EmbeddedCard = CardText & {
  readonly kind: 'embedded';
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
  return destructive(...cards).map((card): AnywhereCard => ({ ...card, needsSecond: true }));
}

export function embedded(...cards: readonly Omit<EmbeddedCard, 'kind'>[]) {
  return cards.map((card): EmbeddedCard => ({ ...card, kind: 'embedded' }));
}

/** Cards of this client, against a venue that is written out. */
export function ofClient(...cards: readonly Omit<EmbeddedCard, 'kind' | 'of'>[]) {
  return cards.map((card): EmbeddedCard => ({ ...card, kind: 'embedded', of: ['client'] }));
}

/** Cards of the daemon: core, loop and client. */
export function ofDaemon(...cards: readonly Omit<EmbeddedCard, 'kind' | 'of'>[]) {
  return cards.map((card): EmbeddedCard => ({ ...card, kind: 'embedded', of: ['daemon'] }));
}
