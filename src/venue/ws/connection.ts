// One WebSocket connection from handshake to loss, with its heartbeat. @spec Events › Connection

import { type RawData, WebSocket } from 'ws';
import { excerpt } from '../../domain/excerpt.ts';
import type { Clock, Timers, UnixMs } from '../../domain/time.ts';
import { PING_FRAME } from '../../wire/encode.ts';
import type { SocketSettings } from '../options.ts';

/** What a connection needs of a WebSocket; the library's own has it. */
export interface WireSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  on(event: 'open' | 'ping' | 'pong', listener: () => void): unknown;
  on(event: 'message', listener: (data: RawData) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  send(text: string): void;
  ping(): void;
  terminate(): void;
}

/** Opens a socket; a simulation gives its own, which needs no network. */
export type Dial = (url: string, settings: SocketSettings) => WireSocket;

export type ConnectionOptions = {
  readonly url: string;
  readonly settings: SocketSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly dial?: Dial | undefined;
  readonly onOpen: () => void;
  /** One text frame, as the bytes of its UTF-8. */
  readonly onBytes: (bytes: Buffer) => void;
  /** Told exactly once, whether or not the connection ever opened; nothing comes after it. */
  readonly onLost: (reason: string) => void;
};

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: WireSocket;
  #heardAtMs: UnixMs;
  #stopBeat: () => void;
  #isLost = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#heardAtMs = options.clock.nowMs();
    this.#socket = (options.dial ?? dialWebSocket)(options.url, options.settings);
    // The library begins anew to count with every byte that comes: one at a time it would wait for ever.
    const { handshakeMs } = options.settings;
    const late = (): void => this.lose(`no handshake in ${handshakeMs} ms`);
    this.#stopBeat = options.timers.after(handshakeMs, late);
    this.#listen();
  }

  isOpen(): boolean {
    return !this.#isLost && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Sends frames; a connection that has not taken those before is lost, and what is sent at once may be of any length. */
  send(...texts: readonly string[]): void {
    if (texts.length === 0 || !this.isOpen()) return;
    if (this.#socket.bufferedAmount > this.#options.settings.unsentBytesMax) {
      this.lose('the venue reads too slowly');
      return;
    }
    for (const text of texts) this.#socket.send(text);
  }

  /** Ends the connection at once; a closing handshake with a dead peer would only hang. */
  lose(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#stopBeat();
    this.#socket.terminate();
    this.#options.onLost(reason);
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data) => this.#heardData(data));
    // The library answers native pings by itself.
    socket.on('ping', () => this.#heard());
    socket.on('pong', () => this.#heard());
    socket.on('error', (error) => this.lose(excerpt(`error: ${error.message}`, 200)));
    socket.on('close', (code, reason) =>
      this.lose(`closed: ${code} ${reason.toString('utf8').slice(0, 100)}`.trim()),
    );
  }

  #opened(): void {
    if (this.#isLost) return;
    this.#stopBeat();
    this.#heard();
    this.#options.onOpen();
    this.#beat();
  }

  #heardData(data: RawData): void {
    if (this.#isLost) return;
    this.#heard();
    this.#options.onBytes(bytesOf(data));
  }

  #heard(): void {
    this.#heardAtMs = this.#options.clock.nowMs();
  }

  /** Probes in both forms: a venue may answer either, and a proxy only one of them. */
  #beat(): void {
    if (this.#isLost) return;
    const { settings, timers } = this.#options;
    if (this.#silentMs() >= settings.silenceMs) {
      // What has arrived while this process was busy is read before the verdict.
      this.#stopBeat = timers.after(1, () => this.#judgeSilence());
      return;
    }
    this.send(PING_FRAME);
    if (this.isOpen()) this.#socket.ping();
    const delayMs = Math.min(settings.probeMs, settings.silenceMs - this.#silentMs());
    this.#stopBeat = timers.after(Math.max(1, delayMs), () => this.#beat());
  }

  #judgeSilence(): void {
    const silentMs = this.#silentMs();
    if (silentMs >= this.#options.settings.silenceMs) this.lose(`silent for ${silentMs} ms`);
    else this.#beat();
  }

  #silentMs(): number {
    return this.#options.clock.nowMs() - this.#heardAtMs;
  }
}

function dialWebSocket(url: string, settings: SocketSettings): WireSocket {
  return new WebSocket(url, {
    perMessageDeflate: false,
    handshakeTimeout: settings.handshakeMs,
    maxPayload: settings.frameBytesMax,
  });
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
