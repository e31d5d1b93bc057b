// Gauges of what quoting came to, by market and in all. What is not known has no series.

import type { Gauge } from 'prom-client';
import type { FigurePartsView, FiguresView } from '../domain/figures.ts';
import type { MarketView, StateView } from '../domain/view.ts';
import type { Instruments } from './instruments.ts';
import type { PNL_PARTS } from './metric-table-figures.ts';

type FigureMetrics = ReturnType<typeof figureMetrics>;

export function figureMetrics(make: Instruments) {
  return {
    markPnl: make.gauge('markPnl'),
    pnlPart: make.gauge('pnlPart'),
    traded: make.gauge('traded'),
    inventoryRms: make.gauge('inventoryRms'),
    inventoryMax: make.gauge('inventoryMax'),
    drawdown: make.gauge('drawdown'),
    touch: make.gauge('touch'),
    uptimeInAll: make.gauge('uptimeInAll'),
    writesSent: make.counter('writesSent'),
    marketFairPnl: make.gauge('marketFairPnl'),
    marketTraded: make.gauge('marketTraded'),
    marketInventoryRms: make.gauge('marketInventoryRms'),
    marketInventoryMax: make.gauge('marketInventoryMax'),
    marketDrawdown: make.gauge('marketDrawdown'),
    marketTouch: make.gauge('marketTouch'),
    queueFills: make.gauge('queueFills'),
    queueShares: make.gauge('queueShares'),
    queueMarkout: make.gauge('queueMarkout'),
  };
}

export function collectFigures(
  metrics: FigureMetrics,
  { figures, writes }: Pick<StateView, 'figures' | 'writes'>,
): void {
  metrics.writesSent.reset();
  metrics.writesSent.inc(writes.sent ?? 0);
  if (figures === undefined) return;
  for (const [mark, usdc] of marksOf(figures)) set(metrics.markPnl, { mark }, usdc);
  for (const [part, usdc] of partsOf(figures)) set(metrics.pnlPart, { part }, usdc);
  set(metrics.traded, { role: 'maker' }, figures.makerShares);
  set(metrics.traded, { role: 'taker' }, figures.takerShares);
  set(metrics.traded, { role: 'unsure' }, figures.unsureShares);
  setOrRemove(metrics.inventoryRms, figures.inventoryRmsShares);
  setOrRemove(metrics.inventoryMax, figures.inventoryMaxShares);
  setOrRemove(metrics.drawdown, figures.drawdownUsdc);
  setOrRemove(metrics.touch, figures.touchRatio);
  setOrRemove(metrics.uptimeInAll, figures.uptimeRatio);
  for (const { ahead, fills, shares, markoutUsdc } of figures.queue) {
    set(metrics.queueFills, { ahead }, fills);
    set(metrics.queueShares, { ahead }, shares);
    set(metrics.queueMarkout, { ahead }, markoutUsdc);
  }
}

export function collectMarketFigures(
  metrics: FigureMetrics,
  { marketId: market, figures }: MarketView,
): void {
  if (figures === undefined) return;
  set(metrics.marketFairPnl, { market }, figures.pnlAtFairUsdc);
  set(metrics.marketTraded, { market, role: 'maker' }, figures.makerShares);
  set(metrics.marketTraded, { market, role: 'taker' }, figures.takerShares);
  set(metrics.marketTraded, { market, role: 'unsure' }, figures.unsureShares);
  set(metrics.marketInventoryRms, { market }, figures.inventoryRmsShares);
  set(metrics.marketInventoryMax, { market }, figures.inventoryMaxShares);
  set(metrics.marketDrawdown, { market }, figures.drawdownUsdc);
  set(metrics.marketTouch, { market }, figures.touchRatio);
}

function marksOf(figures: FiguresView) {
  return [
    ['middle', figures.pnlAtMiddleUsdc],
    ['fair', figures.pnlAtFairUsdc],
    ['settlement', figures.pnlAtSettlementUsdc],
  ] as const;
}

const PART_KEYS = {
  before: 'beforeUsdc',
  spread: 'spreadUsdc',
  to_1s: 'to1sUsdc',
  to_10s: 'to10sUsdc',
  to_60s: 'to60sUsdc',
  later: 'laterUsdc',
  fees: 'feesUsdc',
  unsplit: 'unsplitUsdc',
  other: 'otherUsdc',
} satisfies Readonly<Record<(typeof PNL_PARTS)[number], keyof FigurePartsView>>;

function partsOf({ parts }: FiguresView) {
  if (parts === undefined) return [];
  return Object.entries(PART_KEYS).map(([part, key]) => [part, parts[key]] as const);
}

function set<Label extends string>(
  gauge: Gauge<Label>,
  labels: Readonly<Record<Label, string>>,
  value: string | number | undefined,
): void {
  if (value !== undefined) gauge.set(labels, Number(value));
}

/** One without labels has a series of its own accord. */
function setOrRemove(gauge: Gauge, value: string | number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(Number(value));
}
