// Two thousand own orders follow a moving market at the full legal write budget, in virtual time: how
// full the writes are, and how long quotes stand where they should not.

import type { LimitOrder } from '../../../src/domain/order.ts';
import { seeded } from '../../support/generated-frames.ts';
import { Desk } from '../rig/desk.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';

const MARKETS = 100;
const LEVELS = 10;
const WRITES_MAX = 300;
const WINDOW_MS = 10_000;
/** The middle of each market moves about this often: what the budget follows, and more than it can. */
const PACES_MS = { brisk: 1_500, wild: 600 } as const;
const SECONDS_MEASURED = 120;

type Figures = {
  readonly openOrders: number;
  readonly perWrite: number;
  /** The most order writes in any 10 s, and their mean. */
  readonly inWindowMax: number;
  readonly inWindowMean: number;
  readonly lagsMs: readonly number[];
};

export function placements({ isShort }: RunOptions): GroupResult {
  const brisk = followed(PACES_MS.brisk, isShort);
  const wild = followed(PACES_MS.wild, isShort);
  const both = (text: (figures: Figures) => string) => [text(brisk), text(wild)];
  const seconds = (part: number) => (figures: Figures) =>
    `${(quantile(figures.lagsMs, part) / 1_000).toFixed(2)} s`;
  return {
    title: `${MARKETS * LEVELS * 2} orders follow ${MARKETS} moving markets`,
    head: ['figure', ...Object.values(PACES_MS).map((ms) => `a move in ${ms / 1_000} s`)],
    rows: [
      ['orders live at the end', ...both(({ openOrders }) => `${openOrders}`)],
      ['placements per order write', ...both(({ perWrite }) => perWrite.toFixed(2))],
      ['order writes in 10 s, mean', ...both((each) => `${each.inWindowMean.toFixed(0)}`)],
      [
        'order writes in any 10 s, at most',
        ...both((each) => `${each.inWindowMax} of ${WRITES_MAX}`),
      ],
      ['wrong quotes replaced after, p50', ...both(seconds(0.5))],
      ['wrong quotes replaced after, p99', ...both(seconds(0.99))],
    ],
    ratios: [
      { name: 'placements.emptyParts', value: 15 / brisk.perWrite, aimMax: 1.071 },
      { name: 'placements.wildEmptyParts', value: 15 / wild.perWrite, aimMax: 1.071 },
      {
        name: 'placements.unusedParts',
        value: 1 - wild.inWindowMax / WRITES_MAX,
        aimMax: 0.1,
      },
      {
        name: 'placements.replacedP99Sec',
        value: quantile(brisk.lagsMs, 0.99) / 1_000,
      },
    ],
  };
}

function followed(moveMs: number, isShort: boolean): Figures {
  const writeTimes: number[] = [];
  const desk = new Desk({ markets: MARKETS, levels: LEVELS, writesPer10s: WRITES_MAX });
  const lags = new Lags(desk);
  desk.onPlacement = (orders) => {
    writeTimes.push(desk.nowMs);
    for (const order of orders) lags.onPlaced(order, desk.nowMs);
  };
  const random = seeded(9);
  desk.run(20_000);
  const start = { placements: desk.placements, writes: desk.writes };
  lags.isOn = true;
  const rounds = isShort ? 40 : SECONDS_MEASURED * 20;
  let inWindowMax = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const token of desk.tokens) if (random() < 50 / moveMs) lags.move(token.yes, random);
    desk.run(50);
    const sinceMs = desk.nowMs - WINDOW_MS;
    while ((writeTimes[0] ?? desk.nowMs) <= sinceMs) writeTimes.shift();
    inWindowMax = Math.max(inWindowMax, writeTimes.length);
  }
  check(desk.openOrders > 1_000, `orders are live: ${desk.openOrders}`);
  check(inWindowMax <= WRITES_MAX, `the venue refuses no write: ${inWindowMax} in 10 s`);
  const writes = desk.writes - start.writes;
  return {
    openOrders: desk.openOrders,
    perWrite: (desk.placements - start.placements) / Math.max(1, writes),
    inWindowMax,
    inWindowMean: (writes * WINDOW_MS) / (rounds * 50),
    lagsMs: lags.doneMs,
  };
}

/** How long after a move of its market an order of the new target quotes is sent. */
class Lags {
  isOn = false;
  readonly doneMs: number[] = [];
  readonly #desk: Desk;
  readonly #movedAtMs = new Map<string, number>();
  readonly #isUp = new Map<string, boolean>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  move(yes: Desk['tokens'][number]['yes'], random: () => number): void {
    const isUp = !(this.#isUp.get(yes) ?? false);
    this.#isUp.set(yes, isUp);
    this.#movedAtMs.set(yes, this.#desk.nowMs);
    this.#desk.delta(yes, 'bid', 44, isUp ? 1 + Math.floor(random() * 900) : 0);
  }

  onPlaced(order: LimitOrder, nowMs: number): void {
    if (!this.isOn) return;
    const market = this.#desk.tokens.find(
      ({ yes, no }) => yes === order.tokenId || no === order.tokenId,
    );
    const movedAtMs = market === undefined ? undefined : this.#movedAtMs.get(market.yes);
    if (movedAtMs !== undefined) this.doneMs.push(nowMs - movedAtMs);
  }
}
