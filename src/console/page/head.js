// The top of the page: what the daemon is doing, whether what is shown is of now, and the account.

import { byId, childAt, el, fillChildren, put, setClass, setPart, setText } from './dom.js';
import {
  duration,
  money,
  numberOf,
  percent,
  quantity,
  signed,
  timeOfDay,
  toneOf,
} from './format.js';
import { uptimeOf } from './list.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./store.js').Head} Head */
/** @typedef {{ name: string, value: string, sub?: string, tone?: string, part?: number }} Tile */

/** Older than this it is said so, loudly: the daemon tells five times a second, or each few with many markets. */
const OLD_MS = 5_000;

/** @type {Record<string, string>} */
const PHASE_TONES = {
  quoting: 'good',
  starting: 'warn',
  clearing: 'warn',
  paused: 'warn',
  stopping: 'warn',
};

/** @param {Store} store */
export function drawHead(store) {
  const { head } = store;
  if (head === undefined) return;
  setText(byId('phase'), head.phase);
  setClass(byId('phase'), `badge ${PHASE_TONES[head.phase] ?? 'bad'}`);
  setText(byId('phase-reason'), head.phaseReason);
  document.title = `${head.phase} · bookend`;
  drawTiles(tilesOf(head, store));
}

/** @type {Readonly<Record<Store['link'], string>>} */
const LINKS = {
  connecting: 'connecting',
  live: 'live',
  dead: 'stream dead',
  full: 'no stream left',
};

/** Whether what is shown is of now. @param {Store} store */
export function drawLink(store) {
  const { link, pulse, pulseAtMs } = store;
  const ageMs = (pulse?.stateAgeMs ?? 0) + (Date.now() - pulseAtMs);
  const isOld = pulse !== undefined && ageMs > OLD_MS;
  const isTraderWell = pulse?.status === 'alive' || pulse?.status === 'starting';
  const isWell = link === 'live' && isTraderWell && !isOld;
  const badge = byId('link');
  if (isWell || link !== 'live') setText(badge, LINKS[link]);
  else setText(badge, isTraderWell ? `data ${duration(ageMs)} old` : `trader ${pulse?.status}`);
  setClass(badge, `badge ${isWell ? 'good' : link === 'connecting' ? 'warn' : 'bad'}`);
  document.body.classList.toggle('is-stale', !isWell && link !== 'connecting');
  drawButtons(store);
  drawAlarms(alarmsOf(store, { ageMs, isOld, isTraderWell }));
}

/** What is shown decides only while it is of now. @param {Store} store */
function drawButtons({ link, head }) {
  const phase = link === 'live' ? head?.phase : undefined;
  const isHeld = phase === undefined || ['paused', 'halted', 'killed', 'killing'].includes(phase);
  // A control that holds quotes back while the rest goes on is lifted by a resume, too.
  const isLatched = head?.risk?.latches.some(({ owner }) => owner.startsWith('automatic:'));
  byId('resume').toggleAttribute('disabled', !isHeld && isLatched !== true);
  byId('pause').toggleAttribute('disabled', phase === 'paused');
}

/**
 * @param {Store} store
 * @param {{ ageMs: number, isOld: boolean, isTraderWell: boolean }} state
 * @returns {readonly string[]}
 */
function alarmsOf({ link, pulse, head }, { ageMs, isOld, isTraderWell }) {
  const alarms = [];
  if (link === 'full') {
    alarms.push(
      'Too many consoles are open: this one sees nothing until another is closed. Its buttons work.',
    );
  } else if (link === 'dead') {
    alarms.push(
      'Stream dead: what you see is old and quotes may go on. Pause, resume and kill are sent all the same.',
    );
  } else if (pulse?.status === 'down') {
    alarms.push(
      'The trader is gone: its watchdog cancels and starts it again. What you see is its last report.',
    );
  } else if (pulse !== undefined && !isTraderWell) {
    alarms.push(
      'The trader does not turn. A kill goes to its watchdog as well, which does not wait for it.',
    );
  } else if (isOld && link === 'live') {
    alarms.push(`What you see is ${duration(Math.floor(ageMs / 1_000) * 1_000)} old.`);
  }
  if (head?.dryRunOf !== undefined)
    alarms.push(`Dry run: orders are simulated, books are real (${head.dryRunOf}).`);
  if (head?.latchFault !== undefined) alarms.push(`Kill not on disk: ${head.latchFault.detail}`);
  const unwritten = head?.unwrittenStops ?? [];
  if (unwritten.length > 0)
    alarms.push(`Not on disk: ${unwritten.join(', ')}. Restart nothing until it is.`);
  if (head?.refusedEdit !== undefined) {
    const { at, problems } = head.refusedEdit;
    const since = timeOfDay(Date.parse(at));
    alarms.push(`The configuration on disk is not in force since ${since}: ${problems.join('; ')}`);
  }
  const uncancellable = head?.uncancellable?.length ?? 0;
  if (uncancellable > 0) alarms.push(`${uncancellable} orders that the venue refuses to cancel.`);
  return alarms;
}

/** @param {readonly string[]} alarms */
function drawAlarms(alarms) {
  fillChildren(
    byId('alarms'),
    alarms.length,
    () => el('p', 'alarm'),
    (node, place) => setText(node, alarms[place] ?? ''),
  );
}

/**
 * @param {Head} head
 * @param {Store} store
 * @returns {readonly Tile[]}
 */
function tilesOf(head, store) {
  const { account, writes, connection, ordersByState: by, guard } = head;
  const live = by.resting + by.partiallyFilled;
  const unknown = by.unknown + by.cancelUnresolved;
  const markets = [...store.markets.values()];
  const uptimes = markets.flatMap((market) => uptimeOf(market) ?? []);
  const mean = sumOf(uptimes) / uptimes.length;
  const quoted = markets.filter(({ ownBids, ownAsks }) => ownBids.length > 0 && ownAsks.length > 0);
  const uncertainty = numberOf(account.pnlUncertaintyUsdc) ?? 0;
  return [
    {
      name: 'P&L, USDC',
      value: signed(account.pnlUsdc),
      sub: uncertainty === 0 ? 'exact' : `less ${money(uncertainty)} at worst`,
      tone: toneOf(account.pnlUsdc),
    },
    {
      name: 'Cash',
      value: money(account.cashUsdc),
      sub: `${money(account.availableUsdc)} available`,
    },
    worstTile(head),
    {
      name: 'Quoted',
      value: `${quoted.length} / ${store.order.length}`,
      sub: `uptime ${percent(uptimes.length === 0 ? undefined : mean)}`,
    },
    {
      name: 'Orders live',
      value: quantity(live),
      sub: `${unknown} unknown · ${by.settling + by.matched} settling`,
      tone: unknown > 0 ? 'warn' : '',
    },
    {
      name: 'Writes, 10 s',
      value: `${writes.usedInWindow} / ${writes.perWindow}`,
      sub: `${sumOf(Object.values(writes.waiting ?? {}))} waiting`,
      part: writes.usedInWindow / writes.perWindow,
    },
    stateTile(head),
    horizonTile(head, store),
    {
      name: 'Venue',
      value: connection.socket === 'open' ? 'connected' : 'lost',
      sub: `feed ${duration(connection.feedDelayMs)} behind`,
      tone: connection.socket === 'open' && connection.authenticated ? 'good' : 'bad',
    },
    traderTile(guard),
  ];
}

/** By the level of the whole account. @type {Readonly<Record<string, string>>} */
const TRADING_STATES = { normal: 'active', widen: 'widened', killed: 'halted' };

/**
 * @param {Head} head
 * @returns {Tile}
 */
function stateTile({ risk }) {
  const level = risk?.level;
  return {
    name: 'Trading state',
    value: level === undefined ? '—' : (TRADING_STATES[level] ?? 'reducing'),
    sub: `${level === 'normal' ? '' : `${level ?? 'unknown'} · `}${risk?.latches.length ?? 0} latched`,
    tone: level === 'normal' ? 'good' : 'bad',
  };
}

/**
 * How long a kill of now would have to wait for what has left.
 * @param {Head} head
 * @param {Store} store
 * @returns {Tile}
 */
function horizonTile({ mayArriveUntilMs }, { nowMs }) {
  const leftMs = Math.max(0, (mayArriveUntilMs ?? 0) - nowMs);
  return {
    name: 'Kill horizon',
    value: leftMs === 0 ? 'none' : duration(leftMs),
    sub: leftMs === 0 ? 'nothing is in flight' : 'in flight, may still arrive',
  };
}

/**
 * @param {Head['guard']} guard
 * @returns {Tile}
 */
function traderTile(guard) {
  if (guard === undefined)
    return { name: 'Trader', value: 'alone', sub: 'no watchdog', tone: 'warn' };
  const deaths = sumOf(Object.values(guard.deaths));
  const sub =
    deaths === 0 ? 'never died' : `died ${deaths} ×, last by ${guard.last?.reason ?? '—'}`;
  return { name: 'Trader', value: `run ${guard.run}`, sub, tone: deaths === 0 ? '' : 'warn' };
}

/**
 * @param {Head} head
 * @returns {Tile}
 */
function worstTile({ account, risk }) {
  const control = risk?.controls.find((each) => each.control === 'worst_case_loss');
  const worst = numberOf(account.worstCaseLossUsdc);
  const limit = numberOf(control?.limit);
  const tile = {
    name: 'Worst-case loss',
    value: money(worst),
    sub: limit === undefined ? '' : `of ${money(limit, 0)} allowed`,
  };
  if (worst === undefined || limit === undefined || limit === 0) return tile;
  return { ...tile, part: worst / limit };
}

/** @param {readonly Tile[]} tiles */
function drawTiles(tiles) {
  const make = () => put(el('div'), el('span', 'name'), el('b'), el('span', 'sub'));
  fillChildren(byId('figures'), tiles.length, make, (node, place) => {
    const tile = tiles[place];
    if (tile === undefined) return;
    setText(childAt(node, 0), tile.name);
    setText(childAt(node, 1), tile.value);
    setClass(childAt(node, 1), tile.tone ?? '');
    setText(childAt(node, 2), tile.sub ?? '');
    setClass(node, tile.part === undefined ? 'tile' : `tile meter ${fullness(tile.part)}`);
    if (tile.part !== undefined) setPart(node, tile.part);
  });
}

/** @param {number} part */
export function fullness(part) {
  if (part >= 1) return 'is-over';
  return part >= 0.8 ? 'is-near' : '';
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, each) => sum + each, 0);
}
