// What other parameters would have come to beside those in force, for `status`.

import type { ShownMarket, ShownState } from './state-schema.ts';
import { duration, marketName, moneyText, type Shown } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** A line for each market with a shadow. */
export function shadowLines(
  state: Pick<ShownState, 'atMs' | 'markets'>,
  { width }: Pick<Shown, 'width'>,
): readonly string[] {
  return state.markets.flatMap((market) => {
    const text = shadowText(market, state.atMs);
    return text === undefined ? [] : [clip(harmless(text), width)];
  });
}

function shadowText(market: ShownMarket, atMs: number): string | undefined {
  if (market.shadow === undefined) return undefined;
  const { params, sinceMs, live, shadow, fault } = market.shadow;
  const stated = Object.entries(params).map(([name, value]) => `${name}=${String(value)}`);
  const gained = (Number(shadow.pnlUsdc) - Number(live.pnlUsdc)).toFixed(6);
  const text = `${marketName(market)}: ${stated.join(' ')} in place of what is in force: ${moneyText(gained, true)} USDC (${sideText(shadow)} against ${sideText(live)}), simulated for ${duration(atMs - sinceMs)}`;
  return fault === undefined ? text : `${text}; last fault: ${fault}`;
}

function sideText(set: NonNullable<ShownMarket['shadow']>['live']): string {
  return `${moneyText(set.pnlUsdc, true)}, ${Number(set.filledShares).toFixed(0)} shares filled, inventory ${Number(set.inventoryRmsShares).toFixed(0)}`;
}
