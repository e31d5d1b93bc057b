// A venue whose every answer is written out from the interface document, and the client of this project
// against it: what the client asks is seen as bytes, what it reads is compared with values written here.

import { CardFailure, holds } from '../../../src/cli/doctor/card.ts';
import { eventId, intentId, marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { SILENT_OBSERVER } from '../../../src/domain/observe.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import type { MicroShares } from '../../../src/domain/shares.ts';
import type { Ticks } from '../../../src/domain/ticks.ts';
import { createVenueHttp, type VenueHttp } from '../../../src/venue/http/venue-http.ts';
import { SOCKET_SETTINGS, type VenueHttpOptions } from '../../../src/venue/options.ts';
import { VenueSocket, type VenueSocketOptions } from '../../../src/venue/ws/socket.ts';
import {
  type HttpDouble,
  type HttpDoubleOptions,
  ok,
  type SeenRequest,
  startHttpDouble,
} from '../../support/http-double.ts';
import { fixedCredentials, REAL_TIME } from '../../support/http-double-fixtures.ts';
import { type Lab, secretsOf, soon } from './lab.ts';
import type { Keys } from './raw-rest.ts';

/** Letters of both cases: none of them may be changed on the way. */
export const KEYS: Keys = {
  apiKey: 'Key-1',
  apiSecret: 'S3cret-Of-It',
  apiPassphrase: 'open Sesame',
};

export const YES = tokenId(`0x${'a1'.repeat(32)}`);
export const NO = tokenId(`0x${'a0'.repeat(32)}`);
export const FINE_YES = tokenId(`0x${'b1'.repeat(32)}`);
export const FINE_NO = tokenId(`0x${'b0'.repeat(32)}`);
export const RAIN_ID = marketId('market-rain');
export const SNOW_ID = marketId('market-snow');
export const EVENT_ID = eventId('event-weather');
export const HASH = `0x${'c1'.repeat(32)}`;
export const OTHER_HASH = `0x${'c2'.repeat(32)}`;

/** What the written venue lists, as the domain has it: one event of cents, one of tenths of a cent. */
export const LISTED: readonly Event[] = [
  eventOf(EVENT_ID, 'weather', { tickSize: '0.01', ticksPerUnit: 100 }, [RAIN_ID, YES, NO]),
  eventOf(eventId('event-snow'), 'snow', { tickSize: '0.001', ticksPerUnit: 1000 }, [
    SNOW_ID,
    FINE_YES,
    FINE_NO,
  ]),
];

function eventOf(
  id: Event['id'],
  slug: string,
  grid: Event['grid'],
  [market, yes, no]: readonly [typeof RAIN_ID, typeof YES, typeof NO],
): Event {
  return {
    ...{ id, slug, grid, title: `Of ${slug}`, category: 'weather', status: 'open' },
    expiryAtMs: undefined,
    markets: [
      {
        ...{ id: market, title: slug, status: 'open', enableOrderBook: true },
        yes: { id: outcomeId(`${slug}-yes`), name: 'Yes', tokenId: yes, outcomeIndex: 1 },
        no: { id: outcomeId(`${slug}-no`), name: 'No', tokenId: no, outcomeIndex: 0 },
      },
    ],
  };
}

const LOOKUP = {
  gridOf: (token: typeof YES) =>
    LISTED.find(({ markets }) =>
      markets.some(({ yes, no }) => [yes.tokenId, no.tokenId].includes(token)),
    )?.grid,
  tokensOf: (id: typeof RAIN_ID) =>
    LISTED.flatMap(({ markets }) => markets)
      .filter((market) => market.id === id)
      .flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]),
};

export class Written {
  readonly double: HttpDouble;
  readonly #lab: Lab;

  private constructor(double: HttpDouble, lab: Lab) {
    this.double = double;
    this.#lab = lab;
  }

  static async start(lab: Lab, options: HttpDoubleOptions = {}): Promise<Written> {
    const double = await startHttpDouble(options);
    lab.atEnd(async () => await double.stop());
    return new Written(double, lab);
  }

  client(change: Partial<VenueHttpOptions> = {}): VenueHttp {
    const http = createVenueHttp({
      baseUrl: this.double.baseUrl,
      credentials: fixedCredentials(secretsOf(KEYS)),
      ...{ clock: REAL_TIME, timers: REAL_TIME, tokens: LOOKUP },
      ...change,
    });
    this.#lab.atEnd(async () => await http.stop());
    return http;
  }

  /** The client's socket, and what it says to the core. */
  socket(change: Partial<VenueSocketOptions> = {}): {
    readonly socket: VenueSocket;
    readonly messages: readonly VenueMessage[];
  } {
    const messages: VenueMessage[] = [];
    const socket = new VenueSocket({
      url: this.double.wsUrl,
      settings: { ...SOCKET_SETTINGS, reconnectMsMin: 10, reconnectMsMax: 30 },
      ...{ unsubscribeEndsTrades: true, tokens: LOOKUP, clock: REAL_TIME, timers: REAL_TIME },
      credentials: () => secretsOf(KEYS),
      venueNowMs: () => REAL_TIME.nowMs(),
      cure: () => Promise.resolve(),
      emit: (message) => messages.push(message),
      observer: SILENT_OBSERVER,
      random: () => 0.5,
      ...change,
    });
    this.#lab.atEnd(() => socket.stop());
    return { socket, messages };
  }

  answers(method: string, path: string, data: unknown): void {
    this.double.on(method, path, ok(data));
  }

  /** The last request of a method and path. @throws {CardFailure} */
  seen(method: string, path: string): SeenRequest {
    const found = this.double.seen.findLast(
      (each) => each.method === method && pathOf(each).split('?')[0] === path,
    );
    if (!found) throw new CardFailure(`no request ${method} ${path}`);
    return found;
  }

  /** Frames of a type that the client sent, once there is one. */
  async sent(type: string, count = 1): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const found = () => this.double.frames.filter((frame) => frame['type'] === type);
    await soon(`${count} frames ${type} of the client`, () => found().length >= count);
    return found();
  }

  /** Says a frame on the connection that is open. */
  say(frame: unknown): void {
    this.double.sockets.at(-1)?.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }
}

/** What is signed of a request's address. */
export function pathOf({ url }: SeenRequest): string {
  return url.slice('/api'.length);
}

export function bodyOf({ body }: SeenRequest): unknown {
  return JSON.parse(body);
}

export function bid(change: Partial<LimitOrder> = {}): LimitOrder {
  return {
    intentId: intentId('i-1'),
    tokenId: YES,
    side: 'BUY',
    price: 29 as Ticks,
    quantity: 12_345_678 as MicroShares,
    lifetime: { timeInForce: 'GTC' },
    ...change,
  };
}

/** Holds a value to the one that is written out, field by field. @throws {CardFailure} */
export function same(seen: unknown, wanted: unknown, what: string): void {
  const [one, other] = [plain(seen), plain(wanted)];
  holds(one === other, `${what}: ${other} expected, seen ${one}`);
}

/** The value of a read that worked. @throws {CardFailure} */
export function answered<Value>(
  outcome: { readonly kind: 'ok'; readonly value: Value } | { readonly kind: string },
  what: string,
): Value {
  if (outcome.kind === 'ok' && 'value' in outcome) return outcome.value;
  throw new CardFailure(`${what}: an answer expected, seen ${plain(outcome)}`);
}

/** JSON with its keys in order; money as text, what is `undefined` left out. */
function plain(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
        : each,
    ) ?? 'nothing'
  );
}
