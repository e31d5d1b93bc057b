// Pause, resume and kill, of the account or of the market that is shown: one action and a confirmation. They are
// requests of their own and need no stream.

import { byId, byIdOf, setClass, setText } from './dom.js';
import { nameOf, timeOfDay } from './format.js';
import { may, roleOf, send } from './session.js';

/** @typedef {import('./session.js').Answer} Answer */
/** @typedef {'pause' | 'resume' | 'kill'} Order */
/** @typedef {{ title: string, text: string, yes: string, style: string }} Question */

/** Longer than any kill takes until it is confirmed, or known not to be. */
const KILL_MS_MAX = 180_000;

/** @type {readonly Order[]} */
const ORDERS = ['pause', 'resume', 'kill'];

/** What the session must give for each. @type {Readonly<Record<Order, 'trade' | 'kill'>>} */
const NEEDS = { pause: 'trade', resume: 'trade', kill: 'kill' };

/** @type {Record<Order, Question>} */
const ASKED = {
  pause: {
    title: 'Pause all markets?',
    text: 'Every quote is cancelled and none is placed until somebody resumes, also after a restart.',
    yes: 'Pause',
    style: 'primary',
  },
  resume: {
    title: 'Resume quoting?',
    text: 'Lifts a pause, a kill or a halt. Quotes are placed at once where limits allow. Markets that were stopped one by one stay stopped.',
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

/** @type {Record<Order, Question>} */
const ASKED_OF_MARKET = {
  pause: {
    title: 'Pause this market?',
    text: 'Its quotes are cancelled and none is placed there until somebody resumes it, also after a restart. Other markets go on.',
    yes: 'Pause market',
    style: 'primary',
  },
  resume: {
    title: 'Resume this market?',
    text: 'Lifts its pause, its kill and the controls that hold it alone. Quotes are placed at once where limits allow.',
    yes: 'Resume market',
    style: 'primary',
  },
  kill: {
    title: 'Kill this market?',
    text: 'All orders there are cancelled, by the trader alone, and none is placed until somebody resumes it, also after a restart. Other markets go on.',
    yes: 'Kill market',
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
    for (const order of ORDERS) {
      byId(order).addEventListener('click', () => void this.ask(order));
      byId(`market-${order}`).addEventListener('click', () => void this.askOfMarket(order));
    }
    store.onChange(['head', 'selected'], () => this.#drawMarket());
  }

  /** Shows what the role of the session may do, and nothing else. */
  begin() {
    for (const order of ORDERS) {
      byId(order).hidden = !may(NEEDS[order]);
      byId(`market-${order}`).hidden = !may(NEEDS[order]);
    }
    const role = roleOf();
    setText(byId('role'), role === 'full' ? '' : `${role} only`);
  }

  /** @param {Order} order */
  async ask(order) {
    if (byId(order).hasAttribute('disabled') || !may(NEEDS[order])) return;
    const question = ASKED[order];
    const scope = order === 'kill' ? SCOPES[this.#store.head?.cancelScope ?? ''] : undefined;
    const text = scope === undefined ? question.text : `${scope} ${question.text}`;
    if (await this.#isMeant({ ...question, text })) await this.#send(order);
  }

  /** Of the market that is shown now, whichever is shown when it is confirmed. @param {Order} order */
  async askOfMarket(order) {
    const { selected } = this.#store;
    if (selected === undefined || !may(NEEDS[order])) return;
    if (byId(`market-${order}`).hasAttribute('disabled')) return;
    const { marketId: id } = selected;
    const name = nameOf(selected);
    const question = ASKED_OF_MARKET[order];
    const text = `${name} (${id}): ${question.text}`;
    if (await this.#isMeant({ ...question, text })) await this.#sendOfMarket(order, { id, name });
  }

  /** What stands decides what can be asked for. */
  #drawMarket() {
    const { head, selected } = this.#store;
    const stopped = head?.stoppedMarkets?.find((each) => each.marketId === selected?.marketId);
    const isHeld =
      head?.risk?.latches.some(({ scope }) => scope === selected?.marketId) ??
      stopped !== undefined;
    byId('market-pause').toggleAttribute('disabled', selected === undefined || !!stopped);
    byId('market-resume').toggleAttribute('disabled', !isHeld);
    byId('market-kill').toggleAttribute('disabled', selected === undefined);
  }

  /** @param {Question} question */
  async #isMeant({ title, text, yes, style }) {
    if (this.#dialog.open) return false;
    setText(byId('confirm-title'), title);
    setText(byId('confirm-text'), text);
    setText(byId('confirm-yes'), yes);
    setClass(byId('confirm-yes'), style);
    this.#dialog.returnValue = 'no';
    this.#dialog.showModal();
    byId('confirm-yes').focus();
    await new Promise((resolve) => this.#dialog.addEventListener('close', resolve, { once: true }));
    return this.#dialog.returnValue === 'yes';
  }

  /**
   * @param {Order} order
   * @param {{ id: string, name: string }} of
   */
  async #sendOfMarket(order, { id, name }) {
    const what = `${order} of ${name}`;
    this.#say(`${what}: sent`, 'warn');
    const answer = await send(`/control/${order}?market=${encodeURIComponent(id)}`);
    if (answer.status === 200 && order === 'kill') {
      this.#say(`${what}: confirmed, no order of ours is left there`, 'good');
    } else this.#sayAnswer(what, answer);
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
    const whose = last.body['scope'] === 'own' ? ' of ours' : '';
    if (last.status === 200) this.#say(`kill: confirmed, no order${whose} is left`, 'good');
    else this.#say(`kill: NOT confirmed, orders may rest: ${textOf(last)}`, 'bad');
  }

  /**
   * @param {string} what
   * @param {Answer} answer
   */
  #sayAnswer(what, answer) {
    const { status, body } = answer;
    if (status === 401)
      this.#onEnded(`${what}: NOT sent, since the session has ended. Log in and ask again.`);
    if (status === 200) this.#say(`${what}: done`, 'good');
    else if (status === 202 && 'guard' in body) {
      const { trader, guard } = body;
      this.#say(
        `${what}: under way; the trader ${String(trader)}, the watchdog: ${String(guard)}`,
        'warn',
      );
    } else if (status === 202) this.#say(`${what}: ${textOf(answer)}`, 'warn');
    else if (status === 0) this.#say(`${what}: NOT known to have arrived: nobody answers`, 'bad');
    else this.#say(`${what}: ${textOf(answer)}`, 'bad');
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
