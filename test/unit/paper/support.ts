// A venue in process on a virtual clock, and a client that signs for itself: nothing of ours but the
// venue under test computes what these tests expect.

import { createHmac } from 'node:crypto';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { tokenId } from '../../../src/domain/ids.ts';
import type { Side } from '../../../src/domain/order.ts';
import { type MicroShares, shares } from '../../../src/domain/shares.ts';
import { type Ticks, tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { type DirectVenue, openDirectVenue } from '../../../src/paper/direct.ts';
import { type EventPlan, plannedEvent } from '../../../src/paper/exchange/plan.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';

export const START_MS = Date.parse('2026-11-21T12:00:00.000Z');

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
  markets: [
    { slug: 'ann', title: 'Ann' },
    { slug: 'ben', title: 'Ben' },
  ],
};

const [rain] = plannedEvent(RAIN).markets;
const [ann, ben] = plannedEvent(RACE).markets;
if (!rain || !ann || !ben) throw new Error('the plans have markets');

export const YES = rain.yes.tokenId;
export const NO = rain.no.tokenId;
export const RAIN_MARKET = rain.id;
export const RAIN_YES_OUTCOME = rain.yes.id;
export const ANN_YES = ann.yes.tokenId;
export const ANN_MARKET = ann.id;
export const BEN_MARKET = ben.id;
export const UNKNOWN_TOKEN = tokenId(`0x${'f'.repeat(64)}`);

export const CENT = tickGrid('0.01');

export function cents(count: number): Ticks {
  return ticks(CENT, count);
}

export type Keys = DirectVenue['account'];

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly success: unknown;
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
};

export type Asked = {
  readonly as?: Keys | 'nobody';
  readonly body?: unknown;
  /** Sent in place of the serialised `body`. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

export class TestVenue {
  readonly clock: VirtualClock;
  readonly venue: DirectVenue;

  constructor(options: Partial<PaperOptions> = {}) {
    this.clock = new VirtualClock({ startMs: START_MS });
    const time = { clock: this.clock, timers: this.clock };
    this.venue = openDirectVenue({ events: [RAIN, RACE], seed: 7, ...options, ...time });
  }

  advance(ms: number): void {
    this.clock.advance(ms);
  }

  /** Past the way to the matching engine, long before any settlement. */
  match(): void {
    this.clock.advance(10);
  }

  /** Past the longest settlement, before the index shows it. */
  settle(): void {
    this.clock.advance(20_000);
  }

  ask(method: string, path: string, asked: Asked = {}): Answer {
    let answer: Answer | undefined;
    this.send(method, path, asked, (given) => {
      answer = given === 'drop' ? undefined : given;
    });
    if (!answer) throw new Error(`no answer at once to ${method} ${path}`);
    return answer;
  }

  send(method: string, path: string, asked: Asked, then: (answer: Answer | 'drop') => void): void {
    const body = asked.rawBody ?? (asked.body === undefined ? '' : JSON.stringify(asked.body));
    const keys = asked.as ?? this.venue.account;
    const signed =
      keys === 'nobody' ? {} : signedHeaders(keys, this.#seconds(), method + path + body);
    this.venue.handle(
      {
        ...{ method, target: `/api${path}`, body, address: '127.0.0.1' },
        headers: { ...signed, ...asked.headers },
      },
      (answer) => then(answer === 'drop' ? 'drop' : readAnswer(answer)),
    );
  }

  place(order: Record<string, unknown>, as?: Keys): Answer {
    const body = { tokenId: YES, side: 'BUY', price: 0.4, quantity: 10, ...order };
    return this.ask('POST', '/orders', as === undefined ? { body } : { body, as });
  }

  /** Places an order that must be taken, and lets it reach the book. */
  rest(order: Record<string, unknown>, as?: Keys): string {
    const answer = this.place(order, as);
    if (answer.status !== 200) throw new Error(`refused: ${String(answer.message)}`);
    this.match();
    return String(at(answer.data, 'orderHash'));
  }

  /** A trader of the crowd acts at once. */
  crowd(side: Side, priceTicks: number, count: number, more: CrowdMore = {}): void {
    const trader = more.trader ?? 'crowd';
    const { desk } = this.venue;
    desk.fund(trader, usdc(100_000));
    const market = more.marketId ?? RAIN_MARKET;
    if (side === 'SELL') desk.mintSets(trader, market, shares(count));
    const answer = desk.place(trader, {
      tokenId: more.tokenId ?? YES,
      side,
      price: priceTicks as Ticks,
      quantity: shares(count),
      timeInForce: more.timeInForce ?? 'GTC',
    });
    if (answer.kind === 'refused') throw new Error(`the crowd was refused: ${answer.code}`);
  }

  recordedLevel(side: 'bid' | 'ask', priceTicks: number, count: number, token = YES): void {
    this.venue.desk.setRecordedLevel(token, side, priceTicks as Ticks, shares(count));
  }

  recordedTrade(takerSide: Side, priceTicks: number, count: number, token = YES): void {
    this.venue.desk.printRecordedTrade(token, priceTicks as Ticks, shares(count), takerSide);
  }

  /** `[price, size]` of each public level, best first. */
  levels(token = YES): { readonly bids: unknown; readonly asks: unknown } {
    const { data } = this.ask('GET', `/orderbook/${token}`, { as: 'nobody' });
    const pairs = (side: string): unknown =>
      list(at(data, side)).map((level) => [at(level, 'price'), at(level, 'size')]);
    return { bids: pairs('bids'), asks: pairs('asks') };
  }

  openOrders(as?: Keys): readonly unknown[] {
    return list(this.ask('GET', '/orders', as === undefined ? {} : { as }).data);
  }

  order(orderHash: string, as?: Keys): unknown {
    return this.openOrders(as).find((order) => at(order, 'orderHash') === orderHash);
  }

  balances(as?: Keys): Record<string, unknown> {
    const { data } = this.ask('GET', '/portfolio/balances', as === undefined ? {} : { as });
    return { ...(data as object) };
  }

  /** Settled shares in the venue's own books, whatever REST shows. */
  settled(token = YES, account = 'maker'): number {
    return this.venue.exchange.accounts.named(account).holding(token).settledMicro / 1_000_000;
  }

  #seconds(): string {
    return String(Math.floor(this.clock.nowMs() / 1_000));
  }
}

type CrowdMore = {
  readonly trader?: string;
  readonly tokenId?: typeof YES;
  readonly marketId?: typeof RAIN_MARKET;
  readonly timeInForce?: 'GTC' | 'FOK' | 'FAK';
};

/** One socket of a venue in process, with everything it was told. */
export class TestSocket {
  readonly frames: Record<string, unknown>[] = [];
  isClosed = false;
  readonly #test: TestVenue;
  readonly #socket: ReturnType<DirectVenue['connect']>;

  constructor(test: TestVenue, options: { readonly answersPings?: boolean } = {}) {
    this.#test = test;
    this.#socket = test.venue.connect({
      answersPings: options.answersPings ?? true,
      onFrame: (text) => this.frames.push(JSON.parse(text)),
      onClosed: () => {
        this.isClosed = true;
      },
    });
    test.advance(0);
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    this.#test.advance(0);
  }

  close(): void {
    this.#socket.close();
    this.#test.advance(0);
  }

  authenticate(keys: Keys = this.#test.venue.account, extra: Record<string, unknown> = {}): void {
    const timestamp = String(Math.floor(this.#test.clock.nowMs() / 1_000));
    const signature = hmac(keys.apiSecret, `${timestamp}GET/ws`);
    const { apiKey, apiPassphrase: passphrase } = keys;
    this.send({ type: 'auth', apiKey, passphrase, timestamp, signature, ...extra });
  }

  of(type: string): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame['type'] === type);
  }

  /** Frames since the last call. */
  take(): Record<string, unknown>[] {
    return this.frames.splice(0);
  }

  statuses(): unknown[] {
    return this.of('order.update').map((frame) => at(frame, 'data', 'status'));
  }
}

export function signedHeaders(keys: Keys, timestamp: string, message: string) {
  return {
    'service-api-key': keys.apiKey,
    'service-timestamp': timestamp,
    'service-passphrase': keys.apiPassphrase,
    'service-signature': hmac(keys.apiSecret, timestamp + message),
  };
}

export function hmac(secret: string, message: string): string {
  return createHmac('sha256', secret).update(message).digest('base64');
}

/** Walks into parsed JSON; `undefined` where the path ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined;
  }
  return here;
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`);
  return value;
}

export function micro(count: number): MicroShares {
  return shares(count);
}

function readAnswer(answer: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): Answer {
  const parsed: unknown = JSON.parse(answer.body);
  return {
    status: answer.status,
    headers: answer.headers,
    success: at(parsed, 'success'),
    code: at(parsed, 'code'),
    message: at(parsed, 'message'),
    data: at(parsed, 'data'),
  };
}
