// Bugs about books: what is missed, misapplied, or kept too long.

import { BookMirror } from '../../../src/core/book/mirror.ts';
import { OwnSide, OwnSizes } from '../../../src/core/book/own.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { Subscriptions } from '../../../src/venue/ws/subscriptions.ts';
import {
  CUT_OFF_OFTEN,
  NO_WITNESS,
  SILENT_BOOKS,
  STUTTERING_BOOKS,
  unwitnessed,
} from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { all, regotten, replaced, told } from './tools.ts';

export const BOOK_BUGS: readonly Mutation[] = [
  {
    name: 'own-size-priced',
    about: 'prices from books with its own orders in them',
    lookIn: ['calm'],
    atRest: true,
    patch: () =>
      replaced(OwnSide.prototype, 'others', () => {
        return (_, displayed) => displayed;
      }),
  },
  {
    name: 'acknowledged-is-shown',
    about: 'takes an order out of its book as soon as it is acknowledged, shown or not',
    lookIn: ['calm', 'killer'],
    pace: 'brisk',
    hours: 0.1,
    circumstance: STUTTERING_BOOKS,
    patch: () => {
      // Another one whenever it is asked for, however often that is.
      let level = 1e12;
      return replaced(OwnSizes.prototype, 'othersAt', () => () => {
        level += 1e6;
        return microShares(level);
      });
    },
  },
  {
    name: 'late-traces-priced',
    about:
      'takes an order that it has cancelled for one of others where a late book still shows it',
    lookIn: ['calm', 'feed'],
    atRest: true,
    circumstance: { about: 'books are a second late', controls: { lateMs: 1_000 } },
    patch: () => regotten(BookMirror.prototype, 'lastVenueTs', () => undefined),
  },
  {
    name: 'delta-on-wrong-side',
    about: 'applies changes of bids to the asks, and the other way round',
    lookIn: ['calm'],
    atRest: true,
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'bookDelta'
          ? [{ ...message, side: message.side === 'bid' ? 'ask' : 'bid' }]
          : [message],
      ),
  },
  {
    name: 'removed-level-kept',
    about: 'does not take a level out of a book when its size becomes 0',
    lookIn: ['calm'],
    atRest: true,
    circumstance: NO_WITNESS,
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'bookDelta' && message.size === 0 ? [] : [message],
      ),
  },
  {
    name: 'later-snapshots-ignored',
    about: 'takes no snapshot of a book but the first',
    lookIn: ['dialects', 'stormy'],
    atRest: true,
    engine: (engine) => {
      const seen = new Set<string>();
      return told(engine, (message) => {
        if (message.kind !== 'bookSnapshot') return [message];
        if (seen.has(message.tokenId)) return [];
        seen.add(message.tokenId);
        return [message];
      });
    },
  },
  {
    name: 'books-outlive-connection',
    about: 'keeps its books and its session when the socket is lost',
    lookIn: ['calm', 'stormy'],
    circumstance: CUT_OFF_OFTEN,
    engine: (engine) => told(engine, (message) => (message.kind === 'socketLost' ? [] : [message])),
  },
  {
    name: 'pings-for-data',
    about: 'takes answered pings for living books, and compares books with nothing',
    lookIn: ['calm'],
    pace: 'brisk',
    hours: 0.1,
    circumstance: SILENT_BOOKS,
    engine: unwitnessed,
  },
  {
    name: 'subscription-not-renewed',
    about: 'does not subscribe again on a new connection',
    lookIn: ['stormy', 'account'],
    atRest: true,
    patch: () =>
      all(
        replaced(Subscriptions.prototype, 'all', () => () => []),
        replaced(Subscriptions.prototype, 'renew', () => () => []),
      ),
  },
];
