// Faults on purpose, for tests of a client: none are active unless somebody plans them.

import type { VenueCode } from '../../domain/codes.ts';
import type { TokenId } from '../../domain/ids.ts';

export type FaultAction =
  /** The request takes effect, its answer is lost with the connection. */
  | { readonly kind: 'dropReply' }
  /** The connection ends before the request takes effect. */
  | { readonly kind: 'dropRequest' }
  /** The request takes effect at once, its answer comes late. */
  | { readonly kind: 'delayReply'; readonly ms: number }
  /** The request takes effect late, and its answer comes with it. */
  | { readonly kind: 'delayEffect'; readonly ms: number }
  /** A server error; the request had no effect. */
  | { readonly kind: 'failBefore'; readonly status: number }
  /** A server error, although the request took effect. */
  | { readonly kind: 'failAfter'; readonly status: number }
  /** A refusal with any code of the interface. */
  | {
      readonly kind: 'refuse';
      readonly code: VenueCode;
      readonly retryAfterSec?: number | undefined;
    }
  /** The request takes effect, the answer is no envelope. */
  | { readonly kind: 'garbage' }
  /** A batch takes effect, but its answer lacks these items. */
  | { readonly kind: 'loseItems'; readonly indexes: readonly number[] };

export type Fault = {
  /** Any method when absent. */
  readonly method?: string | undefined;
  /** Start of the path after the prefix, for example `/orders`; every path when absent. */
  readonly path?: string | undefined;
  /** Requests it strikes; once when absent. */
  readonly times?: number | undefined;
  readonly action: FaultAction;
};

/** Frames that are swallowed although the socket is alive. */
export type Mute = {
  readonly books: 'none' | 'all' | ReadonlySet<TokenId>;
  readonly trades: boolean;
  readonly user: boolean;
  readonly pings: boolean;
};

const NO_MUTE: Mute = { books: 'none', trades: false, user: false, pings: false };

/** Faults that may wait at once; a plan beyond it is a mistake of the test. */
const FAULTS_MAX = 1_000;

type Waiting = { readonly fault: Fault; left: number };

/** What is planned to go wrong. */
export class FaultPlan {
  readonly #waiting: Waiting[] = [];
  #clockShiftMs = 0;
  #mute: Mute = NO_MUTE;

  /** Plans a fault; the first planned that fits a request strikes it. */
  plan(fault: Fault): void {
    if (this.#waiting.length >= FAULTS_MAX) throw new RangeError('too many faults are planned');
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Ends all planned faults, mutes and clock shifts. */
  clear(): void {
    this.#waiting.length = 0;
    this.#clockShiftMs = 0;
    this.#mute = NO_MUTE;
  }

  /** Takes the fault that strikes a request, if any. */
  strike(method: string, path: string): FaultAction | undefined {
    const place = this.#waiting.findIndex(({ fault }) => fits(fault, method, path));
    const waiting = this.#waiting[place];
    if (!waiting) return undefined;
    waiting.left -= 1;
    if (waiting.left <= 0) this.#waiting.splice(place, 1);
    return waiting.fault.action;
  }

  /** The venue's clock runs this far ahead of its true time. */
  get clockShiftMs(): number {
    return this.#clockShiftMs;
  }

  shiftClock(ms: number): void {
    this.#clockShiftMs = ms;
  }

  get mute(): Mute {
    return this.#mute;
  }

  muteFrames(mute: Partial<Mute>): void {
    this.#mute = { ...this.#mute, ...mute };
  }
}

function fits(fault: Fault, method: string, path: string): boolean {
  const isMethod = fault.method === undefined || fault.method === method;
  return isMethod && (fault.path === undefined || path.startsWith(fault.path));
}
