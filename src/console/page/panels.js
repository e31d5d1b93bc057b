// Limits and controls: how much of each is used, and what holds trading back.

import { byId, childAt, el, fillChildren, put, setClass, setPart, setText } from './dom.js';
import { duration, nameOf, numberOf, quantity, timeOfDay } from './format.js';
import { fullness } from './head.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./store.js').Head} Head */
/** @typedef {{ readonly title: string, readonly text: string }} Note */
/** @typedef {import('../../domain/risk.ts').ControlView} ControlView */

/** A death of the last hour is worth a line. */
const DEATH_SHOWN_MS = 3_600_000;
/** @type {Readonly<Record<string, string>>} */
const UNITS = { usdc: 'USDC', seconds: 's' };

/** @param {Store} store */
export function drawLimits(store) {
  const { head } = store;
  if (head === undefined) return;
  drawLatches(store);
  const controls = [...(head.risk?.controls ?? [])].sort((a, b) => partOf(b) - partOf(a));
  const make = () =>
    put(el('tr'), el('th'), el('td', 'num'), el('td', 'num'), put(el('td'), el('div', 'meter')));
  fillChildren(byId('limits'), controls.length, make, (row, place) => {
    const control = controls[place];
    if (control === undefined) return;
    const part = partOf(control);
    const isOff = numberOf(control.limit) === 0;
    setText(childAt(row, 0), control.control.replaceAll('_', ' '));
    setText(childAt(row, 1), quantity(control.value));
    setText(childAt(row, 2), isOff ? 'off' : mostOf(control));
    setClass(row, control.level === 'normal' ? '' : 'is-tripped');
    const bar = childAt(childAt(row, 3), 0);
    setClass(bar, `meter ${fullness(part)}`);
    setPart(bar, part);
  });
}

/** With its unit, unless the name has it. @param {ControlView} control */
function mostOf({ control, limit, unit }) {
  const isNamed = control.endsWith(unit);
  return isNamed ? quantity(limit) : `${quantity(limit)} ${UNITS[unit] ?? unit}`;
}

/** @param {ControlView} control */
function partOf({ value, limit }) {
  const at = numberOf(value);
  const most = numberOf(limit);
  return at === undefined || most === undefined || most === 0 ? 0 : Math.abs(at) / most;
}

/** @param {Store} store */
function drawLatches(store) {
  const { head } = store;
  if (head === undefined) return;
  const notes = [
    ...latchNotes(head, store),
    ...otherNotes(head),
    ...beliefNotes(head, store),
    ...deathNotes(head, store.nowMs),
  ];
  const make = () => put(el('div', 'note'), el('b'), el('p'));
  fillChildren(byId('latches'), notes.length, make, (node, place) => {
    setText(childAt(node, 0), notes[place]?.title ?? '');
    setText(childAt(node, 1), notes[place]?.text ?? '');
  });
}

/**
 * @param {Head} head
 * @param {Store} store
 * @returns {readonly Note[]}
 */
function latchNotes({ risk }, { nowMs, markets }) {
  return (risk?.latches ?? []).map(({ owner, scope, level, detail, sinceMs, clears }) => ({
    title: `${level}: ${titleOf(scope, markets)}`,
    text: `${owner} · ${detail} · for ${duration(nowMs - sinceMs)} · clears: ${clears}`,
  }));
}

/**
 * @param {Head} head
 * @returns {readonly Note[]}
 */
function otherNotes({ unlisted = [], notReady, feeds = [], ordersOfOthers = 0 }) {
  const silent = feeds.filter(({ state }) => state !== 'ok');
  return [
    ...unlisted.map(({ choice, code, detail, clears }) => ({
      title: `not at the venue: ${choice}`,
      text: `${code} · ${detail} · clears: ${clears}`,
    })),
    ...notReady.map((text) => ({ title: 'not ready', text })),
    ...silent.map(({ name, state, detail }) => ({ title: `feed ${name}: ${state}`, text: detail })),
    ...(ordersOfOthers === 0
      ? []
      : [
          {
            title: `${ordersOfOthers} external orders`,
            text: 'not sent from here, and left alone',
          },
        ]),
  ];
}

/** @type {Readonly<Record<string, string>>} */
const BELIEFS = {
  books: 'books of YES and NO',
  quantityDecimals: 'decimals of a quantity, at most',
};

/**
 * What the venue is taken to do where its document does not say.
 * @param {Head} head
 * @param {Store} store
 * @returns {readonly Note[]}
 */
function beliefNotes({ venueBeliefs = [] }, { nowMs, markets }) {
  return venueBeliefs.map(({ what, marketId, value, evidence, sinceMs }) => ({
    title: `${marketId === undefined ? 'venue' : titleOf(marketId, markets)} · ${BELIEFS[what] ?? what}: ${value}`,
    text: `${evidence}${sinceMs === undefined ? '' : ` · for ${duration(nowMs - sinceMs)}`}`,
  }));
}

/**
 * @param {Head} head
 * @param {number} nowMs
 * @returns {readonly Note[]}
 */
function deathNotes({ guard }, nowMs) {
  const { last, suspended = [] } = guard ?? {};
  const isLate = last !== undefined && nowMs - Date.parse(last.at) < DEATH_SHOWN_MS;
  return [
    ...suspended.map(({ strategy, place, detail, until }) => ({
      title: `strategy suspended: ${strategy}${place === undefined ? '' : ` in ${place}`}`,
      text: `${detail} · asked again at ${timeOfDay(Date.parse(until))}`,
    })),
    ...(isLate
      ? [
          {
            title: `the trader died at ${timeOfDay(Date.parse(last.at))}`,
            text: `${last.reason}: ${last.detail} · nothing was open after ${duration(last.clearMs)}`,
          },
        ]
      : []),
  ];
}

/**
 * @param {string} scope
 * @param {Store['markets']} markets
 */
function titleOf(scope, markets) {
  const market = markets.get(scope);
  return market === undefined ? scope : nameOf(market);
}
