// Figures of all markets together, and all of them as the texts that operators see.

import { addParts, NO_PARTS, profitOf } from '../backtest/fills.ts';
import { QUEUE_NAMES } from '../backtest/markouts.ts';
import type { QueueRow } from '../backtest/result.ts';
import type { FigurePartsView, FiguresView } from '../domain/figures.ts';
import { type FigureParts, type Figures, meanOf } from './market-figures.ts';

export type InAll = {
  /** Of the markets that are quoted now. */
  readonly current: readonly Figures[];
  /** Of those of this run that are quoted no more, too. */
  readonly ever: readonly Figures[];
  /** Of the account, markets that left counted in. */
  readonly pnlUsdc: number | undefined;
  readonly drawdownUsdc: number | undefined;
};

export function inAll({ current, ever, pnlUsdc, drawdownUsdc }: InAll): Figures {
  const moved = (at: (figures: Figures) => number | undefined): number | undefined => {
    const moves = current.map((each) => difference(at(each), each.pnlUsdc));
    return sumOrUnknown([pnlUsdc, ...moves]);
  };
  const settled = current.flatMap(({ pnlAtSettlementUsdc }) => pnlAtSettlementUsdc ?? []);
  const squares = ever.flatMap(({ inventoryRmsShares: rms }) =>
    rms === undefined ? [] : rms ** 2,
  );
  const largest = ever.flatMap(({ inventoryMaxShares }) => inventoryMaxShares ?? []);
  return {
    pnlUsdc,
    pnlAtMiddleUsdc: moved(({ pnlAtMiddleUsdc }) => pnlAtMiddleUsdc),
    pnlAtFairUsdc: moved(({ pnlAtFairUsdc }) => pnlAtFairUsdc),
    pnlAtSettlementUsdc: settled.length === 0 ? undefined : sum(settled),
    parts: partsInAll(current, ever, pnlUsdc),
    makerShares: sumOrUnknown(ever.map(({ makerShares }) => makerShares)),
    takerShares: sumOrUnknown(ever.map(({ takerShares }) => takerShares)),
    unsureShares: sumOrUnknown(ever.map(({ unsureShares }) => unsureShares)),
    inventoryRmsShares: squares.length === 0 ? undefined : Math.sqrt(sum(squares)),
    inventoryMaxShares: largest.length === 0 ? undefined : Math.max(...largest),
    drawdownUsdc,
    touchRatio: meanOf(current.flatMap(({ touchRatio }) => touchRatio ?? [])),
    uptimeRatio: meanOf(current.flatMap(({ uptimeRatio }) => uptimeRatio ?? [])),
    queue: queueInAll(ever.flatMap(({ queue }) => queue)),
  };
}

/** What markets that left made since their last look is in what no fill made. */
function partsInAll(
  current: readonly Figures[],
  ever: readonly Figures[],
  pnlUsdc: number | undefined,
): FigureParts | undefined {
  if (pnlUsdc === undefined || current.some(({ parts }) => parts === undefined)) return undefined;
  const known = ever.flatMap(({ parts }) => parts ?? []);
  const before = sum(current.map(({ parts }) => parts?.before ?? 0));
  const fills = known.map((parts) => parts.fills).reduce(addParts, NO_PARTS);
  const unsplit = sum(known.map((parts) => parts.unsplit));
  const other = pnlUsdc - before - unsplit - profitOf(fills);
  return { before, fills, unsplit, other };
}

/** In the order of the rows; the markouts by their shares. */
function queueInAll(rows: readonly QueueRow[]): readonly QueueRow[] {
  const byName = new Map<string, { fills: number; shares: number; known: number; usdc: number }>();
  for (const { ahead, fills, shares, markoutUsdc } of rows) {
    const row = byName.get(ahead) ?? { fills: 0, shares: 0, known: 0, usdc: 0 };
    row.fills += fills;
    row.shares += shares;
    if (markoutUsdc !== undefined) {
      row.known += shares;
      row.usdc += shares * markoutUsdc;
    }
    byName.set(ahead, row);
  }
  return QUEUE_NAMES.flatMap((ahead) => {
    const row = byName.get(ahead);
    if (row === undefined) return [];
    const { fills, shares, known, usdc } = row;
    return { ahead, fills, shares, markoutUsdc: known === 0 ? undefined : usdc / known };
  });
}

export function figuresView(figures: Figures): FiguresView {
  const { parts, queue, touchRatio, uptimeRatio } = figures;
  return {
    pnlAtMiddleUsdc: text(figures.pnlAtMiddleUsdc),
    pnlAtFairUsdc: text(figures.pnlAtFairUsdc),
    pnlAtSettlementUsdc: text(figures.pnlAtSettlementUsdc),
    parts: parts && partsView(parts),
    makerShares: text(figures.makerShares),
    takerShares: text(figures.takerShares),
    unsureShares: text(figures.unsureShares),
    inventoryRmsShares: text(figures.inventoryRmsShares),
    inventoryMaxShares: text(figures.inventoryMaxShares),
    drawdownUsdc: text(figures.drawdownUsdc),
    touchRatio,
    uptimeRatio,
    queue: queue.map(({ ahead, fills, shares, markoutUsdc }) => ({
      ...{ ahead, fills, shares: shares.toFixed(6), markoutUsdc: text(markoutUsdc) },
    })),
  };
}

function partsView({ before, fills, unsplit, other }: FigureParts): FigurePartsView {
  const [to1s, to10s, to60s] = fills.adverse;
  const usdc = (value: number): string => plain(value);
  return {
    ...{ beforeUsdc: usdc(before), spreadUsdc: usdc(fills.spread) },
    ...{ to1sUsdc: usdc(to1s), to10sUsdc: usdc(to10s), to60sUsdc: usdc(to60s) },
    ...{ laterUsdc: usdc(fills.inventory), feesUsdc: usdc(fills.fees) },
    ...{ unsplitUsdc: usdc(unsplit), otherUsdc: usdc(other) },
  };
}

function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : plain(value);
}

/** Without the sign of a nothing. */
function plain(value: number): string {
  return (Math.round(value * 1e6) / 1e6 + 0).toFixed(6);
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function sumOrUnknown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.flatMap((value) => value ?? []);
  return known.length < values.length ? undefined : sum(known);
}
