// What happened lately, newest first, with a filter.

import { byId, byIdOf, childAt, el, fillChildren, put, setClass, setText } from './dom.js';
import { nameOf, timeOfDay } from './format.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./store.js').EventLine} EventLine */

const SHOWN_MAX = 200;
const HEAD_FIELDS = new Set(['number', 'atMs', 'event', 'level', 'marketId', 'tokenId']);
/** @type {readonly string[]} */
const LEVELS = ['debug', 'info', 'warn', 'error'];

export class EventsView {
  /** @type {Store} */ #store;
  #list = byId('events');
  #filter = byIdOf('events-filter', HTMLInputElement);
  #level = byIdOf('events-level', HTMLSelectElement);
  #here = byIdOf('events-here', HTMLInputElement);

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
    for (const input of [this.#filter, this.#level, this.#here]) {
      input.addEventListener('input', () => store.changed('events'));
    }
    store.onChange(['events'], () => this.#draw());
  }

  #draw() {
    const titles = titlesOf(this.#store);
    const words = this.#filter.value.toLowerCase().split(' ').filter(Boolean);
    const least = LEVELS.indexOf(this.#level.value);
    const { selected } = this.#store;
    const ids = new Set([selected?.marketId, selected?.yesTokenId, selected?.noTokenId]);
    /** @type {{ line: EventLine, title: string, text: string }[]} */
    const shown = [];
    for (const line of this.#store.events.toReversed()) {
      if (shown.length === SHOWN_MAX) break;
      if (LEVELS.indexOf(line.level) < least) continue;
      if (this.#here.checked && !isOf(line, ids)) continue;
      const title = titles.get(String(line['marketId'] ?? line['tokenId'])) ?? '';
      const text = textOf(line);
      const all = `${line.event} ${line.level} ${title} ${text}`.toLowerCase();
      if (words.every((word) => all.includes(word))) shown.push({ line, title, text });
    }
    const make = () => put(el('li'), el('time'), el('b'), el('span', 'of'), el('span', 'text'));
    fillChildren(this.#list, shown.length, make, (row, place) => {
      const it = shown[place];
      if (it === undefined) return;
      setClass(row, it.line.level);
      setText(childAt(row, 0), timeOfDay(it.line.atMs));
      setText(childAt(row, 1), it.line.event);
      setText(childAt(row, 2), it.title);
      setText(childAt(row, 3), it.text);
    });
  }
}

/**
 * @param {EventLine} line
 * @param {ReadonlySet<unknown>} ids
 */
function isOf(line, ids) {
  const of = line['marketId'] ?? line['tokenId'];
  return of !== undefined && ids.has(of);
}

/** Titles by the ids that events carry. @param {Store} store */
function titlesOf({ markets }) {
  /** @type {Map<string, string>} */
  const titles = new Map();
  for (const market of markets.values()) {
    const name = nameOf(market);
    titles.set(market.marketId, name);
    titles.set(market.yesTokenId, `${name} · YES`);
    titles.set(market.noTokenId, `${name} · NO`);
  }
  return titles;
}

/** Its other fields, long hashes as their ends. @param {EventLine} line */
export function textOf(line) {
  const parts = Object.entries(line)
    .filter(([name, value]) => !HEAD_FIELDS.has(name) && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return parts
    .join(' ')
    .replace(/0x[0-9a-f]{16,}/gi, (hex) => `${hex.slice(0, 6)}…${hex.slice(-4)}`);
}
