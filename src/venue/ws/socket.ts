// The venue's socket for as long as we run: connects, authenticates, subscribes, and does so again
// after every loss. @spec Events

import type { TokenId } from '../../domain/ids.ts';
import type { VenueMessage } from '../../domain/message.ts';
import type { VenueObserver } from '../../domain/observe.ts';
import type { Identity } from '../../domain/secret.ts';
import type { Clock, Timers, UnixMs } from '../../domain/time.ts';
import { PONG_FRAME } from '../../wire/encode.ts';
import { FastDeltaReader } from '../../wire/fast-delta.ts';
import { FastSnapshotReader } from '../../wire/fast-snapshot.ts';
import { type Frame, frameLabel, parseFrame } from '../../wire/frames.ts';
import { FRAME_LENGTH_MAX } from '../../wire/limits.ts';
import type { TokenLookup } from '../../wire/tokens.ts';
import { backoffMs } from '../backoff.ts';
import type { SocketSettings } from '../options.ts';
import { Connection, type Dial } from './connection.ts';
import { Session } from './session.ts';
import { Subscriptions } from './subscriptions.ts';

export type VenueSocketOptions = {
  readonly url: string;
  readonly settings: SocketSettings;
  readonly unsubscribeEndsTrades: boolean;
  readonly tokens: TokenLookup;
  readonly credentials: () => Identity | undefined;
  readonly venueNowMs: () => UnixMs;
  readonly cure: (used: Identity | undefined) => Promise<void>;
  readonly emit: (message: VenueMessage) => void;
  readonly observer: VenueObserver;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly dial?: Dial | undefined;
};

type Live = { readonly connection: Connection; readonly session: Session };

export class VenueSocket {
  readonly #options: VenueSocketOptions;
  readonly #subscriptions: Subscriptions;
  readonly #fast: FastDeltaReader;
  readonly #snapshots: FastSnapshotReader;
  #live: Live | undefined;
  #openedAtMs: UnixMs | undefined;
  /** Connections in a row that did not last. */
  #failures = 0;
  #callOff: () => void = () => undefined;
  #isStopped = false;

  constructor(options: VenueSocketOptions) {
    this.#options = options;
    this.#fast = new FastDeltaReader(options.tokens);
    this.#snapshots = new FastSnapshotReader(options.tokens);
    this.#subscriptions = new Subscriptions({
      tokensPerFrame: options.settings.tokensPerFrame,
      unsubscribeEndsTrades: options.unsubscribeEndsTrades,
    });
  }

  /** Connects, and from then on keeps a connection. */
  start(): void {
    if (!this.#isStopped && !this.#live) this.#connect();
  }

  /** The set of tokens whose books and trades are wanted; it replaces the set before it. */
  subscribe(tokenIds: readonly TokenId[], depth: number): void {
    this.#send(this.#subscriptions.replace(tokenIds, depth));
  }

  renew(tokenId: TokenId): void {
    this.#send(this.#subscriptions.renew(tokenId));
  }

  /** Gives up the connection for a new one; without one there is nothing to give up. */
  reconnect(reason: string): void {
    this.#live?.connection.lose(reason);
  }

  /** Credentials are other ones now: the session that old ones opened is dead. */
  reauthenticate(): void {
    if (this.#live?.connection.isOpen()) this.#live.session.authenticate();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#live?.connection.lose('stopped');
  }

  #connect(): void {
    const { url, settings, clock, timers, dial } = this.#options;
    const connection: Connection = new Connection({
      url,
      settings,
      clock,
      timers,
      dial,
      onOpen: () => this.#opened(),
      onBytes: (bytes) => this.#heard(bytes),
      onLost: (reason) => this.#lost(reason),
    });
    this.#live = { connection, session: this.#session(connection) };
  }

  #session(connection: Connection): Session {
    const { settings, timers, random, emit, credentials, venueNowMs, cure } = this.#options;
    return new Session({
      send: (text) => connection.send(text),
      giveUp: (reason) => connection.lose(reason),
      credentials,
      venueNowMs,
      cure,
      onAuthenticated: () => emit({ kind: 'authenticated' }),
      onRefused: (detail) => emit({ kind: 'authRefused', detail }),
      timers,
      random,
      answerMs: settings.authMs,
    });
  }

  /** A new connection has no session and no subscriptions. @spec Events › Connection, rule 3 */
  #opened(): void {
    this.#openedAtMs = this.#options.clock.nowMs();
    this.#options.emit({ kind: 'socketOpened' });
    this.#live?.session.authenticate();
    this.#send(this.#subscriptions.all());
  }

  #lost(reason: string): void {
    this.#live?.session.end();
    this.#live = undefined;
    this.#options.emit({ kind: 'socketLost', reason });
    if (this.#isStopped) return;
    this.#countFailure();
    this.#options.observer.onReconnect(reason);
    const { settings, random, timers } = this.#options;
    const range = { msMin: settings.reconnectMsMin, msMax: settings.reconnectMsMax };
    const delayMs = backoffMs(range, this.#failures - 1, random);
    this.#callOff = timers.after(delayMs, () => this.start());
  }

  #countFailure(): void {
    const { clock, settings } = this.#options;
    const openedAtMs = this.#openedAtMs;
    this.#openedAtMs = undefined;
    const wasStable = openedAtMs !== undefined && clock.nowMs() - openedAtMs >= settings.stableMs;
    this.#failures = wasStable ? 1 : this.#failures + 1;
  }

  /** Nearly every frame is one delta or snapshot in plain form; all others take the long way. */
  #heard(bytes: Buffer): void {
    const delta = this.#fast.read(bytes);
    if (delta !== undefined) {
      this.#options.observer.onFrame('orderbook.delta');
      this.#options.emit(delta);
      return;
    }
    const snapshot = this.#snapshots.read(bytes);
    if (snapshot !== undefined) {
      this.#options.observer.onFrame('orderbook.snapshot');
      this.#onMessage(snapshot);
      return;
    }
    for (const frame of parseFrame(textOf(bytes), this.#options.tokens)) {
      this.#options.observer.onFrame(frameLabel(frame));
      this.#onFrame(frame);
    }
  }

  #onFrame(frame: Frame): void {
    switch (frame.kind) {
      case 'connected':
      case 'pong':
        return;
      case 'ping':
        this.#send([PONG_FRAME]);
        return;
      case 'authenticated':
        this.#live?.session.onAuthenticated();
        return;
      case 'error':
        this.#onError(frame.message, frame.code);
        return;
      case 'messages':
        for (const message of frame.messages) this.#onMessage(message);
    }
  }

  #onMessage(message: VenueMessage): void {
    // A snapshot comes before any delta, so each token is known from its first frame on; one that the
    // reader forgot since is learnt again from its next delta.
    const isOfBook = message.kind === 'bookSnapshot' || message.kind === 'bookDelta';
    if (isOfBook) this.#fast.learn(message.tokenId);
    this.#options.emit(message);
  }

  #onError(message: string, code: string | undefined): void {
    if (this.#live?.session.onError(message, code)) return;
    const detail = `${code ?? ''} ${message}`.trim();
    this.#options.emit({ kind: 'unrecognised', frameType: 'error', detail });
  }

  #send(frames: readonly string[]): void {
    this.#live?.connection.send(...frames);
  }
}

/** Of what is too long to be read just so much as says that it is. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8', 0, Math.min(bytes.length, FRAME_BYTES_MAX));
}

const BYTES_PER_CHARACTER_MAX = 3;
const FRAME_BYTES_MAX = (FRAME_LENGTH_MAX + 1) * BYTES_PER_CHARACTER_MAX;
