// The trader's end of the way to the process that serves HTTP: what it shows of itself goes out at its own
// pace, and what an operator asks for comes in. Whatever becomes of the other end, the trader goes on.

import { connect, type Socket } from 'node:net';
import { BotError } from '../domain/errors.ts';
import { redactedJson } from '../domain/redact.ts';
import type { Timers } from '../domain/time.ts';
import type { PickMarkets, StateView } from '../domain/view.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import {
  type Ask,
  type FromTrader,
  LISTEN_AGAIN_MS,
  lineReader,
  readToTrader,
  type Served,
  type ToTrader,
  toLine,
} from './http-words.ts';
import type { RecentEvents } from './recent-events.ts';
import { Snapshots } from './snapshots.ts';

export type HttpLinkOptions = {
  /** Where the other process listens for its trader. */
  readonly path: string;
  readonly view: (pick?: PickMarkets) => StateView;
  readonly metrics: Metrics;
  readonly events: RecentEvents;
  readonly tickAgeMs: () => number | undefined;
  /** @returns What the operator is answered. */
  readonly answer: (ask: Ask) => Promise<{ readonly status: number; readonly body: object }>;
  /** Those in the background let the process end. */
  readonly timers: Timers & { readonly background: Timers };
};

const RETRY_MS = 200;
/** The other process loads meanwhile, on a machine that may be busy. */
const SERVED_MS_MAX = 15_000;
/** A port that is taken may be that of an instance for whose end this start has just waited: it is tried again first. */
const FAULT_MS = 2 * LISTEN_AGAIN_MS;
/** Text under way that the other end does not read: beyond it nothing is told until it does. */
const UNREAD_MAX = 1_000_000;

export class HttpLink {
  readonly #options: HttpLinkOptions;
  readonly #snapshots: Snapshots;
  #socket: Socket | undefined;
  #callOff: () => void = () => {};
  #callOffWait: () => void = () => {};
  #callOffFault: () => void = () => {};
  #isClosed = false;
  #onServed: (served: Served) => void = () => {};
  readonly #served: Promise<Served>;

  constructor(options: HttpLinkOptions) {
    this.#options = options;
    this.#served = new Promise((resolve) => {
      this.#onServed = resolve;
    });
    this.#snapshots = new Snapshots({
      ...options,
      timers: options.timers.background,
      mayPost: () => this.#socket !== undefined && this.#socket.writableLength < UNREAD_MAX,
      post: (posted) => {
        if (this.#socket === undefined) return;
        this.#write(posted.map((each) => toLine({ kind: 'posted', posted: each })).join(''));
      },
    });
    this.#connect();
    this.#snapshots.start();
  }

  /**
   * Where HTTP is served, as soon as it is; `undefined` where nobody says so in time, which keeps no trader
   * from its work.
   * @throws {BotError} `http.listen` when it cannot be served there.
   */
  async served(withinMs = SERVED_MS_MAX): Promise<string | undefined> {
    const late = new Promise<undefined>((resolve) => {
      this.#callOffWait = this.#options.timers.after(withinMs, () => resolve(undefined));
    });
    const served = await Promise.race([this.#served, late]).finally(() => this.#callOffWait());
    if (served?.kind === 'fault') throw new BotError('http.listen', served.detail);
    return served?.address;
  }

  /** Where HTTP is served, however long nobody says so; never where it cannot be. */
  async servedAtLast(): Promise<string> {
    const served = await this.#served;
    return served.kind === 'at' ? served.address : await new Promise(() => {});
  }

  close(): void {
    // What the state is at the end is the last that is shown.
    this.#snapshots.now();
    this.#isClosed = true;
    this.#snapshots.stop();
    this.#callOff();
    this.#callOffWait();
    this.#callOffFault();
    this.#socket?.end();
    this.#socket?.unref();
  }

  #connect(): void {
    const socket = connect(this.#options.path);
    socket.setEncoding('utf8');
    const read = lineReader((line) => this.#onWord(readToTrader(line)));
    socket.on('connect', () => {
      if (this.#isClosed) {
        socket.destroy();
        return;
      }
      this.#socket = socket;
      this.#snapshots.anew();
    });
    socket.on('data', (part: string) => this.#guarded(socket, () => read(part)));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#socket = undefined;
      if (this.#isClosed) return;
      this.#callOff = this.#options.timers.background.after(RETRY_MS, () => this.#connect());
    });
  }

  /** Words that cannot be read are of a process that is no longer itself: begun anew. */
  #guarded(socket: Socket, task: () => void): void {
    try {
      task();
    } catch {
      socket.destroy();
    }
  }

  #onWord(word: ToTrader): void {
    if (word.kind === 'served') {
      const { served } = word;
      const { background } = this.#options.timers;
      this.#callOffFault();
      if (served.kind === 'at') this.#onServed(served);
      else this.#callOffFault = background.after(FAULT_MS, () => this.#onServed(served));
      return;
    }
    if (word.kind === 'looked') {
      this.#snapshots.onLooked(word.marketIds);
      return;
    }
    const { id, ask } = word;
    this.#say({ kind: 'taken', id });
    void this.#options.answer(ask).then(({ status, body }) => {
      // Who asks next sees what came of it.
      this.#snapshots.now();
      this.#say({ kind: 'done', id, status, body });
    });
  }

  /** The other end knows no secret of ours that an answer could repeat. */
  #say(word: FromTrader): void {
    this.#write(`${redactedJson(JSON.stringify(word))}\n`);
  }

  #write(text: string): void {
    this.#socket?.write(text);
  }
}
