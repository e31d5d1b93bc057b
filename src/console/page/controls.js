// Pause, resume and kill: one action and a confirmation. They are requests of their own and need no stream.

import { byId, byIdOf, setClass, setText } from './dom.js';
import { timeOfDay } from './format.js';
import { send } from './session.js';

/** @typedef {import('./session.js').Answer} Answer */
/** @typedef {'pause' | 'resume' | 'kill'} Order */

/** Longer than any kill takes until it is confirmed, or known not to be. */
const KILL_MS_MAX = 180_000;

/** @type {Record<Order, { title: string, text: string, yes: string, style: string }>} */
const ASKED = {
  pause: {
    title: 'Pause all markets?',
    text: 'Every quote is cancelled and none is placed until somebody resumes, also after a restart.',
    yes: 'Pause',
    style: 'primary',
  },
  resume: {
    title: 'Resume quoting?',
    text: 'Lifts a pause, a kill or a halt. Quotes are placed at once where limits allow.',
    yes: 'Resume',
    style: 'primary',
  },
  kill: {
    title: 'Kill: cancel everything?',
    text: 'Watchdog and trader cancel them, confirm that none is left, and nothing is placed until somebody resumes, also after a restart.',
    yes: 'Kill',
    style: 'danger',
  },
};

/** @type {Readonly<Record<string, string>>} */
const SCOPES = {
  account: 'Every order of the account.',
  own: 'Every order of ours, and no other.',
};

export class Controls {
  #dialog = byIdOf('confirm', HTMLDialogElement);
  /** @type {import('./store.js').Store} */ #store;
  /** @type {(why: string) => void} */ #onEnded;

  /**
   * @param {import('./store.js').Store} store
   * @param {(why: string) => void} onEnded The session is over.
   */
  constructor(store, onEnded) {
    this.#store = store;
    this.#onEnded = onEnded;
    for (const order of /** @type {const} */ (['pause', 'resume', 'kill'])) {
      byId(order).addEventListener('click', () => void this.ask(order));
    }
  }

  /** @param {Order} order */
  async ask(order) {
    if (this.#dialog.open || byId(order).hasAttribute('disabled')) return;
    const { title, text, yes, style } = ASKED[order];
    setText(byId('confirm-title'), title);
    const scope = order === 'kill' ? SCOPES[this.#store.head?.cancelScope ?? ''] : undefined;
    setText(byId('confirm-text'), scope === undefined ? text : `${scope} ${text}`);
    setText(byId('confirm-yes'), yes);
    setClass(byId('confirm-yes'), style);
    this.#dialog.returnValue = 'no';
    this.#dialog.showModal();
    byId('confirm-yes').focus();
    await new Promise((resolve) => this.#dialog.addEventListener('close', resolve, { once: true }));
    if (this.#dialog.returnValue === 'yes') await this.#send(order);
  }

  /** @param {Order} order */
  async #send(order) {
    this.#say(`${order}: sent`, 'warn');
    if (order !== 'kill') {
      this.#sayAnswer(order, await send(`/control/${order}`));
      return;
    }
    const first = await send('/control/kill');
    this.#sayAnswer(order, first);
    if (first.status !== 202) return;
    const last = await send('/control/kill?wait=proof', 'POST', KILL_MS_MAX);
    if (last.status === 200) this.#say('kill: confirmed, no order is left', 'good');
    else this.#say(`kill: NOT confirmed, orders may rest: ${textOf(last)}`, 'bad');
  }

  /**
   * @param {Order} order
   * @param {Answer} answer
   */
  #sayAnswer(order, answer) {
    const { status, body } = answer;
    if (status === 401)
      this.#onEnded(`${order}: NOT sent, since the session has ended. Log in and ask again.`);
    if (status === 200) this.#say(`${order}: done`, 'good');
    else if (status === 202 && order === 'kill') {
      const { trader, guard } = body;
      this.#say(
        `kill: under way; the trader ${String(trader)}, the watchdog: ${String(guard)}`,
        'warn',
      );
    } else if (status === 202) this.#say(`${order}: ${textOf(answer)}`, 'warn');
    else if (status === 0) this.#say(`${order}: NOT known to have arrived: nobody answers`, 'bad');
    else this.#say(`${order}: ${textOf(answer)}`, 'bad');
  }

  /**
   * @param {string} text
   * @param {string} tone
   */
  #say(text, tone) {
    setText(byId('said'), `${timeOfDay(Date.now())} ${text}`);
    setClass(byId('said'), `said ${tone}`);
  }
}

/** @param {Answer} answer */
function textOf({ status, body }) {
  return String(body['detail'] ?? body['error'] ?? `answered ${status}`);
}
