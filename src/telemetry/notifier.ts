// Brings notices to people by HTTP, and keeps nobody waiting: each address has a queue of its own that is bounded in
// length, time and tries. What cannot be delivered is given up and said so in the log, without the address, which is
// a secret.

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { inTime } from '../domain/in-time.ts';
import type { Secret } from '../domain/secret.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { type BoundedLookup, boundedLookup } from './bounded-lookup.ts';
import type { Notice } from './notices.ts';

export type NotifierOptions = {
  readonly urls: readonly Secret[];
  readonly clock: Clock;
  readonly timers: Timers;
  /** An address did not take a notice, however often it was asked. `place` is its number in the list. */
  readonly onFailed: (failure: { readonly place: number; readonly detail: string }) => void;
  readonly timeoutMs?: number;
  readonly pausesMs?: readonly number[];
  /** Instead of those of this machine. */
  readonly nameServers?: readonly string[];
};

/** Longer than any chat takes, and shorter than people wait. */
const TIMEOUT_MS = 5_000;
/** Between the tries of one notice. */
const PAUSES_MS: readonly number[] = [1_000, 5_000, 20_000];
/** Of one address; the oldest goes first. A trader that dies in a loop says the same again and again. */
const QUEUE_MAX = 20;
/**
 * The same event is sent again after that; what comes in between is counted, but for the first few that say something else.
 * The last of it is sent then: a halt that follows the resume of another one is the state that stays.
 */
const REPEAT_MS = 30_000;
const TEXTS_MAX = 3;

type Sent = { atMs: number; readonly texts: Set<string>; repeats: number; sendLast?: () => void };

/** `isLate`: it is of half a minute ago, and may have been lifted since. */
type Body = Notice & { readonly at: string; readonly repeats: number; readonly isLate: boolean };

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #queues: readonly AddressQueue[];
  readonly #names: BoundedLookup;
  readonly #sent = new Map<string, Sent>();

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#names = boundedLookup(options.nameServers);
    this.#queues = options.urls.map(
      (url, index) => new AddressQueue(url, index + 1, { ...options, names: this.#names }),
    );
  }

  /** Takes a notice, and returns at once. */
  send(notice: Notice, lateAt?: string): void {
    const { clock, timers } = this.#options;
    const nowMs = clock.nowMs();
    const at = lateAt ?? new Date(nowMs).toISOString();
    const key = `${notice.event} ${String(notice.fields['to'] ?? '')}`;
    const last = this.#sent.get(key);
    const isRepeat = last !== undefined && Math.abs(nowMs - last.atMs) < REPEAT_MS;
    if (isRepeat && (last.texts.has(notice.text) || last.texts.size >= TEXTS_MAX)) {
      last.repeats += 1;
      if (last.sendLast === undefined) timers.after(REPEAT_MS, () => last.sendLast?.());
      last.sendLast = () => {
        if (this.#sent.get(key) !== last) return;
        Object.assign(last, { atMs: Number.NEGATIVE_INFINITY, repeats: last.repeats - 1 });
        this.send(notice, at);
      };
      return;
    }
    const repeats = isRepeat ? 0 : (last?.repeats ?? 0);
    if (isRepeat) last.texts.add(notice.text);
    else this.#sent.set(key, { atMs: nowMs, texts: new Set([notice.text]), repeats: 0 });
    const body = { ...notice, at, repeats, isLate: lateAt !== undefined };
    for (const queue of this.#queues) queue.add(body);
  }

  /** When everything is delivered or given up, and no later than that. */
  async flush(msMax: number): Promise<void> {
    const idle = Promise.all(this.#queues.map(async (queue) => await queue.idle()));
    await inTime(idle, [], { timers: this.#options.timers, ms: msMax });
  }

  /** Nothing is sent any more. */
  stop(): void {
    for (const queue of this.#queues) queue.stop();
    this.#names.stop();
  }
}

type QueueOptions = NotifierOptions & { readonly names: BoundedLookup };

class AddressQueue {
  readonly #url: Secret;
  readonly #place: number;
  readonly #options: QueueOptions;
  readonly #waiting: Body[] = [];
  #work: Promise<void> | undefined;
  #isStopped = false;
  #wake = () => {};

  constructor(url: Secret, place: number, options: QueueOptions) {
    this.#url = url;
    this.#place = place;
    this.#options = options;
  }

  add(body: Body): void {
    if (this.#isStopped) return;
    if (this.#waiting.length >= QUEUE_MAX) this.#waiting.shift();
    this.#waiting.push(body);
    this.#work ??= this.#drain();
  }

  async idle(): Promise<void> {
    await this.#work;
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    this.#wake();
  }

  async #drain(): Promise<void> {
    // Whoever has something to say goes on with his own work first.
    await Promise.resolve();
    for (let body = this.#waiting.shift(); body !== undefined; body = this.#waiting.shift()) {
      await this.#deliver(body);
    }
    this.#work = undefined;
  }

  async #deliver(body: Body): Promise<void> {
    const { pausesMs = PAUSES_MS, onFailed } = this.#options;
    let detail = '';
    for (let attempt = 0; attempt <= pausesMs.length && !this.#isStopped; attempt += 1) {
      if (attempt > 0) await this.#pause(pausesMs[attempt - 1] ?? 0);
      if (this.#isStopped) return;
      // An address that no request can be made of fails before it is asked; whoever has something to say goes on.
      detail = await this.#post(body).catch((error: unknown) => nameOf(error));
      if (detail === '') return;
      // An address that is wrong does not become right.
      if (/^HTTP 4(?!08|29)/.test(detail)) break;
    }
    onFailed({ place: this.#place, detail });
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.#options.timers.after(ms, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }

  /** What went wrong, or nothing. */
  async #post(body: Body): Promise<string> {
    const { timers, names, timeoutMs = TIMEOUT_MS } = this.#options;
    return await new Promise((resolve) => {
      const text = bodyText(body);
      const url = new URL(this.#url.reveal());
      const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      };
      const request = ask(url, { method: 'POST', headers, agent: false, lookup: names.lookup });
      const end = (detail: string): void => {
        callOff();
        request.destroy();
        resolve(detail);
      };
      const callOff = timers.after(timeoutMs, () => end(`no answer in ${timeoutMs} ms`));
      request.on('response', ({ statusCode = 0 }) =>
        end(statusCode >= 200 && statusCode < 300 ? '' : `HTTP ${statusCode}`),
      );
      request.on('error', (error) => end(nameOf(error)));
      request.end(text);
    });
  }
}

/** Texts of the system may name the address, codes do not. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error ? String(error.code) : error.name;
}

/** `text` is what Slack, Mattermost and Telegram show, `content` what Discord does. */
function bodyText({ event, text, fields, at, repeats, isLate }: Body): string {
  const dated = isLate ? `${text}, at ${at}` : text;
  const said = repeats === 0 ? dated : `${dated} (and ${repeats} times before)`;
  return JSON.stringify({ text: said, content: said, event, at, repeats, fields });
}
