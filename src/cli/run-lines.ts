// The end of a run for people: how much of it was quoted, and what was earned and how.

import type { StartedDaemon } from '../app/startup.ts';
import type { MarketView, UptimeView } from '../domain/view.ts';
import { deedLines, type Figured, queueLines } from './figure-lines.ts';
import { pnlLines } from './pnl.ts';
import { duration, moneyText } from './status-lines.ts';

type Ended = Pick<StartedDaemon, 'earned'> & {
  readonly daemon: { view(): EndView };
};

type EndView = Omit<Figured, 'markets'> & { readonly markets: readonly MarketView[] };

/** As wide as a page; what is piped is as wide as it is. */
const WIDTH = 10_000;

/** @param how - `withEarned` where nobody else says what was earned. */
export function runLines(
  { daemon, earned }: Ended,
  { withEarned }: { readonly withEarned: boolean },
): readonly string[] {
  const view = daemon.view();
  const { markets } = view;
  const all = markets.flatMap(({ uptime }) => [uptime.bid, uptime.ask]);
  const countedMs = Math.max(0, ...all.map((side) => side.countedMs ?? 0));
  const quoted = uptimeText(all);
  const presence =
    quoted === undefined
      ? 'nothing was to be quoted'
      : `quoted ${quoted} of ${duration(countedMs)}: ${sidesText(markets)}`;
  const figures = withEarned ? earned() : undefined;
  if (figures === undefined) return [presence, ...ownLines(view)];
  const deeds = deedLines(view, WIDTH);
  return [presence, ...pnlLines(figures), ...(deeds.length === 0 ? [] : ['', ...deeds])];
}

/** What the venue of a paper run does not know. */
function ownLines(view: EndView): readonly string[] {
  const { pnlAtFairUsdc } = view.figures ?? {};
  if (pnlAtFairUsdc === undefined) return queueLines(view, WIDTH);
  const fair = `P&L at own fair value ${moneyText(pnlAtFairUsdc, true)} USDC`;
  return [`${fair}; ${view.writes?.sent ?? 0} order writes`, ...queueLines(view, WIDTH)];
}

function sidesText(markets: readonly MarketView[]): string {
  const bids = uptimeText(markets.map(({ uptime }) => uptime.bid)) ?? 'none';
  const asks = uptimeText(markets.map(({ uptime }) => uptime.ask)) ?? 'none';
  return `bids ${bids}, asks ${asks}`;
}

/** Of the time that counts, by side and market. */
function uptimeText(sides: readonly UptimeView[]): string | undefined {
  let [counted, quoted] = [0, 0];
  for (const { countedMs = 0, sinceStart = 0 } of sides) {
    counted += countedMs;
    quoted += countedMs * sinceStart;
  }
  return counted === 0 ? undefined : `${((100 * quoted) / counted).toFixed(1)} %`;
}
