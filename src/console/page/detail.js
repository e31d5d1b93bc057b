// One market beside its ladder: what is held, what it earned, why a side is not quoted, and its last fills.

import { byId, childAt, el, fillChildren, put, setClass, setText } from './dom.js';
import {
  bandOf,
  digitsOf,
  duration,
  money,
  nameOf,
  numberOf,
  percent,
  price,
  quantity,
  signed,
  signedQuantity,
  timeOfDay,
  toneOf,
} from './format.js';
import { netOf } from './list.js';

/** @typedef {import('./store.js').MarketView} MarketView */
/** @typedef {import('./store.js').ShownFill} ShownFill */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {readonly [name: string, value: string, tone?: string]} Fact */

export class DetailView {
  #box = byId('detail');
  #why = el('div', 'why');
  #quotes = el('tbody');
  #figures = el('dl', 'facts');
  #params = el('dl', 'facts');
  #positions = el('tbody');
  #uncertain = el('div', 'why');
  #settling = el('tbody');
  #fills = el('tbody');

  constructor() {
    put(
      this.#box,
      heading('Why not'),
      this.#why,
      heading('Own quotes'),
      table(['side', 'price', 'shares', 'ahead', 'rests for'], this.#quotes),
      heading('Figures'),
      this.#figures,
      heading('Inventory'),
      table(['', 'settled', 'expected', 'interval', 'sellable'], this.#positions),
      this.#uncertain,
      heading('Settlement'),
      table(['matched, not settled', 'shares', 'for'], this.#settling),
      heading('Last fills, and what fair moved in their favour'),
      table(['time', 'side', 'price', 'shares', '10 s', '60 s'], this.#fills),
      heading('Parameters'),
      this.#params,
    );
  }

  /**
   * @param {MarketView} market
   * @param {Store} store
   */
  draw(market, store) {
    drawHead(market);
    drawWhy(this.#why, market, store.nowMs);
    drawQuotes(this.#quotes, market, store.nowMs);
    drawFacts(this.#figures, factsOf(market));
    drawFacts(this.#params, paramsOf(market));
    drawPositions(this.#positions, market);
    drawUncertain(this.#uncertain, market, store.nowMs);
    drawSettling(this.#settling, market, store.nowMs);
    drawFills(this.#fills, market);
  }
}

/** @param {string} text */
function heading(text) {
  return el('h3', '', text);
}

/**
 * @param {readonly string[]} names
 * @param {HTMLElement} body
 */
function table(names, body) {
  const head = el('tr');
  for (const [at, name] of names.entries()) {
    const cell = el(name === '' ? 'td' : 'th', at === 0 ? '' : 'num', name);
    if (name !== '') cell.setAttribute('scope', 'col');
    head.append(cell);
  }
  return put(el('table', 'plain'), put(el('thead'), head), body);
}

/** @param {MarketView} market */
function drawHead(market) {
  setText(byId('market-title'), nameOf(market));
  const { bookStates, status, strategy, tickSize, params, eventSlug, marketId } = market;
  const isTrusted = bookStates.yes === 'trusted' && bookStates.no === 'trusted';
  const books = isTrusted ? 'book trusted' : `book yes ${bookStates.yes}, no ${bookStates.no}`;
  const chips = [
    [status, status === 'open' ? 'chip good' : 'chip warn'],
    [books, isTrusted ? 'chip' : 'chip warn'],
    [strategy, 'chip'],
    [`tick ${tickSize}`, 'chip'],
    [eventSlug, 'chip'],
    [marketId, 'chip'],
    [`settings ${params.version}`, 'chip'],
    ...market.guards.map(({ guard, side, effect }) => [`${guard} ${side} ${effect}`, 'chip warn']),
  ];
  fillChildren(
    byId('market-facts'),
    chips.length,
    () => el('span'),
    (chip, place) => {
      const [text = '', className = ''] = chips[place] ?? [];
      setText(chip, text);
      setClass(chip, className);
    },
  );
}

/**
 * @param {HTMLElement} box
 * @param {MarketView} market
 * @param {number} nowMs
 */
function drawWhy(box, market, nowMs) {
  const { bidReason, askReason, ownBids, ownAsks, guards } = market;
  const rows = [
    sideRow('Bid', ownBids.length, bidReason, nowMs),
    sideRow('Ask', ownAsks.length, askReason, nowMs),
    ...guards.map(({ guard, side, effect, code, detail, clears }) => ({
      ...{ isQuoted: false, name: `Filter ${guard}`, code: `${side} ${effect}: ${code}` },
      ...{ detail, clears: `clears: ${clears}` },
    })),
  ];
  const make = () => put(el('div'), el('b'), el('span', 'code'), el('p'), el('p', 'dim'));
  fillChildren(box, rows.length, make, (node, place) => {
    const row = rows[place];
    if (row === undefined) return;
    setClass(node, row.isQuoted ? 'side is-quoted' : 'side is-bare');
    const texts = [row.name, row.code, row.detail, row.clears];
    for (const [at, text] of texts.entries()) setText(childAt(node, at), text);
  });
}

/**
 * @param {string} name
 * @param {number} count Levels that rest.
 * @param {import('../../domain/view.ts').Reason | undefined} reason
 * @param {number} nowMs
 */
function sideRow(name, count, reason, nowMs) {
  if (count > 0) {
    const levels = count === 1 ? 'one level' : `${count} levels`;
    return { isQuoted: true, name, code: `quoted, ${levels}`, detail: '', clears: '' };
  }
  if (reason === undefined)
    return { isQuoted: false, name, code: 'not quoted', detail: '', clears: '' };
  const { code, detail, clears, sinceMs } = reason;
  const since = `for ${duration(nowMs - sinceMs)} · clears: ${clears}`;
  return { isQuoted: false, name, code, detail, clears: since };
}

/**
 * @param {MarketView} market
 * @returns {readonly Fact[]}
 */
function factsOf(market) {
  const { fair, uptime, sets } = market;
  const digits = digitsOf(market.tickSize);
  const worth = numberOf(fair?.price);
  const deviation = numberOf(fair?.logOddsDeviation);
  const band =
    worth === undefined || deviation === undefined || worth <= 0 || worth >= 1
      ? '—'
      : bandOf(worth, deviation)
          .map((each) => price(each, digits + 1))
          .join(' – ');
  const { bid, ask } = uptime;
  return [
    ['P&L', signed(market.pnlUsdc), toneOf(market.pnlUsdc)],
    ...pnlFacts(market),
    ['net', signedQuantity(netOf(market))],
    ['best', `${price(market.bestBid, digits)} × ${price(market.bestAsk, digits)}`],
    ['fair', price(fair?.price, digits + 2)],
    ['fair ± 1 dev.', band],
    ['from outside', price(fair?.external, digits + 2)],
    ['uptime bid', `${percent(bid.sinceStart)} · 1 h ${percent(bid.lastHour)}`],
    ['uptime ask', `${percent(ask.sinceStart)} · 1 h ${percent(ask.lastHour)}`],
    [
      'markout 10 s',
      price(market.markouts?.after10sUsdc, 4),
      toneOf(perHundred(market.markouts?.after10sUsdc)),
    ],
    [
      'markout 60 s',
      price(market.markouts?.after60sUsdc, 4),
      toneOf(perHundred(market.markouts?.after60sUsdc)),
    ],
    ['fills', quantity(market.fills)],
    ...figureFacts(market),
    ['free sets', quantity(sets?.free)],
    ['book updates', quantity(market.bookUpdates)],
  ];
}

/**
 * What the profit is made of: the parts add up.
 * @param {MarketView} market
 * @returns {readonly Fact[]}
 */
function pnlFacts({ pnlParts }) {
  if (pnlParts === undefined) return [];
  const { spreadUsdc, movedUsdc, beforeUsdc } = pnlParts;
  return [
    ['· spread earned', signed(spreadUsdc), toneOf(spreadUsdc)],
    ['· prices since', signed(movedUsdc), toneOf(movedUsdc)],
    ['· earlier runs', signed(beforeUsdc), toneOf(beforeUsdc)],
  ];
}

/**
 * What quoting came to in this run, as `bookend status` has it.
 * @param {MarketView} market
 * @returns {readonly Fact[]}
 */
function figureFacts({ figures }) {
  if (figures === undefined) return [];
  const { parts, makerShares, takerShares, unsureShares } = figures;
  const moves = [parts?.to1sUsdc, parts?.to10sUsdc, parts?.to60sUsdc].map((usdc) => signed(usdc));
  return [
    ['moved 1 · 10 · 60 s', moves.join(' · ')],
    ['P&L at fair', signed(figures.pnlAtFairUsdc), toneOf(figures.pnlAtFairUsdc)],
    ['drawdown', money(figures.drawdownUsdc)],
    ['made · took', `${quantity(makerShares)} · ${quantity(takerShares)}`],
    ['made or took', quantity(unsureShares)],
    [
      'net RMS · most',
      `${quantity(figures.inventoryRmsShares)} · ${quantity(figures.inventoryMaxShares)}`,
    ],
    ['at the touch', percent(figures.touchRatio)],
  ];
}

/**
 * In force; one that waits for a restart is marked.
 * @param {MarketView} market
 * @returns {readonly Fact[]}
 */
function paramsOf({ params: { values, pendingRestart } }) {
  return Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return pendingRestart.includes(name)
      ? [name, `${text}, another after a restart`, 'warn']
      : [name, text];
  });
}

/** Of a price: its tone turns at a hundredth of what money does. @param {string | undefined} value */
function perHundred(value) {
  return 100 * (numberOf(value) ?? 0);
}

/**
 * @param {HTMLElement} body
 * @param {MarketView} market
 * @param {number} nowMs
 */
function drawQuotes(body, { ownAsks, ownBids, tickSize }, nowMs) {
  const digits = digitsOf(tickSize);
  const quotes = [
    ...ownAsks.toReversed().map((quote) => ({ side: 'ask', tone: 'bad', quote })),
    ...ownBids.map((quote) => ({ side: 'bid', tone: 'good', quote })),
  ];
  const make = () => put(el('tr'), el('td'), ...[1, 2, 3, 4].map(() => el('td', 'num')));
  fillChildren(body, quotes.length, make, (row, place) => {
    const it = quotes[place];
    if (it === undefined) return;
    const { sinceMs, ahead } = it.quote;
    setText(childAt(row, 0), it.side);
    setClass(childAt(row, 0), it.tone);
    setText(childAt(row, 1), price(it.quote.price, digits));
    setText(childAt(row, 2), quantity(it.quote.quantity));
    setText(childAt(row, 3), quantity(ahead));
    setText(childAt(row, 4), sinceMs === undefined ? '—' : duration(Math.max(0, nowMs - sinceMs)));
  });
}

/**
 * @param {HTMLElement} list
 * @param {readonly Fact[]} facts
 */
export function drawFacts(list, facts) {
  const make = () => put(el('div'), el('dt'), el('dd'));
  fillChildren(list, facts.length, make, (row, place) => {
    const [name = '', value = '', tone = ''] = facts[place] ?? [];
    setText(childAt(row, 0), name);
    setText(childAt(row, 1), value);
    setClass(childAt(row, 1), tone);
  });
}

/**
 * @param {HTMLElement} body
 * @param {MarketView} market
 */
function drawPositions(body, { positions, settledYes, settledNo, positionYes, positionNo }) {
  const rows = [
    { name: 'YES', settled: settledYes, expected: positionYes, of: positions?.yes },
    { name: 'NO', settled: settledNo, expected: positionNo, of: positions?.no },
  ];
  const make = () => put(el('tr'), el('th'), ...[1, 2, 3, 4].map(() => el('td', 'num')));
  fillChildren(body, rows.length, make, (row, place) => {
    const it = rows[place];
    if (it === undefined) return;
    const isKnown = it.of === undefined || it.of.low === it.of.high;
    const texts = [
      it.name,
      quantity(it.settled),
      quantity(it.expected),
      isKnown ? 'exact' : `${quantity(it.of?.low)} – ${quantity(it.of?.high)}`,
      quantity(it.of?.sellable),
    ];
    for (const [at, text] of texts.entries()) setText(childAt(row, at), text);
    setClass(childAt(row, 3), isKnown ? 'num dim' : 'num warn');
  });
}

/**
 * Shares that nobody has reported, and why that is open.
 * @param {HTMLElement} box
 * @param {MarketView} market
 * @param {number} nowMs
 */
function drawUncertain(box, { positions }, nowMs) {
  const items = [
    ...(positions?.yes.uncertain ?? []).map((item) => ({ leg: 'YES', item })),
    ...(positions?.no.uncertain ?? []).map((item) => ({ leg: 'NO', item })),
  ];
  fillChildren(
    box,
    items.length,
    () => put(el('div', 'side'), el('b'), el('span', 'code dim')),
    (row, place) => {
      const it = items[place];
      if (it === undefined) return;
      setText(childAt(row, 0), `${signedQuantity(it.item.shares)} ${it.leg} uncertain`);
      setText(childAt(row, 1), `${it.item.cause} · for ${duration(nowMs - it.item.sinceMs)}`);
    },
  );
}

/**
 * Fills that the chain has not settled yet, each with its age.
 * @param {HTMLElement} body
 * @param {MarketView} market
 * @param {number} nowMs
 */
function drawSettling(body, { positions }, nowMs) {
  const items = [
    ...(positions?.yes.settling ?? []).map((item) => ({ leg: 'YES', item })),
    ...(positions?.no.settling ?? []).map((item) => ({ leg: 'NO', item })),
  ].sort((a, b) => a.item.sinceMs - b.item.sinceMs);
  const make = () => put(el('tr'), el('td'), el('td', 'num'), el('td', 'num'));
  fillChildren(body, items.length, make, (row, place) => {
    const it = items[place];
    if (it === undefined) return;
    setText(childAt(row, 0), it.leg);
    setText(childAt(row, 1), signedQuantity(it.item.shares));
    setText(childAt(row, 2), duration(Math.max(0, nowMs - it.item.sinceMs)));
  });
}

/**
 * @param {HTMLElement} body
 * @param {MarketView & { lastFills?: readonly ShownFill[] }} market
 */
function drawFills(body, { lastFills = [], yesTokenId, noTokenId, tickSize }) {
  const digits = digitsOf(tickSize);
  const make = () => put(el('tr'), el('td'), ...[1, 2, 3, 4, 5].map(() => el('td', 'num')));
  fillChildren(body, lastFills.length, make, (row, place) => {
    const fill = lastFills[place];
    if (fill === undefined) return;
    const { tokenId, side, after10sUsdc, after60sUsdc } = fill;
    const leg = tokenId === yesTokenId ? 'YES' : tokenId === noTokenId ? 'NO' : '';
    setText(childAt(row, 0), timeOfDay(fill.atMs));
    setText(childAt(row, 1), `${side} ${leg}`);
    setClass(childAt(row, 1), side === 'BUY' ? 'num good' : 'num bad');
    setText(childAt(row, 2), price(fill.price, digits));
    setText(childAt(row, 3), quantity(fill.quantity));
    for (const [at, markout] of [after10sUsdc, after60sUsdc].entries()) {
      setText(childAt(row, 4 + at), price(markout ?? undefined, digits + 1));
      setClass(childAt(row, 4 + at), `num ${toneOf(perHundred(markout ?? undefined))}`);
    }
  });
}
