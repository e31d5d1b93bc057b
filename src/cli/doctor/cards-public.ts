// Cards of the public endpoints: they read, and need no credentials.

import {
  CardFailure,
  type HarmlessBench,
  type HarmlessCard,
  holds,
  payload,
  seen,
} from './card.ts';
import { isEvent } from './records.ts';
import { at, isList, listOf, textAt } from './shape.ts';

type Publicly = Omit<HarmlessCard, 'kind' | 'needsAccount'>;

/** Seconds that the venue's clock may differ from ours before signatures fail. */
const WINDOW_SEC = 30;

const CARDS: readonly Publicly[] = [
  {
    id: 'C-001',
    title: 'the venue answers at all',
    spec: 'Health',
    covers: ['endpoint GET /ok'],
    run: async ({ rest }) => {
      const answer = await rest.get('/ok');
      holds(answer.status >= 200 && answer.status < 300, `2xx expected, ${seen(answer)}`);
      return `HTTP ${answer.status}`;
    },
  },
  {
    id: 'C-002',
    title: 'its clock is told in Unix seconds and agrees with ours within the signing window',
    spec: 'Health',
    covers: ['endpoint GET /time', 'limit HMAC timestamp window'],
    run: async ({ rest, nowMs }) => {
      const beforeMs = nowMs();
      const data = payload(await rest.get('/time'), 'GET /time');
      const serverTime = Number(at(data, 'serverTime'));
      holds(serverTime > 1e9 && serverTime < 1e10, 'serverTime: Unix seconds expected');
      const offSec = serverTime - Math.floor((beforeMs + nowMs()) / 2_000);
      holds(Math.abs(offSec) < WINDOW_SEC, `the clocks are ${offSec} s apart`);
      return `${offSec} s from ours`;
    },
  },
  {
    id: 'C-003',
    title: 'every response comes in the envelope, a failure with a code and a message',
    spec: 'Resources and their fields',
    covers: ['text Resources and their fields 1', 'text Endpoints 1', 'text Errors 1'],
    run: async ({ rest }) => {
      payload(await rest.get('/time'), 'GET /time');
      const failure = await rest.get('/events/no-such-event-is-listed-here');
      holds(failure.status >= 400 && failure.success === false, `a failure: ${seen(failure)}`);
      holds(typeof failure.message === 'string', 'a failure has a message');
      // An older reference shows a failure without a code.
      const isCoded = typeof failure.code === 'string' || failure.code === undefined;
      holds(isCoded, 'a code is a text');
      return failure.code === undefined ? 'failures without a code' : 'failures with a code';
    },
  },
  {
    id: 'C-004',
    title: 'events are listed with everything an order needs',
    spec: 'Markets',
    covers: ['endpoint GET /events', 'text Event 1', 'fact Tick size'],
    run: async ({ rest }) => {
      const { items, data } = await listed(rest, '');
      for (const [index, event] of items.entries()) isEvent(event, `events[${index}]`);
      return isList.is(data) ? `a bare array of ${items.length}` : `a page of ${items.length}`;
    },
  },
  {
    id: 'C-005',
    title: 'the list is paged by limit and offset, 1 to 100 with 20 as the default',
    spec: 'Limits',
    covers: ['param Markets.limit', 'param Markets.offset', 'limit Event list page size'],
    run: async ({ rest }) => {
      const all = (await listed(rest, '?limit=100')).items.map((event) => textAt(event, 'id'));
      const plain = (await listed(rest, '')).items.map((event) => textAt(event, 'id'));
      holds(plain.length <= 20, `at most 20 without a limit, seen ${plain.length}`);
      const first = (await listed(rest, '?limit=1')).items.map((event) => textAt(event, 'id'));
      holds(first.length <= 1 && first[0] === all[0], 'limit=1 shows the first alone');
      const second = (await listed(rest, '?limit=1&offset=1')).items;
      holds(second[0] === undefined || textAt(second[0], 'id') === all[1], 'offset=1: the second');
      return `${all.length} on the first page of 100`;
    },
  },
  {
    id: 'C-006',
    title: 'a listing without a total still lists',
    spec: 'Markets',
    covers: ['param Markets.includeTotal'],
    run: async ({ rest }) => {
      const { items } = await listed(rest, '?includeTotal=false&limit=5');
      const all = await listed(rest, '?limit=5');
      holds(items.length === all.items.length, 'the items are the same with and without a total');
      return undefined;
    },
  },
  {
    id: 'C-007',
    title: 'the list is narrowed by status, category and a part of the title',
    spec: 'Markets',
    covers: ['param Markets.status', 'param Markets.category', 'param Markets.search'],
    run: async ({ rest, target }) => {
      const open = (await listed(rest, '?status=open&limit=100')).items;
      const isOpen = open.every((event) => textAt(event, 'status').toLowerCase() === 'open');
      holds(isOpen, 'status=open lists open events only');
      const category = encodeURIComponent(target.category);
      const alike = (await listed(rest, `?category=${category}&limit=100`)).items;
      const isAlike = alike.every((event) => textAt(event, 'category') === target.category);
      holds(isAlike && alike.length > 0, `category=${target.category} lists its own`);
      const search = encodeURIComponent(target.title.slice(0, 20));
      const found = (await listed(rest, `?search=${search}&limit=100`)).items;
      holds(found.some(isTarget(target.eventId)), 'search finds a part of a title');
      return `${open.length} open`;
    },
  },
  {
    id: 'C-008',
    title: 'a tag that nobody uses narrows the list or is not used',
    spec: 'Markets',
    covers: ['param Markets.tag'],
    run: async ({ rest }) => {
      const tagged = (await listed(rest, '?tag=no-event-has-this-tag')).items;
      holds(tagged.length === 0, 'tag=… lists events of that tag only');
      return undefined;
    },
  },
  {
    id: 'C-009',
    title: 'one event is found by its id and by its slug, whole',
    spec: 'Event',
    covers: [],
    touches: [
      'endpoint GET /events/:idOrSlug',
      ...['id', 'slug', 'title', 'category', 'marketType', 'status', 'tickSize', 'expiryTime'].map(
        (name) => `field Event.${name}`,
      ),
      'field Event.markets',
      ...['id', 'title', 'status', 'enableOrderBook', 'volume', 'outcomes'].map(
        (name) => `field Market.${name}`,
      ),
      ...['id', 'name', 'tokenId', 'outcomeIndex', 'lastPrice'].map(
        (name) => `field Outcome.${name}`,
      ),
    ],
    run: async ({ rest, target }) => {
      const byId = payload(await rest.get(`/events/${target.eventId}`), 'by id');
      const bySlug = payload(await rest.get(`/events/${target.slug}`), 'by slug');
      isEvent(byId, 'event');
      holds(textAt(byId, 'id') === textAt(bySlug, 'id'), 'id and slug name the same event');
      return target.slug;
    },
  },
  {
    id: 'C-010',
    title: 'no two outcomes share a token id',
    spec: 'What the service does',
    covers: ['text What the service does 2'],
    touches: ['text What the service does 1'],
    run: async ({ rest }) => {
      const { items } = await listed(rest, '?limit=100');
      const tokens = items.flatMap(tokensOf);
      holds(new Set(tokens).size === tokens.length, 'each token id stands once');
      return `${tokens.length} tokens`;
    },
  },
];

export const PUBLIC_CARDS: readonly HarmlessCard[] = CARDS.map((card) => ({
  ...card,
  kind: 'harmless',
  needsAccount: false,
}));

type Listed = { readonly items: readonly unknown[]; readonly data: unknown };

/** A page, or the bare array of an older reference. */
async function listed(rest: HarmlessBench['rest'], query: string): Promise<Listed> {
  const data = payload(await rest.get(`/events${query}`), `GET /events${query}`);
  if (isList.is(data)) return { items: listOf(data, 'events'), data };
  const items = at(data, 'items');
  if (items === undefined) throw new CardFailure('GET /events: neither a page nor a list');
  return { items: listOf(items, 'events.items'), data };
}

function isTarget(eventId: string): (event: unknown) => boolean {
  return (event) => at(event, 'id') === eventId;
}

function tokensOf(event: unknown): readonly string[] {
  return listOf(at(event, 'markets'), 'markets').flatMap((market) =>
    listOf(at(market, 'outcomes'), 'outcomes').map((outcome) => textAt(outcome, 'tokenId')),
  );
}
