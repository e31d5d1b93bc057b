// One WebSocket to any venue, with everything it said, in order.

import { WebSocket } from 'ws';
import { CardFailure } from '../../../src/cli/doctor/card.ts';
import { at } from '../../../src/cli/doctor/shape.ts';
import { patienceMs } from './patience.ts';
import { hmac, type Keys, nowSec } from './raw-rest.ts';

export type Frame = Readonly<Record<string, unknown>>;

const LOOK_MS = 5;

export class RawSocket {
  readonly frames: Frame[] = [];
  nativePings = 0;
  isClosed = false;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    socket.on('ping', () => {
      this.nativePings += 1;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    socket.on('error', () => socket.terminate());
  }

  /** @param options - `autoPong: false` leaves native pings without an answer. */
  static async open(url: string, options: { readonly autoPong?: boolean } = {}) {
    const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    const raw = new RawSocket(socket);
    await raw.until('the handshake', () => socket.readyState === WebSocket.OPEN);
    return raw;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  sendBinary(bytes: Buffer): void {
    this.#socket.send(bytes);
  }

  /** Stops reading what the venue sends, as a slow consumer does. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  of(type: string): readonly Frame[] {
    return this.frames.filter((frame) => frame['type'] === type);
  }

  /** Waits for the first frame of a type that also fits. @throws {CardFailure} */
  async next(type: string, fits: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const found = () => this.of(type).find(fits);
    await this.until(`a frame ${type}`, () => found() !== undefined);
    const frame = found();
    if (!frame) throw new CardFailure(`no frame ${type}`);
    return frame;
  }

  /** @throws {CardFailure} When it is never so. */
  async until(what: string, isSo: () => boolean, withinMs = patienceMs()): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    while (!isSo()) {
      if (performance.now() > deadlineMs) {
        throw new CardFailure(`${what} never came; seen ${this.#heard()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Authenticates and waits for the answer. @spec Authentication › WebSocket authentication */
  async authenticate(keys: Keys, change: Frame = {}): Promise<void> {
    this.send(authFrame(keys, change));
    await this.next('authenticated');
  }

  close(): void {
    this.#socket.terminate();
  }

  #heard(): string {
    const types = this.frames.map((frame) => String(at(frame, 'type')));
    return `${types.slice(-12).join(', ') || 'nothing'}${this.isClosed ? ', then closed' : ''}`;
  }
}

/** @spec Events › Client frames */
export function authFrame(keys: Keys, change: Frame = {}): Frame {
  const timestamp = String(nowSec());
  return {
    type: 'auth',
    apiKey: keys.apiKey,
    passphrase: keys.apiPassphrase,
    timestamp,
    signature: hmac(keys.apiSecret, `${timestamp}GET/ws`),
    ...change,
  };
}
