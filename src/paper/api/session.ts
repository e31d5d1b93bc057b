// One WebSocket connection: its subscriptions, its caller, and whether it is still alive.

import type { Caller } from './auth.ts';
import type { Dialect } from './dialect.ts';
import type { Feed } from './feed.ts';
import type { Frame } from './frames.ts';

/** What carries frames to a client. */
export interface Transport {
  send(text: string): void;
  /** Sends a native ping. */
  ping(): void;
  terminate(): void;
  /** Bytes that the client has not read yet. */
  bufferedBytes(): number;
}

/** Native pongs a connection may miss. @spec Events › Connection, rule 1 */
const PONGS_MISSED_MAX = 2;

export class Session {
  readonly #transport: Transport;
  readonly #bufferBytesMax: number;
  readonly #isListed: boolean;
  readonly address: string;
  caller: Caller | undefined;
  /** Book subscriptions by token id. */
  readonly feeds = new Map<string, Feed>();
  /** Trade subscriptions, as token ids. */
  readonly trades = new Set<string>();
  isClosed = false;
  #pongsMissed = 0;

  constructor(
    transport: Transport,
    options: { bufferBytesMax: number; address: string; framesAs: Dialect['framesAs'] },
  ) {
    this.#transport = transport;
    this.#isListed = options.framesAs === 'list';
    this.#bufferBytesMax = options.bufferBytesMax;
    this.address = options.address;
  }

  send(frame: Frame): void {
    this.sendText(JSON.stringify(frame));
  }

  /** Sends, unless the client reads too slowly: then the connection ends instead. */
  sendText(text: string): void {
    if (this.isClosed) return;
    if (this.#transport.bufferedBytes() > this.#bufferBytesMax) this.terminate();
    else this.#transport.send(this.#isListed ? `[${text}]` : text);
  }

  /** Pings both ways; a client that missed two native pongs is gone. */
  ping(): void {
    if (this.#pongsMissed >= PONGS_MISSED_MAX) {
      this.terminate();
      return;
    }
    this.#pongsMissed += 1;
    this.#transport.ping();
    this.send({ type: 'ping' });
  }

  onPong(): void {
    this.#pongsMissed = 0;
  }

  terminate(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#transport.terminate();
  }
}
