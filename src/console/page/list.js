// The list of markets. Only the rows that are in sight exist, so that a thousand cost what twenty do.

import { byId, byIdOf, el, fillChildren, put, setClass, setText } from './dom.js';
import {
  digitsOf,
  nameOf,
  numberOf,
  percent,
  price,
  signed,
  signedQuantity,
  toneOf,
} from './format.js';

/** @typedef {import('./store.js').MarketView} MarketView */
/** @typedef {import('./store.js').Store} Store */

/** As in layout.css. */
const ROW_PX = 46;
const ROWS_BEYOND = 3;

/** @type {Record<string, (market: MarketView) => number>} The smallest first. */
const ORDERS = {
  bare: (market) => sidesOf(market).filter(Boolean).length,
  pnl: (market) => numberOf(market.pnlUsdc) ?? Number.POSITIVE_INFINITY,
  net: (market) => -Math.abs(netOf(market)),
};

/** @param {MarketView} market */
export function netOf({ positionYes, positionNo }) {
  return (numberOf(positionYes) ?? 0) - (numberOf(positionNo) ?? 0);
}

/** @param {MarketView} market */
function sidesOf({ ownBids, ownAsks }) {
  return [ownBids.length > 0, ownAsks.length > 0];
}

/** @param {MarketView} market */
export function uptimeOf({ uptime: { bid, ask } }) {
  if (bid.sinceStart === undefined || ask.sinceStart === undefined) return undefined;
  return (bid.sinceStart + ask.sinceStart) / 2;
}

export class MarketList {
  /** @type {Store} */ #store;
  #box = byId('list');
  #space = byId('list-space');
  #search = byIdOf('search', HTMLInputElement);
  #sort = byIdOf('sort', HTMLSelectElement);
  /** @type {readonly string[]} */ #shown = [];

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
    const redraw = () => store.changed('markets');
    this.#box.addEventListener('scroll', redraw, { passive: true });
    this.#search.addEventListener('input', redraw);
    this.#sort.addEventListener('change', redraw);
    new ResizeObserver(redraw).observe(this.#box);
    this.#space.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('.row') : null;
      if (row instanceof HTMLElement) store.select(row.dataset['id']);
    });
    store.onChange(['markets'], () => this.draw());
  }

  /**
   * Selects the next or the previous one, and shows it.
   * @param {1 | -1} by
   */
  move(by) {
    const at = this.#shown.indexOf(this.#store.selectedId ?? '');
    const next = Math.min(Math.max(0, at + by), this.#shown.length - 1);
    const id = this.#shown[next];
    if (id === undefined) return;
    this.#store.select(id);
    const top = next * ROW_PX;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + ROW_PX > scrollTop + clientHeight) {
      this.#box.scrollTop = top + ROW_PX - clientHeight;
    }
  }

  draw() {
    const { markets, order } = this.#store;
    this.#shown = this.#picked();
    const isPart = this.#shown.length !== order.length;
    const count = isPart ? `${this.#shown.length} of ${order.length}` : String(order.length);
    setText(byId('markets-count'), count);
    const height = `${this.#shown.length * ROW_PX}px`;
    if (this.#space.style.height !== height) this.#space.style.height = height;
    const { scrollTop, clientHeight } = this.#box;
    const from = Math.max(0, Math.floor(scrollTop / ROW_PX) - ROWS_BEYOND);
    const rows = Math.ceil(clientHeight / ROW_PX) + 2 * ROWS_BEYOND;
    const inSight = this.#shown.slice(from, from + rows);
    fillChildren(this.#space, inSight.length, newRow, (row, place) => {
      const market = markets.get(inSight[place] ?? '');
      row.style.transform = `translateY(${(from + place) * ROW_PX}px)`;
      if (market !== undefined) this.#fill(row, market, from + place);
    });
    const selected = this.#store.selectedId;
    const isInSight = selected !== undefined && inSight.includes(selected);
    if (isInSight) this.#box.setAttribute('aria-activedescendant', `row-${selected}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  /** @returns {readonly string[]} */
  #picked() {
    const { markets, order } = this.#store;
    const words = this.#search.value.toLowerCase().split(' ').filter(Boolean);
    const views = order.flatMap((id) => markets.get(id) ?? []);
    const found = words.length === 0 ? views : views.filter((each) => hasAll(each, words));
    const rank = ORDERS[this.#sort.value];
    const sorted = rank === undefined ? found : [...found].sort((a, b) => rank(a) - rank(b));
    return sorted.map(({ marketId }) => marketId);
  }

  /**
   * @param {HTMLElement} row
   * @param {MarketView} market
   * @param {number} place
   */
  #fill(row, market, place) {
    const isSelected = market.marketId === this.#store.selectedId;
    row.dataset['id'] = market.marketId;
    row.id = `row-${market.marketId}`;
    setClass(row, isSelected ? 'row is-selected' : 'row');
    row.setAttribute('aria-selected', String(isSelected));
    row.setAttribute('aria-posinset', String(place + 1));
    row.setAttribute('aria-setsize', String(this.#shown.length));
    const [mark, title, pnl, book, net, uptime] = row.children;
    if (!mark || !title || !pnl || !book || !net || !uptime) return;
    fillMark(mark, market);
    setText(title, nameOf(market));
    setText(pnl, signed(market.pnlUsdc));
    setClass(pnl, `num ${toneOf(market.pnlUsdc)}`);
    fillBook(book, market);
    setText(net, signedQuantity(netOf(market)));
    setText(uptime, percent(uptimeOf(market)));
  }
}

/**
 * @param {Element} mark
 * @param {MarketView} market
 */
function fillMark(mark, market) {
  const [hasBid = false, hasAsk = false] = sidesOf(market);
  setClass(mark, `mark ${hasBid ? 'has-bid' : ''} ${hasAsk ? 'has-ask' : ''}`);
  const sides = [...(hasBid ? ['bid'] : []), ...(hasAsk ? ['ask'] : [])];
  const text = sides.length === 0 ? 'not quoted' : `quoted: ${sides.join(' and ')}`;
  if (mark.textContent !== text) mark.textContent = text;
}

/**
 * @param {Element} cell
 * @param {MarketView} market
 */
function fillBook(cell, { bestBid, bestAsk, bookStates, status, tickSize }) {
  const digits = digitsOf(tickSize);
  const isTrusted = bookStates.yes === 'trusted' && bookStates.no === 'trusted';
  const doubts = [
    ...(isTrusted ? [] : ['book not trusted']),
    ...(status === 'open' ? [] : [status]),
  ];
  const best = `${price(bestBid, digits)} × ${price(bestAsk, digits)}`;
  setText(cell, [best, ...doubts].join(' · '));
  setClass(cell, doubts.length === 0 ? 'dim book' : 'warn book');
}

function newRow() {
  const row = el('div', 'row');
  row.setAttribute('role', 'option');
  const parts = ['mark', 'title clip', 'num', 'dim book', 'num dim', 'num dim'];
  return put(row, ...parts.map((className) => el('span', className)));
}

/**
 * @param {MarketView} market
 * @param {readonly string[]} words
 */
function hasAll({ title, eventSlug, strategy, marketId }, words) {
  const text = `${title} ${eventSlug} ${strategy} ${marketId}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
