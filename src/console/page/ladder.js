// The ladder of a market on the YES price: the book without our own orders, our quotes, and where the strategy
// wants them.

import { byId, childAt, el, fillChildren, put, setClass, setPart, setText } from './dom.js';
import { digitsOf, numberOf, price, quantity } from './format.js';

/** @typedef {import('./store.js').MarketView} MarketView */
/** @typedef {import('../../domain/view.ts').QuoteView} QuoteView */
/** @typedef {Map<number, string>} Sizes By price in ticks. */

/** Prices of a narrow book that are shown though nothing rests there, between the best on both sides. */
const GAP_TICKS_MAX = 12;
/** Target, own and book of the bids, the price, then the same of the asks, the other way round. */
const COLUMNS = 7;
const PRICE = 3;
const BOOKS = [2, 4];

/**
 * @typedef {object} Level
 * @property {number} tick
 * @property {'level' | 'fair'} kind
 */

export class LadderView {
  #rows = byId('ladder-rows');
  /** @type {string | undefined} */ #shownId;

  /** @param {MarketView} market */
  draw(market) {
    const digits = digitsOf(market.tickSize);
    const perUnit = 10 ** digits;
    const of = (/** @type {readonly QuoteView[] | undefined} */ quotes) => sizesOf(quotes, perUnit);
    const columns = [
      of(market.targets?.bids),
      of(market.ownBids),
      of(market.book?.bids),
      undefined,
      of(market.book?.asks),
      of(market.ownAsks),
      of(market.targets?.asks),
    ];
    const fair = numberOf(market.fair?.price);
    const levels = levelsOf(columns, fair === undefined ? undefined : fair * perUnit);
    const largest = Math.max(
      1,
      ...BOOKS.flatMap((at) => [...(columns[at]?.values() ?? [])].map(Number)),
    );
    const texts = { perUnit, digits, fair };
    fillChildren(this.#rows, levels.length, newRow, (row, place) => {
      const level = levels[place];
      if (level?.kind === 'fair') fillFair(row, texts);
      else if (level !== undefined) fillLevel(row, level.tick, { ...texts, columns, largest });
    });
    this.#centre(market.marketId);
  }

  /** A market that was just chosen shows its middle. @param {string} marketId */
  #centre(marketId) {
    if (this.#shownId === marketId) return;
    this.#shownId = marketId;
    const box = this.#rows.closest('.ladder-box');
    if (box !== null) box.scrollTop = (box.scrollHeight - box.clientHeight) / 2;
  }
}

/**
 * @param {readonly QuoteView[] | undefined} quotes
 * @param {number} perUnit
 * @returns {Sizes}
 */
function sizesOf(quotes, perUnit) {
  return new Map(
    (quotes ?? []).map((each) => [Math.round(Number(each.price) * perUnit), each.quantity]),
  );
}

/**
 * Every price at which there is something, the highest first, and the fair value where it belongs.
 * @param {readonly (Sizes | undefined)[]} columns
 * @param {number | undefined} fairTicks
 * @returns {readonly Level[]}
 */
export function levelsOf(columns, fairTicks) {
  const ticks = new Set(columns.flatMap((column) => [...(column?.keys() ?? [])]));
  const bids = [...(columns[1]?.keys() ?? []), ...(columns[2]?.keys() ?? [])];
  const asks = [...(columns[4]?.keys() ?? []), ...(columns[5]?.keys() ?? [])];
  const bid = Math.max(...bids);
  const ask = Math.min(...asks);
  if (ask - bid <= GAP_TICKS_MAX) for (let tick = bid + 1; tick < ask; tick += 1) ticks.add(tick);
  /** @type {Level[]} */
  const levels = [...ticks].sort((a, b) => b - a).map((tick) => ({ tick, kind: 'level' }));
  if (fairTicks === undefined || levels.length === 0) return levels;
  const below = levels.findIndex(({ tick }) => tick <= fairTicks);
  levels.splice(below < 0 ? levels.length : below, 0, { tick: fairTicks, kind: 'fair' });
  return levels;
}

/**
 * @param {readonly (Sizes | undefined)[]} columns
 * @param {number} tick
 */
function rowClass(columns, tick) {
  const has = (/** @type {number} */ at) => columns[at]?.has(tick) ?? false;
  if (has(1)) return 'own-bid';
  if (has(5)) return 'own-ask';
  return has(2) || has(4) || has(0) || has(6) ? '' : 'gap';
}

/**
 * @param {HTMLElement} row
 * @param {{ fair: number | undefined }} texts
 */
function fillFair(row, { fair }) {
  setClass(row, 'fair-row');
  for (let at = 0; at < COLUMNS; at += 1) {
    setText(childAt(row, at), at === PRICE ? `fair ${price(fair, 4)}` : '');
    setPart(childAt(row, at), 0);
  }
}

/**
 * @param {HTMLElement} row
 * @param {number} tick
 * @param {{ columns: readonly (Sizes | undefined)[], largest: number, perUnit: number, digits: number }} of
 */
function fillLevel(row, tick, { columns, largest, perUnit, digits }) {
  setClass(row, rowClass(columns, tick));
  for (const [at, column] of columns.entries()) {
    const cell = childAt(row, at);
    const size = column?.get(tick);
    if (at === PRICE) setText(cell, price(tick / perUnit, digits));
    else setText(cell, size === undefined ? '' : quantity(size));
    if (BOOKS.includes(at)) setPart(cell, Number(size ?? 0) / largest);
  }
}

function newRow() {
  const classes = ['target', 'own bid', 'size bid', 'price', 'size ask', 'own ask', 'target'];
  return put(el('tr'), ...classes.map((className) => el('td', className)));
}
