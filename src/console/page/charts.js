// Price, inventory and profit of the selected market over time, asked for when a point may have been added.

import { byId } from './dom.js';
import { read } from './session.js';
import uPlot from './uplot.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {Record<string, (number | null)[]>} Columns */

/** Points come no closer. */
const ASK_MS = 5_000;
const HEIGHT_PX = 130;

/** @type {readonly { id: string, lines: readonly { name: string, colour: string, isFilled?: boolean, isStepped?: boolean }[] }[]} */
const CHARTS = [
  {
    id: 'chart-price',
    lines: [
      { name: 'mid', colour: '--mid' },
      { name: 'fair', colour: '--fair' },
    ],
  },
  { id: 'chart-net', lines: [{ name: 'net', colour: '--own', isFilled: true, isStepped: true }] },
  { id: 'chart-pnl', lines: [{ name: 'pnl', colour: '--good', isFilled: true }] },
];

export class Charts {
  /** @type {Store} */ #store;
  /** @type {Map<string, uPlot>} */ #plots = new Map();
  /** @type {string | undefined} */ #askedId;
  #askedAtMs = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;

  /** @param {Store} store */
  constructor(store) {
    this.#store = store;
    store.onChange(['selected'], () => {
      if (store.selectedId !== this.#askedId) void this.#ask();
    });
    new ResizeObserver(() => this.#resize()).observe(byId('chart-price'));
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
    const { status, body } = await read(`/api/history?market=${encodeURIComponent(id)}`);
    if (status !== 200 || id !== this.#store.selectedId) return;
    const columns = /** @type {Columns} */ (body);
    const atSec = (columns['at'] ?? []).map((atMs) => Number(atMs) / 1_000);
    for (const chart of CHARTS) this.#draw(chart, atSec, columns);
  }

  /**
   * @param {(typeof CHARTS)[number]} chart
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
    for (const [id, plot] of this.#plots) {
      plot.setSize({ width: byId(id).clientWidth, height: HEIGHT_PX });
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

/** @param {(typeof CHARTS)[number]} chart @returns {uPlot.Options} */
function optionsOf({ id, lines }) {
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
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
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
