// REST over a network that delays, loses, doubles and garbles: a dispatcher in place of connections.

import { AsyncLocalStorage } from 'node:async_hooks';
import { Dispatcher } from 'undici';
import type { VenueCommand } from '../../../src/domain/command.ts';
import type { Timers } from '../../../src/domain/time.ts';
import type { ApiRequest, ApiResponse } from '../../../src/paper/api/message.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { OddPrices } from './odd-prices.ts';
import type { ProseRefusals } from './prose.ts';
import type { Fate, Weather } from './weather.ts';

export type NamedCancel = Extract<VenueCommand, { kind: 'cancelOrders' }>;
export type PlaceCommand = Extract<VenueCommand, { readonly kind: 'placeOrders' }>;

export type SetsCommand = Extract<VenueCommand, { readonly kind: 'changeSets' }>;

/** Who sent a request, and the placement or the change of sets that it carries, if any. */
export type Origin = {
  readonly process: number;
  readonly placing: PlaceCommand | undefined;
  readonly changing: SetsCommand | undefined;
};

export type Flight = {
  readonly request: ApiRequest;
  readonly origin: Origin;
  /** The network's own second delivery: nobody sent it. */
  readonly isDouble: boolean;
};

/** Who watches requests leave and take effect. */
export interface NetworkWatch {
  onSent(flight: Flight): void;
  /** Runs the effect of a request, which is attributed to it. */
  during(flight: Flight, effect: () => void): void;
  onAnswer(flight: Flight, response: ApiResponse): void;
  /** The client is told to wait this long. */
  onLimited?(flight: Flight, retryAfterMs: number): void;
}

export type NetworkParts = {
  readonly venue: DirectVenue;
  readonly timers: Timers;
  readonly weather: Weather;
  readonly watch: NetworkWatch;
  /** The venue refuses some of what it takes, where it does. */
  readonly prose?: ProseRefusals | undefined;
  readonly oddPrices?: OddPrices | undefined;
  /** Told before an answer is given to the client, since it wakes promises. */
  readonly onWake: () => void;
};

/** The command that the code running now carries out. */
export const CURRENT_ORIGIN = new AsyncLocalStorage<Origin>();

const NO_ORIGIN: Origin = { process: 0, placing: undefined, changing: undefined };
const GARBAGE = '<html><body>502 upstream said something</body></html>';

/** The network as one process of the daemon sees it; what was sent outlives whoever sent it. */
export class SimulatedNetwork extends Dispatcher {
  readonly #parts: NetworkParts;
  readonly #process: number;
  /** The latest answers about books, one for each token. */
  readonly #books = new Map<string, ApiResponse>();
  #isDead = false;

  constructor(parts: NetworkParts, process: number) {
    super();
    this.#parts = parts;
    this.#process = process;
  }

  /** The process is gone: nothing more leaves, and nobody reads the answers. */
  die(): void {
    this.#isDead = true;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (this.#isDead) return true;
    const fate = this.#parts.weather.fate();
    const call = new Call(handler, () => this.#isDead);
    if (fate.loss === 'connect') {
      this.#later(fate.upMs, () => call.fail('UND_ERR_CONNECT_TIMEOUT'));
      return true;
    }
    const flight = this.#flightOf(options);
    call.begin();
    if (call.aborted) {
      this.#parts.onWake();
      call.drop();
      return true;
    }
    this.#parts.watch.onSent(flight);
    this.#carry(flight, fate, call);
    return true;
  }

  override destroy(): Promise<void> {
    this.die();
    return Promise.resolve();
  }

  override close(): Promise<void> {
    return this.destroy();
  }

  #flightOf(options: Dispatcher.DispatchOptions): Flight {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      headers[name.toLowerCase()] = String(value);
    }
    const request: ApiRequest = {
      method: options.method,
      target: options.path,
      headers,
      body: typeof options.body === 'string' ? options.body : '',
      address: `run-${this.#process}`,
    };
    const origin = CURRENT_ORIGIN.getStore() ?? NO_ORIGIN;
    return { request, origin: { ...origin, process: this.#process }, isDouble: false };
  }

  #carry(flight: Flight, fate: Fate, call: Call): void {
    const { timers } = this.#parts;
    if (fate.loss === 'request') {
      if (fate.isReset) this.#later(fate.upMs + fate.downMs, () => call.fail('UND_ERR_SOCKET'));
      return;
    }
    timers.after(fate.upMs, () => this.#arrive(flight, fate, call));
    if (fate.againAfterMs === undefined) return;
    const again: Flight = { ...flight, isDouble: true };
    timers.after(fate.upMs + fate.againAfterMs, () => this.#takeEffect(again, () => undefined));
  }

  #arrive(flight: Flight, fate: Fate, call: Call): void {
    if (fate.answer === 'limited') {
      this.#later(fate.downMs, () => this.#limit(flight, call));
      return;
    }
    if (fate.answer === 'errorBefore') {
      this.#later(fate.downMs, () => call.answer(serverError(this.#parts.weather)));
      return;
    }
    this.#takeEffect(flight, (response) => {
      const { method, target } = flight.request;
      const { prose, oddPrices } = this.#parts;
      const odd = oddPrices?.answerTo(method, target, response) ?? response;
      const said = prose?.answerTo(target, odd) ?? odd;
      this.#reply(flight, said, fate, call);
    });
  }

  #limit(flight: Flight, call: Call): void {
    const { weather, watch } = this.#parts;
    const afterSec = weather.retryAfterSec();
    // Whoever has given the request up does not hear it.
    if (!call.aborted) watch.onLimited?.(flight, afterSec * 1_000);
    call.answer(limited(weather, afterSec));
  }

  #takeEffect(flight: Flight, reply: (response: ApiResponse) => void): void {
    const { venue, watch } = this.#parts;
    watch.during(flight, () => {
      venue.handle(flight.request, (response) => {
        if (response === 'drop') return;
        watch.onAnswer(flight, response);
        reply(response);
      });
    });
  }

  #reply(flight: Flight, response: ApiResponse, fate: Fate, call: Call): void {
    if (fate.loss === 'answer') {
      if (fate.isReset) this.#later(fate.downMs, () => call.fail('UND_ERR_SOCKET'));
      return;
    }
    const shown = this.#garbled(flight, this.#staleOr(flight, response), fate);
    this.#later(fate.downMs, () => call.answer(shown));
  }

  /** A replica answers with the book that it had when it was last asked. */
  #staleOr(flight: Flight, response: ApiResponse): ApiResponse {
    const { target } = flight.request;
    if (!target.includes('/orderbook/')) return response;
    const before = this.#books.get(target);
    this.#books.set(target, response);
    return before && this.#parts.weather.strikes('readsStale') ? before : response;
  }

  #garbled(flight: Flight, response: ApiResponse, fate: Fate): ApiResponse {
    switch (fate.answer) {
      case 'errorAfter':
        return serverError(this.#parts.weather);
      case 'garbage':
        return { ...response, body: GARBAGE };
      case 'halfBatch':
        return flight.request.target.endsWith('/orders/batch')
          ? halfBatch(response, this.#parts.weather)
          : response;
      default:
        return response;
    }
  }

  #later(delayMs: number, task: () => void): void {
    this.#parts.timers.after(delayMs, () => {
      if (this.#isDead) return;
      this.#parts.onWake();
      task();
    });
  }
}

/** One request of the client, and the one answer it gets. */
class Call implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #isDead: () => boolean;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: Buffer[] = [];
  rawTrailers: Buffer[] = [];

  constructor(handler: Dispatcher.DispatchHandler, isDead: () => boolean) {
    this.#handler = handler;
    this.#isDead = isDead;
  }

  begin(): void {
    this.#handler.onRequestStart?.(this, null);
  }

  /** Called off before its first byte left: only the client ever knew of it. */
  drop(): void {
    this.#handler.onResponseError?.(this, this.reason ?? new Error('simulated'));
  }

  answer(response: ApiResponse): void {
    if (this.aborted || this.#isDead()) return;
    this.#handler.onResponseStart?.(this, response.status, response.headers);
    this.#handler.onResponseData?.(this, Buffer.from(response.body));
    this.#handler.onResponseEnd?.(this, {});
  }

  fail(code: string): void {
    if (this.aborted || this.#isDead()) return;
    this.#handler.onResponseError?.(this, Object.assign(new Error('simulated'), { code }));
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

function limited(weather: Weather, afterSec: number): ApiResponse {
  const retryAfter = String(afterSec);
  const isProse = weather.chance(0.2);
  return {
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': retryAfter },
    body: isProse ? 'slow down' : envelope('rate_limited'),
  };
}

function serverError(weather: Weather): ApiResponse {
  const code = weather.pick(['internal_error', 'service_unavailable', 'maintenance']) ?? '';
  const status = weather.pick([500, 502, 503, 504]) ?? 500;
  const body = weather.chance(0.3) ? GARBAGE : envelope(code);
  return { status, headers: { 'content-type': 'application/json' }, body };
}

function envelope(code: string): string {
  return JSON.stringify({ success: false, code, message: 'simulated' });
}

function halfBatch(response: ApiResponse, weather: Weather): ApiResponse {
  const parsed: unknown = JSON.parse(response.body);
  const data = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : [];
  if (!Array.isArray(data)) return response;
  const kept = data.filter(() => weather.chance(0.5));
  return { ...response, body: JSON.stringify({ success: true, data: kept }) };
}
