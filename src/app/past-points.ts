// What the charts of the console show of the day before a start: the looks that the journal keeps for `report`.

import type { PastPoint } from '../console/history.ts';
import { pastLines } from '../journal/days/day-reader.ts';

const DAY_MS = 86_400_000;

/** The last day, oldest first. @throws {BotError} `journal.copy` */
export async function pastPoints(journal: string, nowMs: number): Promise<readonly PastPoint[]> {
  const points: PastPoint[] = [];
  const fromMs = nowMs - DAY_MS;
  for await (const line of pastLines({ journal, fromMs, toMs: nowMs, part: 'rest' })) {
    if (line.kind !== 'sample' || line.atMs < fromMs || line.atMs > nowMs) continue;
    const { atMs, pnlUsdc, writesUsed: writes } = line;
    const markets = line.markets.map(({ marketId, middle, net, pnlUsdc: pnl }) => {
      return { marketId, mid: known(middle), net, pnl: known(pnl) };
    });
    points.push({ atMs, pnl: known(pnlUsdc), writes, markets });
  }
  return points.sort((a, b) => a.atMs - b.atMs);
}

function known(value: number | null): number {
  return value ?? Number.NaN;
}
