// The older reference: everything it shows otherwise, spoken by one venue and read by the client.

import { CardFailure, holds, payload } from '../../../src/cli/doctor/card.ts';
import { ACCOUNT_CARDS } from '../../../src/cli/doctor/cards-account.ts';
import { MARKET_CARDS } from '../../../src/cli/doctor/cards-market.ts';
import { PUBLIC_CARDS } from '../../../src/cli/doctor/cards-public.ts';
import { at, textAt } from '../../../src/cli/doctor/shape.ts';
import { targetOf } from '../../../src/cli/doctor/target.ts';
import type { ReadOutcome } from '../../../src/domain/message.ts';
import { OLDER_DIALECT } from '../../../src/paper/api/dialect.ts';
import type { PortfolioRecord } from '../../../src/venue/http/account-reads.ts';
import { embedded } from '../bench/bench.ts';
import { RAIN_EVENT, YES } from '../bench/lab.ts';
import { answered, same } from '../bench/written.ts';

export const GENERATION_CARDS = embedded(
  'readings',
  {
    id: 'C-170',
    title: 'the older reference lists a bare array, in upper case, with numbers',
    spec: 'Event',
    covers: ['text Event 1', 'field Event.status', 'field Event.tickSize', 'field Market.status'],
    run: async (lab) => {
      const venue = await lab.start({ dialect: OLDER_DIALECT });
      const events = payload(await venue.rest.get('/events'), 'GET /events');
      holds(Array.isArray(events), 'a bare array');
      holds(at(events, 0, 'status') === 'OPEN', 'OPEN');
      holds(at(events, 0, 'tickSize') === 0.01, 'a number');
      holds(typeof at(events, 0, 'markets', 0, 'outcomes', 0, 'lastPrice') === 'number', 'too');
      const listing = await venue.client().readAllEvents();
      holds(listing.kind === 'ok' && listing.value.events.length === 2, 'the client reads both');
      holds(listing.kind === 'ok' && listing.value.skipped.length === 0, 'and leaves out nothing');
      return undefined;
    },
  },
  {
    id: 'C-171',
    title: 'the older failure has no code, and the client refuses it without reading the message',
    spec: 'Resources and their fields',
    of: ['venue', 'client'],
    covers: ['text Resources and their fields 1', 'text Errors 1'],
    run: async (lab) => {
      const venue = await lab.start({ dialect: OLDER_DIALECT });
      const answer = await venue.rest.get('/events/nowhere');
      holds(answer.success === false && answer.code === undefined, 'no code');
      const outcome = await venue.client().readEvent('nowhere');
      holds(outcome.kind === 'refused', 'a refusal in the client');
      holds(outcome.refusal.code === undefined, 'without a code');
      holds(outcome.refusal.httpStatus === 404, 'with its status');
      return undefined;
    },
  },
  {
    id: 'C-172',
    title: 'the older order names its type orderType, the older book adds tokenId and ts',
    spec: 'Order',
    covers: ['field Order.timeInForce', 'text Order book 1'],
    run: async (lab) => {
      const venue = await lab.start({ dialect: OLDER_DIALECT });
      const order = payload(await venue.place(), 'POST /orders');
      holds(at(order, 'orderType') === 'GTC' && at(order, 'timeInForce') === undefined, 'GTC');
      const book = payload(await venue.rest.get(`/orderbook/${YES}`), 'book');
      holds(at(book, 'tokenId') === YES && Number(at(book, 'ts')) > 1e12, 'tokenId and ts');
      const read = await venue.client().readBook(YES);
      holds(read.kind === 'ok' && read.value.venueTs !== undefined, 'the client takes the ts');
      return undefined;
    },
  },
  {
    id: 'C-173',
    title: 'every harmless card holds in the older generation as well',
    spec: 'Versioning',
    covers: ['bullet Versioning 1', 'bullet Versioning 2', 'text preface 1'],
    touches: ['bullet Versioning 6'],
    run: async (lab) => {
      const venue = await lab.start({ dialect: OLDER_DIALECT });
      const target = await targetOf(venue.rest, 'rain');
      const cards = [...PUBLIC_CARDS, ...MARKET_CARDS, ...ACCOUNT_CARDS];
      for (const card of cards) {
        await card.run({ rest: venue.rest, target, nowMs: Date.now }).catch((error: unknown) => {
          throw new CardFailure(`${card.id}: ${String(error)}`);
        });
      }
      return `${cards.length} cards`;
    },
  },
  {
    id: 'C-174',
    title: 'paths carry the /api prefix and no version, and nothing else answers',
    spec: 'Versioning',
    covers: ['bullet Versioning 1', 'text preface 2', 'bullet Versioning 5'],
    run: async (lab) => {
      const venue = await lab.start();
      const url = new URL(venue.venue.baseUrl);
      holds(url.pathname === '/api', 'the base address ends in /api');
      holds(new URL(venue.venue.wsUrl).pathname === '/ws', 'the socket is at /ws');
      const outside = venue.restOf(undefined);
      for (const path of ['/v1/time', '/../time', '/']) {
        const answer = await outside.get(path);
        holds(answer.success === false && answer.status === 404, `${path}: 404 in the envelope`);
      }
      return undefined;
    },
  },
  {
    id: 'C-175',
    title: 'an event is narrowed to by tag, and a page without a total has none',
    spec: 'Markets',
    covers: ['param Markets.tag', 'param Markets.includeTotal'],
    run: async (lab) => {
      const venue = await lab.start();
      const tagged = payload(await venue.rest.get('/events?tag=daily'), 'tag');
      holds(at(tagged, 'total') === 1, 'one event has this tag');
      holds(textAt(tagged, 'items', 0, 'id') === RAIN_EVENT.id, 'the right one');
      const bare = payload(await venue.rest.get('/events?includeTotal=false'), 'no total');
      holds(at(bare, 'total') === undefined, 'no total');
      holds(at(bare, 'limit') === 20 && at(bare, 'offset') === 0, 'the defaults');
      return undefined;
    },
  },
  {
    id: 'C-176',
    title: 'what has no shown shape is handed on by the client as it comes, whatever it is',
    spec: 'Records without a shown shape',
    of: ['client'],
    covers: [1, 2, 3].map((bullet) => `bullet Records without a shown shape ${bullet}`),
    run: async (lab) => {
      const venue = await lab.start();
      const client = venue.client();
      const records = ['summary', 'positions', 'trades', 'deposits', 'withdrawals', 'transactions'];
      const reads: readonly (readonly [string, () => Promise<ReadOutcome<unknown>>])[] = [
        ...records.map((name) => {
          const record = name as PortfolioRecord;
          return [`/portfolio/${name}`, () => client.readPortfolio(record)] as const;
        }),
        ['/positions/claimable', () => client.readClaimable()],
        ['/activity', () => client.readActivity()],
        ['/leaderboard?period=all', () => client.readLeaderboard('all')],
        ['/categories', () => client.readCategories()],
        [`/events/${RAIN_EVENT.id}/resolution`, () => client.readResolution(RAIN_EVENT.id)],
        [`/portfolio/market/${marketId()}`, () => client.readMarketPositions(marketId())],
        [`/markets/${marketId()}`, () => client.readMarket(marketId())],
      ];
      for (const [path, ask] of reads) {
        const { data } = await venue.rest.signedGet(path);
        same(answered(await ask(), path), data, path);
      }
      return `${reads.length} reads`;
    },
  },
);

function marketId() {
  const [market] = RAIN_EVENT.markets;
  if (!market) throw new CardFailure('the plan has a market');
  return market.id;
}
