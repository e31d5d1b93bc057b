// The stream of what changes. A stream that says nothing is dead, whatever the connection looks like; the page
// says so, begins it anew, and asks for the state of the account meanwhile.

import { read, resumeSession } from './session.js';

/** It beats twice a second. */
const SILENT_MS = 3_000;
const LOOK_MS = 500;
/** A connection that looks open and says nothing is begun anew. */
const RENEW_MS = 6_000;
const POLL_MS = 2_000;
/** A window that nobody sees lets go of its stream: a browser opens six connections to one server, for all of its tabs. */
const HIDDEN_MS = 10_000;

/**
 * @typedef {object} StreamOptions
 * @property {import('./store.js').Store} store
 * @property {(why: string) => void} onEnded The session is over.
 */

export class Stream {
  /** @type {StreamOptions} */ #options;
  /** @type {EventSource | undefined} */ #source;
  #heardAtMs = 0;
  #openedAtMs = 0;
  #polledAtMs = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;
  #hiddenAtMs = 0;
  #isAsleep = false;

  /** @param {StreamOptions} options */
  constructor(options) {
    this.#options = options;
  }

  start() {
    this.stop();
    this.#isAsleep = false;
    this.#heardAtMs = Date.now();
    this.#hiddenAtMs = Date.now();
    this.#open();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }

  #open() {
    const { store } = this.#options;
    this.#source?.close();
    this.#openedAtMs = Date.now();
    const source = new EventSource('/api/stream');
    this.#source = source;
    let isFirst = true;
    const on = (/** @type {string} */ name, /** @type {(data: any) => void} */ take) =>
      source.addEventListener(name, (event) => {
        if (source !== this.#source || !(event instanceof MessageEvent)) return;
        this.#heardAtMs = Date.now();
        store.setLink('live');
        take(JSON.parse(event.data));
      });
    source.onopen = () => {
      isFirst = true;
    };
    on('pulse', (pulse) => {
      if (isFirst) store.begin();
      isFirst = false;
      store.setPulse(pulse);
    });
    on('full', () => store.setLink('full'));
    on('head', (head) => store.setHead(head));
    on('order', (order) => store.setOrder(order));
    on('markets', (markets) => store.setMarkets(markets));
    on('events', (events) => store.addEvents(events));
  }

  #look() {
    const { store } = this.#options;
    const nowMs = Date.now();
    if (this.#sleeps(nowMs)) return;
    const silentMs = nowMs - this.#heardAtMs;
    // Ages go on though nothing is heard.
    store.changed('link');
    if (silentMs < SILENT_MS) return;
    if (store.link !== 'full') store.setLink('dead');
    if (nowMs - this.#openedAtMs > RENEW_MS) this.#open();
    if (nowMs - this.#polledAtMs < POLL_MS) return;
    this.#polledAtMs = nowMs;
    void this.#poll();
  }

  /** @param {number} nowMs */
  #sleeps(nowMs) {
    if (!document.hidden) this.#hiddenAtMs = nowMs;
    const isUnseen = nowMs - this.#hiddenAtMs > HIDDEN_MS;
    if (isUnseen && !this.#isAsleep) {
      this.#source?.close();
      this.#source = undefined;
      document.title = 'asleep · bookend';
      this.#options.store.setLink('connecting');
    } else if (!isUnseen && this.#isAsleep) {
      this.#heardAtMs = nowMs;
      this.#open();
    }
    this.#isAsleep = isUnseen;
    return isUnseen;
  }

  /** The account, without its markets: enough to see whether a kill has had its effect. */
  async #poll() {
    const { store, onEnded } = this.#options;
    const { status, body } = await read('/api/state?limit=0');
    if (status === 401) {
      if ((await resumeSession()) === 'none') onEnded('The session has ended.');
      return;
    }
    if (status !== 200) return;
    const { age, markets, page, ...head } = /** @type {any} */ (body);
    store.setHead(head);
    store.setPulse({ status: age?.trader ?? 'down', stateAgeMs: age?.stateMs });
  }
}
