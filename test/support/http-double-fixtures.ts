// What tests of the venue client start from: an event, its tokens, credentials, real time.

import { intentId, tokenId } from '../../src/domain/ids.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import { type Credentials, type Identity, Secret } from '../../src/domain/secret.ts';
import { shares } from '../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { type Clock, type Timers, unixMs } from '../../src/domain/time.ts';
import type { CredentialsProvider } from '../../src/venue/options.ts';
import { parseEventsPage } from '../../src/wire/events.ts';
import { tokenLookup } from '../../src/wire/tokens.ts';

export const YES = tokenId('0xa1');
export const NO = tokenId('0xa0');
export const GRID = tickGrid('0.01');

/** One event as the current generation lists it; outcomes stand in the unexpected order. */
export const WIRE_EVENT = {
  id: 'e1',
  slug: 'rain',
  title: 'Will it rain?',
  category: 'weather',
  marketType: 'CTF',
  status: 'open',
  tickSize: '0.01',
  expiryTime: '2030-01-01T00:00:00.000Z',
  markets: [
    {
      id: 'm1',
      title: null,
      status: 'open',
      enableOrderBook: true,
      volume: '12.5',
      outcomes: [
        { id: 'o1', name: 'YES', tokenId: '0xA1', outcomeIndex: 1, lastPrice: '0.5' },
        { id: 'o0', name: 'No', tokenId: '0xA0', outcomeIndex: 0, lastPrice: '0.5' },
      ],
    },
  ],
};

export const EVENTS = parseEventsPage({ items: [WIRE_EVENT], total: 1 }).items;
export const TOKENS = tokenLookup(EVENTS);

export const CREDENTIALS: Credentials = credentialsOf('key-1');

export function credentialsOf(apiKey: string): Credentials {
  return {
    apiKey: new Secret(apiKey),
    apiSecret: new Secret('s3cret'),
    apiPassphrase: new Secret('open sesame'),
  };
}

/** A provider that always has the same credentials. */
export function fixedCredentials(credentials: Identity | undefined): CredentialsProvider {
  return { current: () => credentials, reload: () => Promise.resolve(false) };
}

/** A provider whose next reading brings the next credentials. */
export function rotatingCredentials(...all: readonly Credentials[]): CredentialsProvider & {
  readonly reloads: () => number;
} {
  let next = 0;
  let reloads = 0;
  return {
    current: () => all[Math.min(next, all.length - 1)],
    reload: () => {
      reloads += 1;
      next += 1;
      return Promise.resolve(next < all.length);
    },
    reloads: () => reloads,
  };
}

export function limitOrder(over: Partial<LimitOrder> = {}): LimitOrder {
  return {
    intentId: intentId('i1'),
    tokenId: YES,
    side: 'BUY',
    price: ticks(GRID, 29),
    quantity: shares(12.5),
    lifetime: { timeInForce: 'GTC' },
    ...over,
  };
}

/** Real time, with timers that do not hold a test process. */
export const REAL_TIME: Clock & Timers = {
  nowMs: () => unixMs(Date.now()),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Waits until something is so, and says what was waited for when it never is. */
export async function until(what: string, isSo: () => boolean, withinMs = 5_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
