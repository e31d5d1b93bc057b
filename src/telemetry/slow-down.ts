// Wrong tokens are answered late, and the later the more of them come from one address. From another host only so
// many are tried in a minute: then none is compared, right or wrong. On this host nobody is barred, for another
// process of it must not keep an operator from a kill; there the length of a token has to do.

import { isIPv6 } from 'node:net';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';
import { isLoopback } from './connections.ts';

/** Addresses that are remembered; the oldest goes first. */
const ADDRESSES_MAX = 1_000;
/** Answers that wait at once: what comes on top is told so without a wait. */
const WAITING_MAX = 32;
const DELAY_MS_MIN = 100;
const DELAY_MS_MAX = 2_000;
const FORGOTTEN_MS = 60_000;
/** Wrong tokens of one address in a minute. */
const GUESSES_MAX = 60;

type Count = {
  readonly wrong: number;
  readonly atMs: UnixMs;
  /** The minute in which guesses are counted, and how many there were. */
  readonly sinceMs: UnixMs;
  readonly guesses: number;
};

export class SlowDown {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #counts = new Map<string, Count>();
  #waiting = 0;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Until when no token of this address is compared, in seconds from now; `undefined` where it is. */
  barredSec(address: string): number | undefined {
    if (isLoopback(address)) return undefined;
    const count = this.#counts.get(networkOf(address));
    if (count === undefined || count.guesses < GUESSES_MAX) return undefined;
    const leftMs = count.sinceMs + FORGOTTEN_MS - this.#clock.nowMs();
    return leftMs > 0 ? Math.ceil(leftMs / 1_000) : undefined;
  }

  /** @returns False where too many wait already. */
  async onWrong(address: string): Promise<boolean> {
    const delayMs = this.#count(networkOf(address));
    if (this.#waiting >= WAITING_MAX) return false;
    this.#waiting += 1;
    await new Promise<void>((resolve) => this.#timers.after(delayMs, resolve));
    this.#waiting -= 1;
    return true;
  }

  #count(address: string): number {
    const nowMs = this.#clock.nowMs();
    const before = this.#counts.get(address);
    const isFresh = before !== undefined && nowMs - before.atMs < FORGOTTEN_MS;
    const wrong = isFresh ? before.wrong + 1 : 1;
    this.#counts.delete(address);
    const isSameMinute = before !== undefined && nowMs - before.sinceMs < FORGOTTEN_MS;
    const { sinceMs, guesses } = isSameMinute ? before : { sinceMs: nowMs, guesses: 0 };
    this.#counts.set(address, { wrong, atMs: nowMs, sinceMs, guesses: guesses + 1 });
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > ADDRESSES_MAX && oldest !== undefined) this.#counts.delete(oldest);
    return Math.min(DELAY_MS_MIN * 2 ** Math.min(wrong - 1, 10), DELAY_MS_MAX);
  }
}

/** Whoever has one IPv6 address has all of its network. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  // `2001:db8::1` leaves zeros out.
  const [head = ''] = address.split('::');
  return [...head.split(':'), '0', '0', '0'].slice(0, NETWORK_GROUPS).join(':');
}

const NETWORK_GROUPS = 4;
