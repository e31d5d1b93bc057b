// Cards of single markets: their books, prices and history. They read, and need no credentials.

import { type HarmlessCard, holds, payload, seen } from './card.ts';
import { CANDLE, isBook } from './records.ts';
import { at, hasFields, listOf, textAt } from './shape.ts';

type Publicly = Omit<HarmlessCard, 'kind' | 'needsAccount'>;

const INTERVALS = ['m1', 'm5', 'm15', 'h1', 'h4', 'd1'];
const PERIODS = ['today', 'weekly', 'monthly', 'all'];

const CARDS: readonly Publicly[] = [
  {
    id: 'C-011',
    title: 'the resolution of an event is told, of one market too',
    spec: 'Markets',
    covers: [],
    touches: ['endpoint GET /events/:id/resolution'],
    run: async ({ rest, target }) => {
      const path = `/events/${target.eventId}/resolution`;
      payload(await rest.get(path), path);
      payload(await rest.get(`${path}?marketId=${target.marketId}`), 'of one market');
      return undefined;
    },
  },
  {
    id: 'C-012',
    title: 'one market is told by its id',
    spec: 'Markets',
    covers: [],
    touches: ['endpoint GET /markets/:id'],
    run: async ({ rest, target }) => {
      payload(await rest.get(`/markets/${target.marketId}`), 'GET /markets/:id');
      return undefined;
    },
  },
  {
    id: 'C-013',
    title: 'categories are listed for filtering',
    spec: 'Markets',
    covers: [],
    touches: ['endpoint GET /categories', 'bullet Records without a shown shape 3'],
    run: async ({ rest }) => {
      payload(await rest.get('/categories'), 'GET /categories');
      return undefined;
    },
  },
  {
    id: 'C-014',
    title: 'a book is sorted from its touch outwards and no deeper than asked for',
    spec: 'Order book',
    covers: [
      'endpoint GET /orderbook/:tokenId',
      'text Order book 1',
      'limit Order book depth per side',
    ],
    run: async ({ rest, target }) => {
      const depths = { '': 50, '?depth=1': 1, '?depth=200': 200 };
      for (const [query, depth] of Object.entries(depths)) {
        const path = `/orderbook/${target.yes}${query}`;
        const book = payload(await rest.get(path), path);
        isBook(book, path);
        const deepest = Math.max(levels(book, 'bids').length, levels(book, 'asks').length);
        holds(deepest <= depth, `${path}: at most ${depth} levels a side`);
      }
      const { bid, ask } = touchOf(payload(await rest.get(`/orderbook/${target.yes}`), 'book'));
      holds(bid === undefined || ask === undefined || bid < ask, 'a book is not crossed');
      return `${bid ?? 'nothing'} bid, ${ask ?? 'nothing'} asked`;
    },
  },
  {
    id: 'C-015',
    title: 'the middle lies between the touches, and an empty side answers 404',
    spec: 'Errors',
    covers: ['endpoint GET /midpoint/:tokenId', 'rule Errors 1'],
    run: async ({ rest, target }) => {
      const before = touchOf(payload(await rest.get(`/orderbook/${target.yes}`), 'book'));
      const answer = await rest.get(`/midpoint/${target.yes}`);
      const after = touchOf(payload(await rest.get(`/orderbook/${target.yes}`), 'book'));
      // A book that moved in between confirms nothing in either direction.
      if (before.bid !== after.bid || before.ask !== after.ask) return 'the book moved';
      if (before.bid === undefined || before.ask === undefined) {
        holds(answer.status === 404, `404 expected for an empty side, ${seen(answer)}`);
        return 'a side is empty';
      }
      const mid = Number(at(payload(answer, 'GET /midpoint'), 'mid'));
      holds(Math.abs(mid - (before.bid + before.ask) / 2) < 1e-9, `not the middle: ${mid}`);
      return String(mid);
    },
  },
  {
    id: 'C-016',
    title: 'the price of either side is told, or its absence',
    spec: 'Order book',
    covers: [],
    touches: ['endpoint GET /price/:tokenId/:side'],
    run: async ({ rest, target }) => {
      for (const side of ['buy', 'sell']) {
        const answer = await rest.get(`/price/${target.yes}/${side}`);
        const isTold = answer.success === true || answer.status === 404;
        holds(isTold, `/price/…/${side}: a price or 404, ${seen(answer)}`);
      }
      return undefined;
    },
  },
  {
    id: 'C-017',
    title: 'candles come at six intervals',
    spec: 'Price history and feeds',
    covers: [],
    touches: ['endpoint GET /kline', 'text Price history and feeds 1', 'text Candle 1'],
    run: async ({ rest, target, nowMs }) => {
      const to = new Date(nowMs()).toISOString();
      const from = new Date(nowMs() - 3_600_000).toISOString();
      let taken = 'neither id';
      for (const interval of INTERVALS) {
        const query = `interval=${interval}&from=${from}&to=${to}`;
        const byToken = await rest.get(`/kline?outcomeId=${target.yes}&${query}`);
        const byOutcome = await rest.get(`/kline?outcomeId=${target.yesOutcomeId}&${query}`);
        const told = byToken.success === true ? byToken : byOutcome;
        for (const candle of listOf(payload(told, `kline ${interval}`), 'kline')) {
          hasFields(candle, CANDLE, `kline ${interval}`);
        }
        taken = [byToken, byOutcome].map(({ success }) => success === true).join();
      }
      return KLINE_IDS[taken] ?? taken;
    },
  },
  {
    id: 'C-018',
    title: 'the platform tells its settled trades',
    spec: 'Price history and feeds',
    covers: [],
    touches: ['endpoint GET /activity', 'bullet Records without a shown shape 2'],
    run: async ({ rest }) => {
      payload(await rest.get('/activity'), 'GET /activity');
      return undefined;
    },
  },
  {
    id: 'C-019',
    title: 'leaders are told for four periods',
    spec: 'Price history and feeds',
    covers: [],
    touches: ['endpoint GET /leaderboard'],
    run: async ({ rest }) => {
      for (const period of PERIODS) {
        payload(await rest.get(`/leaderboard?period=${period}`), `leaders of ${period}`);
      }
      return undefined;
    },
  },
];

export const MARKET_CARDS: readonly HarmlessCard[] = CARDS.map((card) => ({
  ...card,
  kind: 'harmless',
  needsAccount: false,
}));

const KLINE_IDS: Readonly<Record<string, string>> = {
  'true,true': 'by token id and by outcome id',
  'true,false': 'by token id',
  'false,true': 'by outcome id',
};

function levels(book: unknown, side: 'bids' | 'asks'): readonly unknown[] {
  return listOf(at(book, side), side);
}

/** Best prices of a book. */
export function touchOf(book: unknown): {
  readonly bid: number | undefined;
  readonly ask: number | undefined;
} {
  return { bid: best(levels(book, 'bids')), ask: best(levels(book, 'asks')) };
}

function best([first]: readonly unknown[]): number | undefined {
  return first === undefined ? undefined : Number(textAt(first, 'price'));
}
