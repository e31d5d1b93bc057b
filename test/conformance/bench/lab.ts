// Embedded venues for cards that need more than the interface: another trader, failures on demand,
// other answers. Each card gets venues of its own, and all of them end with it.

import { type Answer, CardFailure } from '../../../src/cli/doctor/card.ts';
import { at, textAt } from '../../../src/cli/doctor/shape.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { Side } from '../../../src/domain/order.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { parsePrice, tickGrid } from '../../../src/domain/ticks.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { type EventPlan, plannedEvent } from '../../../src/paper/exchange/plan.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import type { VenueHttpOptions } from '../../../src/venue/options.ts';
import { tokenLookup } from '../../../src/wire/tokens.ts';
import { fixedCredentials, REAL_TIME } from '../../support/http-double-fixtures.ts';
import { patienceMs } from './patience.ts';
import { type Keys, RawRest } from './raw-rest.ts';
import { RawSocket } from './raw-socket.ts';

export const RAIN: EventPlan = {
  slug: 'rain',
  title: 'Will it rain tomorrow?',
  category: 'weather',
  tickSize: '0.01',
  tags: ['daily'],
  markets: [{ slug: 'rain', title: 'Rain' }],
};

export const RACE: EventPlan = {
  slug: 'race',
  title: 'Who wins the race?',
  category: 'sports',
  tickSize: '0.001',
  tags: ['outdoors'],
  markets: [
    { slug: 'ann', title: 'Ann' },
    { slug: 'ben', title: 'Ben' },
  ],
};

/** A match settles in 75 to 100 ms here and shows in balances 150 to 600 ms later. */
const TIME_SCALE = 0.005;
const LOOK_MS = 5;

export class Lab {
  readonly #endings: (() => Promise<void> | void)[] = [];

  async start(options: Partial<PaperOptions> = {}): Promise<LabVenue> {
    const venue = await startPaperVenue({
      ...{ events: [RAIN, RACE], seed: 11, timeScale: TIME_SCALE },
      ...options,
    });
    this.#endings.push(async () => await venue.stop());
    return new LabVenue(venue, (ending) => this.#endings.push(ending));
  }

  /** Ends with the card. */
  atEnd(ending: () => Promise<void> | void): void {
    this.#endings.push(ending);
  }

  async stop(): Promise<void> {
    for (const ending of this.#endings.splice(0).reverse()) await ending();
  }
}

/** The markets of a lab, by the names that cards use. */
export function listings() {
  const rain = plannedEvent(RAIN);
  const race = plannedEvent(RACE);
  return { rain, race, events: [rain, race] };
}

const { rain: RAIN_EVENT, race: RACE_EVENT } = listings();
export const RAIN_MARKET = marketOf(RAIN_EVENT, 0);
export const ANN_MARKET = marketOf(RACE_EVENT, 0);
export const BEN_MARKET = marketOf(RACE_EVENT, 1);
export const YES = RAIN_MARKET.yes.tokenId;
export const NO = RAIN_MARKET.no.tokenId;
export const ANN_YES = ANN_MARKET.yes.tokenId;
export { RACE_EVENT, RAIN_EVENT };

export type CrowdOrder = {
  readonly tokenId?: TokenId;
  readonly timeInForce?: 'GTC' | 'FOK' | 'FAK';
  readonly trader?: string;
};

export class LabVenue {
  readonly venue: PaperVenue;
  readonly rest: RawRest;
  readonly #atEnd: (ending: () => Promise<void> | void) => void;

  constructor(venue: PaperVenue, atEnd: (ending: () => Promise<void> | void) => void) {
    this.venue = venue;
    this.#atEnd = atEnd;
    this.rest = this.restOf(venue.account);
  }

  get keys(): Keys {
    return this.venue.account;
  }

  restOf(keys: Keys | undefined): RawRest {
    const rest = new RawRest(this.venue.baseUrl, keys);
    this.#atEnd(() => rest.close());
    return rest;
  }

  /** The client of this project, with the real catalogue. */
  client(keys: Keys = this.keys, change: Partial<VenueHttpOptions> = {}): VenueHttp {
    const http = createVenueHttp({
      baseUrl: this.venue.baseUrl,
      credentials: fixedCredentials(secretsOf(keys)),
      clock: REAL_TIME,
      timers: REAL_TIME,
      tokens: tokenLookup([RAIN_EVENT, RACE_EVENT]),
      ...change,
    });
    this.#atEnd(async () => await http.stop());
    return http;
  }

  async socket(keys?: Keys, options: { readonly autoPong?: boolean } = {}): Promise<RawSocket> {
    const socket = await RawSocket.open(this.venue.wsUrl, options);
    this.#atEnd(() => socket.close());
    if (keys) await socket.authenticate(keys);
    return socket;
  }

  place(order: Readonly<Record<string, unknown>> = {}, rest = this.rest): Promise<Answer> {
    return rest.post('/orders', { tokenId: YES, side: 'BUY', price: 0.4, quantity: 10, ...order });
  }

  /** The hash of an order that must be taken. @throws {CardFailure} */
  async rests(order: Readonly<Record<string, unknown>> = {}, rest = this.rest): Promise<string> {
    const answer = await this.place(order, rest);
    if (answer.success !== true) throw new CardFailure(`not placed: ${answer.text}`);
    const orderHash = textAt(answer.data, 'orderHash');
    // It is listed at once and reaches the book a moment later.
    await soon('the order in the book', () => this.#isInBook(orderHash));
    return orderHash;
  }

  async order(orderHash: string, rest = this.rest): Promise<unknown> {
    const { data } = await rest.signedGet('/orders');
    return Array.isArray(data)
      ? data.find((order) => at(order, 'orderHash') === orderHash)
      : undefined;
  }

  /** A trader of the crowd acts at once. */
  crowd(side: Side, price: string, quantity: number, order: CrowdOrder = {}): void {
    const { desk } = this.venue;
    const { tokenId = YES, timeInForce = 'GTC', trader = 'crowd' } = order;
    desk.fund(trader, usdc(1_000_000));
    const { market, listed } = this.#marketOfToken(tokenId);
    if (side === 'SELL') desk.mintSets(trader, market.id, shares(quantity));
    const grid = tickGrid(listed.grid.tickSize);
    const answer = desk.place(trader, {
      ...{ tokenId, side, timeInForce },
      price: parsePrice(grid, price),
      quantity: shares(quantity),
    });
    if (answer.kind === 'refused') throw new CardFailure(`the crowd was refused: ${answer.code}`);
  }

  /** The maker's balances over REST. */
  async balances(rest = this.rest): Promise<unknown> {
    return (await rest.signedGet('/portfolio/balances')).data;
  }

  /** Gives the maker settled shares of every outcome of the rain market. */
  async split(amount: string, rest = this.rest): Promise<void> {
    const answer = await rest.post('/positions/split', { eventId: RAIN_EVENT.id, amount });
    if (answer.success !== true) throw new CardFailure(`not split: ${answer.text}`);
  }

  #isInBook(orderHash: string): boolean {
    const { books } = this.venue.exchange.context;
    return this.venue.exchange.catalogue.markets().some((market) =>
      books
        .of(market)
        .orders()
        .some(({ terms }) => terms.orderHash === orderHash),
    );
  }

  #marketOfToken(tokenId: TokenId) {
    for (const listed of [RAIN_EVENT, RACE_EVENT]) {
      const market = listed.markets.find(({ yes, no }) =>
        [yes.tokenId, no.tokenId].includes(tokenId),
      );
      if (market) return { market, listed };
    }
    throw new CardFailure(`no market has ${tokenId}`);
  }
}

/** Asks until it is so. @throws {CardFailure} */
export async function soon(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = patienceMs(),
): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new CardFailure(`never so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

export function secretsOf(keys: Keys) {
  return {
    apiKey: new Secret(keys.apiKey),
    apiSecret: new Secret(keys.apiSecret),
    apiPassphrase: new Secret(keys.apiPassphrase),
  };
}

function marketOf(event: Event, index: number) {
  const market = event.markets[index];
  if (!market) throw new Error(`the plan of ${event.slug} has no market ${index}`);
  return market;
}
