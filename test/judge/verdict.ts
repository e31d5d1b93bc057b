// What rows of the judge say: means with errors, paired differences to `auto`, and whether the bar is met.

import { type Estimate, estimate, resampled } from '../../src/backtest/compare.ts';
import { PEER_NAMES, type Row } from './court.ts';

export const OURS = 'auto';

/** USDC an hour on the true value, over seeds. */
export function earned(rows: readonly Row[]): Estimate {
  return estimate(rows.map(({ usdcPerHour }) => usdcPerHour));
}

/** How much more the first earned than the second on common paths, at the middle, an hour. */
export function moreThan(
  rows: readonly Pick<Row, 'seed' | 'blocksUsdc'>[],
  others: readonly Pick<Row, 'seed' | 'blocksUsdc'>[],
): Estimate | undefined {
  const blocks = rows.flatMap((row) => {
    const other = others.find(({ seed }) => seed === row.seed);
    return row.blocksUsdc.map((usdc, block) => usdc - (other?.blocksUsdc[block] ?? usdc));
  });
  return blocks.length === 0 ? undefined : resampled(blocks);
}

export function meanOf(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0) / Math.max(1, rows.length);
}

export type Finding = { readonly rule: string; readonly holds: boolean; readonly figures: string };

/**
 * The bar of one queue model: in calm at least the best peer of equal resting size within the error of the
 * difference, not below 0 where takers know more, and inventory a third of the bands' for every dollar earned.
 */
export function findings(rows: readonly Row[]): readonly Finding[] {
  const of = (strategy: string, world: string) =>
    rows.filter((row) => row.strategy === strategy && row.world === world);
  const peers = PEER_NAMES.filter((name) => of(name, 'calm').length > 0).toSorted(
    (a, b) => earned(of(b, 'calm')).mean - earned(of(a, 'calm')).mean,
  );
  const [best] = peers;
  const found: Finding[] = [];
  if (best !== undefined) {
    const more = moreThan(of(OURS, 'calm'), of(best, 'calm'));
    if (more) {
      const holds = more.mean + (more.error ?? 0) >= 0;
      const figures = `${textOf(more)} more than ${best}`;
      found.push({ rule: 'calm: at least the best peer within the error', holds, figures });
    }
  }
  for (const world of ['informed', 'jumpy']) {
    const own = of(OURS, world);
    if (own.length === 0) continue;
    const value = earned(own);
    found.push({ rule: `${world}: not below 0`, holds: value.mean >= 0, figures: textOf(value) });
  }
  const perDollar = (strategy: string) => {
    const calm = of(strategy, 'calm');
    return meanOf(calm, ({ inventoryRmsShares }) => inventoryRmsShares) / earned(calm).mean;
  };
  for (const bands of ['poly-market-maker-bands', 'bands']) {
    if (of(bands, 'calm').length === 0 || of(OURS, 'calm').length === 0) continue;
    const part = perDollar(OURS) / perDollar(bands);
    const figures = `${part.toFixed(2)} of ${bands}'`;
    found.push({
      rule: 'calm: inventory RMS per dollar at most a third',
      holds: part <= 1 / 3,
      figures,
    });
  }
  return found;
}

export function textOf({ mean, error }: Estimate): string {
  return error === undefined ? mean.toFixed(1) : `${mean.toFixed(1)} ± ${error.toFixed(1)}`;
}

/** One queue model as a table of Markdown. */
export function tableOf(rows: readonly Row[], worlds: readonly string[]): readonly string[] {
  const names = [...new Set(rows.map(({ strategy }) => strategy))];
  const shown = worlds.filter((world) => rows.some((row) => row.world === world));
  const hasOurs = names.includes(OURS);
  const head = [
    'Strategy',
    ...shown,
    'Inventory RMS calm',
    ...(hasOurs ? shown.map((world) => `auto more: ${world}`) : []),
  ];
  const of = (strategy: string, world: string) =>
    rows.filter((row) => row.strategy === strategy && row.world === world);
  const line = (name: string) => [
    PEER_NAMES.includes(name) ? `${name} (peer)` : `\`${name}\``,
    ...shown.map((world) => textOf(earned(of(name, world)))),
    meanOf(of(name, 'calm'), ({ inventoryRmsShares }) => inventoryRmsShares).toFixed(0),
    ...(hasOurs ? shown.map((world) => differenceOf(of(OURS, world), of(name, world))) : []),
  ];
  const cells = [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...names.map(line)];
  return cells.map((row) => `| ${row.join(' | ')} |`);
}

function differenceOf(ours: readonly Row[], theirs: readonly Row[]): string {
  if (ours[0]?.strategy === theirs[0]?.strategy) return '';
  const more = moreThan(ours, theirs);
  return more === undefined ? '' : textOf(more);
}
