// The public channels of the venue's socket for as long as we run: connects, subscribes, and does so again after
// every loss. It never authenticates. @spec Events

import type { TokenId } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { Clock, Timers, UnixMs } from '../../domain/time.ts';
import { PONG_FRAME } from '../../wire/encode.ts';
import { type Frame, parseFrame } from '../../wire/frames.ts';
import { BOOK_DEPTH_MAX } from '../../wire/limits.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import { backoffMs } from '../backoff.ts';
import type { SocketSettings } from '../options.ts';
import { Connection, type Dial } from './connection.ts';
import { Subscriptions } from './subscriptions.ts';

export type PublicSocketOptions = {
  readonly url: string;
  readonly settings: SocketSettings;
  readonly unsubscribeEndsTrades: boolean;
  readonly tokens: TokenLookup;
  readonly clock: Clock;
  readonly timers: Timers;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  readonly dial?: Dial | undefined;
  readonly emit: (message: VenueMessage) => void;
  /** Each text as it came, before anything is made of it. */
  readonly onText: (text: string) => void;
};

export class PublicSocket {
  readonly #options: PublicSocketOptions;
  readonly #subscriptions: Subscriptions;
  #connection: Connection | undefined;
  #openedAtMs: UnixMs | undefined;
  /** Connections in a row that did not last. */
  #failures = 0;
  #callOff: () => void = () => undefined;
  #isStopped = false;

  constructor(options: PublicSocketOptions) {
    this.#options = options;
    const { unsubscribeEndsTrades, settings } = options;
    const { tokensPerFrame } = settings;
    this.#subscriptions = new Subscriptions({ tokensPerFrame, unsubscribeEndsTrades });
  }

  /** Connects, and from then on keeps a connection. */
  start(): void {
    if (!this.#isStopped && this.#connection === undefined) this.#connect();
  }

  /** The set of tokens whose books and trades are wanted, whole books. */
  subscribe(tokenIds: readonly TokenId[]): void {
    this.#send(this.#subscriptions.replace(tokenIds, BOOK_DEPTH_MAX));
  }

  /** Asks for a fresh snapshot of one token. */
  renew(tokenId: TokenId): void {
    this.#send(this.#subscriptions.renew(tokenId));
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#connection?.lose('stopped');
  }

  #connect(): void {
    const { url, settings, clock, timers, dial } = this.#options;
    this.#connection = new Connection({
      ...{ url, settings, clock, timers, dial },
      onOpen: () => this.#opened(),
      onBytes: (bytes) => this.#heard(bytes.toString('utf8')),
      onLost: (reason) => this.#lost(reason),
    });
  }

  #opened(): void {
    this.#openedAtMs = this.#options.clock.nowMs();
    this.#options.emit({ kind: 'socketOpened' });
    this.#send(this.#subscriptions.all());
  }

  #lost(reason: string): void {
    this.#connection = undefined;
    this.#options.emit({ kind: 'socketLost', reason });
    if (this.#isStopped) return;
    const { settings, random, timers, clock } = this.#options;
    const openedAtMs = this.#openedAtMs;
    this.#openedAtMs = undefined;
    const wasStable = openedAtMs !== undefined && clock.nowMs() - openedAtMs >= settings.stableMs;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const range = { msMin: settings.reconnectMsMin, msMax: settings.reconnectMsMax };
    const delayMs = backoffMs(range, this.#failures - 1, random);
    this.#callOff = timers.after(delayMs, () => this.start());
  }

  #heard(text: string): void {
    this.#options.onText(text);
    for (const frame of parseFrame(text, this.#options.tokens)) this.#onFrame(frame);
  }

  #onFrame(frame: Frame): void {
    switch (frame.kind) {
      case 'connected':
      case 'pong':
      case 'authenticated':
        return;
      case 'ping':
        this.#send([PONG_FRAME]);
        return;
      case 'error': {
        const detail = `${frame.code ?? ''} ${frame.message}`.trim();
        this.#options.emit({ kind: 'unrecognised', frameType: 'error', detail });
        return;
      }
      case 'messages':
        for (const message of frame.messages) this.#options.emit(message);
    }
  }

  #send(frames: readonly string[]): void {
    this.#connection?.send(...frames);
  }
}
