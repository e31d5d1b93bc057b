// Price, inventory and profit of the selected market over time, asked for when a point may have been added.

import { byId } from './dom.js';
import { read } from './session.js';
import uPlot from './uplot.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {Record<string, (number | null)[]>} Columns */

/** Points come no closer. */
const ASK_MS = 5_000;

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} colour
 * @property {boolean} [isFilled]
 * @property {boolean} [isStepped]
 */
/** @typedef {{ id: string, height: number, lines: readonly Line[] }} Chart */

/** @type {readonly Chart[]} */
const OF_MARKET = [
  {
    id: 'chart-price',
    height: 130,
    lines: [
      { name: 'mid', colour: '--mid', isStepped: true },
      { name: 'fair', colour: '--fair' },
    ],
  },
  {
    id: 'chart-net',
    height: 130,
    lines: [{ name: 'net', colour: '--own', isFilled: true, isStepped: true }],
  },
  { id: 'chart-pnl', height: 130, lines: [{ name: 'pnl', colour: '--good', isFilled: true }] },
];
/** @type {readonly Chart[]} */
const OF_ACCOUNT = [
  {
    id: 'chart-account-pnl',
    height: 110,
    lines: [{ name: 'pnl', colour: '--good', isFilled: true }],
  },
  { id: 'chart-worst', height: 110, lines: [{ name: 'worst', colour: '--warn', isStepped: true }] },
];
const ALL = [...OF_MARKET, ...OF_ACCOUNT];

export class Charts {
  /** @type {Store} */ #store;
  /** @type {Map<string, uPlot>} */ #plots = new Map();
  /** @type {string | undefined} */ #askedId;
  /** Of which market the charts are. @type {string | undefined} */ #drawnId;
  #askedAtMs = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
    store.onChange(['selected'], () => {
      if (store.selectedId !== this.#askedId) void this.#ask();
    });
    const sizes = new ResizeObserver(() => this.#resize());
    for (const { id } of ALL) sizes.observe(byId(id));
    // Colours are part of a drawing, and those of the page may change under it.
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#clear();
      void this.#ask();
    });
  }

  start() {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (!document.hidden) void this.#ask();
    }, ASK_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#askedId = undefined;
  }

  async #ask() {
    const id = this.#store.selectedId;
    if (id === undefined) return;
    if (id === this.#askedId && Date.now() - this.#askedAtMs < ASK_MS / 2) return;
    this.#askedId = id;
    this.#askedAtMs = Date.now();
    const [market, account] = await Promise.all([
      read(`/api/history?market=${encodeURIComponent(id)}`),
      read('/api/history'),
    ]);
    const isOther = id !== this.#drawnId;
    // Where nothing is kept of a market, nothing is drawn: the lines of another one would pass for its own.
    if (id === this.#store.selectedId && (market.status === 200 || isOther)) {
      this.#drawnId = id;
      this.#drawAll(OF_MARKET, market);
    }
    if (account.status === 200) this.#drawAll(OF_ACCOUNT, account);
  }

  /**
   * @param {readonly Chart[]} charts
   * @param {import('./session.js').Answer} answer
   */
  #drawAll(charts, { body }) {
    const columns = /** @type {Columns} */ (body);
    const atSec = (columns['at'] ?? []).map((atMs) => Number(atMs) / 1_000);
    for (const chart of charts) this.#draw(chart, atSec, columns);
  }

  /**
   * @param {Chart} chart
   * @param {number[]} atSec
   * @param {Columns} columns
   */
  #draw(chart, atSec, columns) {
    /** @type {uPlot.AlignedData} */
    const data = [atSec, ...chart.lines.map(({ name }) => columns[name] ?? [])];
    const plot = this.#plots.get(chart.id);
    if (plot !== undefined) plot.setData(data);
    else this.#plots.set(chart.id, new uPlot(optionsOf(chart), data, byId(chart.id)));
  }

  #resize() {
    for (const { id, height } of ALL) {
      this.#plots.get(id)?.setSize({ width: byId(id).clientWidth, height });
    }
  }

  #clear() {
    for (const plot of this.#plots.values()) plot.destroy();
    this.#plots.clear();
  }
}

/** @param {number} atSec */
function clockText(atSec) {
  const text = new Date(atSec * 1_000).toTimeString();
  return text.slice(0, text.slice(6, 8) === '00' ? 5 : 8);
}

/** @param {Chart} chart @returns {uPlot.Options} */
function optionsOf({ id, height, lines }) {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const axis = {
    stroke: colour('--dim'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: byId(id).clientWidth,
    height,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 5 } },
    axes: [
      { ...axis, space: 64, size: 24, values: (_plot, atSec) => atSec.map(clockText) },
      { ...axis, size: 54, space: 24 },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.name,
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        ...(line.isFilled === true ? { fill: `${colour(line.colour)}22` } : {}),
        ...(line.isStepped === true && stepped !== undefined ? { paths: stepped } : {}),
      })),
    ],
  };
}
