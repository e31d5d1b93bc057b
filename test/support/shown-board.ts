// A state as a trader tells it to those who serve HTTP.

import type { StateView } from '../../src/domain/view.ts';
import type { StateBoard } from '../../src/telemetry/board.ts';

/** @param tickAgeMs - Since the loop last turned; `undefined` before its first turn. */
export function show(
  board: Pick<StateBoard, 'apply'>,
  { markets, ...head }: StateView,
  tickAgeMs: number | undefined = 0,
): void {
  board.apply({ kind: 'head', tickAgeMs, json: JSON.stringify(head) });
  board.apply({ kind: 'order', marketIds: markets.map(({ marketId }) => marketId) });
  for (const market of markets) {
    board.apply({ kind: 'market', marketId: market.marketId, json: JSON.stringify(market) });
  }
  const name = 'bookend_settings_reloads_total';
  board.apply({ kind: 'names', names: [name] });
  board.apply({ kind: 'series', name, text: `${name}{result="applied"} 0\n` });
}
