// A WebSocket without a network: frames keep their order, and may be late, or not come at all.

import { EventEmitter } from 'node:events';
import type { Clock, Timers } from '../../../src/domain/time.ts';
import type { DirectSocket, DirectVenue } from '../../../src/paper/direct.ts';
import type { WireSocket } from '../../../src/venue/ws/connection.ts';
import type { OddPrices } from './odd-prices.ts';
import type { Weather } from './weather.ts';

export type SocketParts = {
  readonly venue: DirectVenue;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly weather: Weather;
  readonly oddPrices?: OddPrices | undefined;
  /** Told before anything reaches the client, since it may wake promises. */
  readonly onWake: () => void;
};

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;
/** The library gives a handshake up after this long. */
const HANDSHAKE_MS = 10_000;
const USER_FRAME = /^\[?\{"type":"(order\.update|trade\.settled|trade\.failed|position|portfolio)/;
const BOOK_FRAME = /^\[?\{"type":"orderbook\./;

export class SimulatedSocket extends EventEmitter implements WireSocket {
  readonly #parts: SocketParts;
  readyState = CONNECTING;
  readonly bufferedAmount = 0;
  #venueEnd: DirectSocket | undefined;
  /** Frames keep their order in each direction: none overtakes the one before it. */
  #upFreeAtMs = 0;
  #downFreeAtMs = 0;
  #booksFreeAtMs = 0;
  /** A frame that waits for the one behind it. */
  #held: (() => void) | undefined;
  #packet: { readonly atMs: number; readonly tasks: (() => void)[] } | undefined;
  /** What a half-open connection lost is lost: it never comes back to life. */
  #isHalfOpen = false;

  constructor(parts: SocketParts) {
    super();
    this.#parts = parts;
    parts.timers.after(parts.weather.delayMs() * 2, () => this.#open());
  }

  send(text: string): void {
    if (this.#isSilent()) return;
    this.#up(() => this.#venueEnd?.send(text));
  }

  ping(): void {
    if (this.#isSilent()) return;
    this.#up(() => this.#down(() => this.emit('pong')));
  }

  terminate(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.#venueEnd?.close();
  }

  /** The connection breaks, and both ends notice. */
  cut(): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.#venueEnd?.close();
    this.#parts.onWake();
    this.emit('close', 1006, Buffer.alloc(0));
  }

  #open(): void {
    if (this.readyState !== CONNECTING) return;
    const { weather, venue } = this.#parts;
    if (weather.is('blackout')) {
      this.#parts.timers.after(HANDSHAKE_MS, () => this.#fail('the handshake took too long'));
      return;
    }
    if (weather.strikes('connectFails')) {
      this.#fail('connect failed');
      return;
    }
    this.readyState = OPEN;
    this.#parts.onWake();
    this.emit('open');
    const isHeard = (): boolean => !this.#isHalfOpen;
    this.#venueEnd = venue.connect({
      onFrame: (text) => this.#receive(this.#parts.oddPrices?.inFrame(text) ?? text),
      onClosed: () => this.#closedByVenue(),
      get answersPings() {
        return isHeard();
      },
    });
  }

  #fail(reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.#parts.onWake();
    this.emit('error', new Error(reason));
  }

  #receive(text: string): void {
    if (this.#isSilent()) return;
    const { weather, clock, timers } = this.#parts;
    const isUser = USER_FRAME.test(text);
    if (isUser && weather.strikes('userFramesLost')) return;
    if (!BOOK_FRAME.test(text)) {
      this.#deliver(text);
      return;
    }
    if (weather.strikes('bookFramesLost')) return;
    // The channel lags as a whole: its own frames keep their order.
    const staleMs = weather.strikes('booksStale') ? weather.staleMs() : 0;
    const lagMs = Math.max(weather.lateMs, staleMs);
    const nowMs = clock.nowMs();
    this.#booksFreeAtMs = Math.max(this.#booksFreeAtMs, nowMs + lagMs);
    if (this.#booksFreeAtMs === nowMs) this.#deliver(text);
    else timers.after(this.#booksFreeAtMs - nowMs, () => this.#deliver(text));
  }

  #deliver(text: string): void {
    const { weather } = this.#parts;
    const emit = (): void => void this.emit('message', Buffer.from(text));
    if (weather.strikes('framesSwapped') && this.#held === undefined) {
      this.#held = emit;
      return;
    }
    const held = this.#held;
    this.#held = undefined;
    this.#down(emit);
    if (held) this.#down(held);
    if (weather.strikes('framesDoubled')) this.#down(emit);
  }

  #closedByVenue(): void {
    if (this.#isSilent()) return;
    this.#down(() => this.cut());
  }

  /** A connection in a dead spot stays dead, even when the spot has passed. */
  #isSilent(): boolean {
    const { weather } = this.#parts;
    if (this.readyState !== OPEN) return true;
    if (weather.is('blackout') || weather.strikes('halfOpen')) this.#isHalfOpen = true;
    return this.#isHalfOpen;
  }

  #up(task: () => void): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#upFreeAtMs = Math.max(this.#upFreeAtMs, nowMs + this.#parts.weather.frameDelayMs());
    this.#parts.timers.after(this.#upFreeAtMs - nowMs, task);
  }

  /** What is written in one moment arrives in one: the frames of a flush share a packet. */
  #down(task: () => void): void {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#packet?.atMs === nowMs) {
      this.#packet.tasks.push(task);
      return;
    }
    const packet = { atMs: nowMs, tasks: [task] };
    this.#packet = packet;
    this.#downFreeAtMs = Math.max(this.#downFreeAtMs, nowMs + this.#parts.weather.frameDelayMs());
    this.#parts.timers.after(this.#downFreeAtMs - nowMs, () => {
      if (this.#packet === packet) this.#packet = undefined;
      this.#parts.onWake();
      for (const each of packet.tasks) if (this.readyState === OPEN) each();
    });
  }
}
