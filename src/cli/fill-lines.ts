// Own fills of a recorded run beside those of the queue models, as lines of text.

import { CANCEL_PARTS, type FillGroup, type FillReport } from '../backtest/fill-audit.ts';
import { type Column, tableLines } from './table.ts';

export function fillLines(report: FillReport, width: number): readonly string[] {
  const { groups, total, unseen } = report;
  const titles = ['ORDERS', 'SHARES', 'FILLED', 'CONSERVATIVE', 'OPTIMISTIC'];
  const columns: Column[] = [
    { title: 'AHEAD, SHARES', align: 'left', shrinks: true },
    ...titles.map((title): Column => ({ title, align: 'right' })),
  ];
  const rows = [...groups.filter(({ orders }) => orders > 0), total].map((group) =>
    cellsOf(group).map((text) => ({ text })),
  );
  return [
    ...tableLines({ columns, rows }, { width }),
    verdict(report),
    ...(unseen === 0
      ? []
      : [`${unseen} orders were sent where no book was known, and are left out`]),
  ];
}

function cellsOf({ ahead, orders, offered, filled, modelled }: FillGroup): readonly string[] {
  const ends = [modelled[0], modelled.at(-1)].map((shares = 0) => shares.toFixed(0));
  return [ahead, String(orders), offered.toFixed(0), filled.toFixed(0), ...ends];
}

function verdict({ total, trades, cancelPart }: FillReport): string {
  if (trades === 0) return 'no trade of the venue was recorded: the models have nothing to go by';
  const [low = 0] = total.modelled;
  if (cancelPart !== undefined) {
    const percent = (100 * cancelPart).toFixed(0);
    return `as if ${percent} % of the shares that were cancelled at our prices had stood ahead of us: conservative is 0, optimistic 100`;
  }
  if (total.filled < low)
    return 'less was filled than the conservative model says: a backtest of this market promises too much';
  return 'more was filled than the optimistic model says: a backtest of this market promises too little';
}

/** As the table has it, and every model between the two. */
export function fillJson(report: FillReport): unknown {
  return { cancelParts: CANCEL_PARTS, ...report };
}
