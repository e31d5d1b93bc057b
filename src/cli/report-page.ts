// A day as one HTML page: it opens anywhere, without a network, and everything on it stands in it.

import {
  type DayPresence,
  type DayReport,
  type SidePresence,
  uptimeOf,
} from '../app/look-back/day.ts';
import type { MarketEarned } from '../app/look-back/earned.ts';
import { fillKey, type PastDays } from '../app/look-back/past-days.ts';
import { inCents, type Parts } from '../backtest/fills.ts';
import { type Chart, chartsOf } from '../backtest/page-charts.ts';
import { amount, cents, escaped, ratio, table, wholePage } from '../backtest/page-parts.ts';
import type { StoredFill } from '../domain/record.ts';
import { harmless } from './text.ts';

export type DayPage = {
  readonly report: DayReport;
  readonly fills: readonly StoredFill[];
  readonly past: PastDays;
  /** What the figures do not know, in words. */
  readonly uncertain: readonly string[];
  readonly journal: string;
  readonly version: string;
};

/** Markets with charts; more would make a page that no browser scrolls. */
const CHARTS_MAX = 40;

/** The page as text. @throws {Error} When the plotting library is not installed. */
export async function dayPage(page: DayPage): Promise<string> {
  const { report } = page;
  const day = new Date(report.fromMs).toISOString().slice(0, 10);
  const isWhole = report.toMs % 86_400_000 === 0;
  const charted = report.presence.slice(0, CHARTS_MAX);
  return await wholePage({
    title: `bookend ${day}`,
    body: [
      `<h1>${day}</h1>`,
      `<p>00:00:00 to ${isWhole ? '24:00:00' : timeText(report.toMs)} UTC · ${shown(page.journal)} · bookend ${shown(page.version)}</p>`,
      ...summary(page),
      '<h2>Earned</h2>',
      ...earnedHtml(page),
      '<h2>Quoted</h2>',
      ...quotedHtml(report),
      '<h2>What happened</h2>',
      ...incidentsHtml(report),
      ...charted.map(marketHtml),
    ],
    charts: charted.flatMap(({ marketId }, place) => chartsOfMarket(page, marketId, place)),
  });
}

function summary({ report }: DayPage): readonly string[] {
  const { earned, presence, runs, ordersPlaced, writeUse } = report;
  const sides = presence.flatMap(({ bid, ask }) => [bid, ask]);
  const cut = runs.filter(({ isCut }) => isCut).length;
  const use = writeUse && `${ratio(writeUse.mean)}, at most ${ratio(writeUse.max)}`;
  return [
    table(
      ['Earned, USDC', 'Fills', 'Quoting uptime', 'Orders placed', 'Write budget used', 'Runs'],
      [
        [
          amount(earned.total.pnlUsdc),
          String(earned.total.fills),
          ratio(uptimeOf(sides)) || 'not known',
          String(ordersPlaced),
          use ?? 'not known',
          `${runs.length}${cut > 0 ? `, ${cut} cut off` : ''}`,
        ],
      ],
    ),
    ...(runs.length === 0 ? ['<p class="failure">Nothing ran on this day.</p>'] : []),
  ];
}

function earnedHtml({ report, uncertain }: DayPage): readonly string[] {
  const { markets, total } = report.earned;
  if (markets.length === 0) return ['<p>Nothing was traded.</p>'];
  const head = ['Market', 'Fills', 'Bought', 'Sold', 'USDC', ...PARTS, 'Not split', 'Net', 'Value'];
  const rows = markets.map((market) => [
    shown(market.title ?? market.marketId),
    String(market.fills),
    market.boughtShares.toFixed(0),
    market.soldShares.toFixed(0),
    ...moneyCells(market),
    market.netShares.toFixed(2),
    market.value?.toFixed(4) ?? 'not known',
  ]);
  const { fills, pnlUsdc, parts, unsplitUsdc } = total;
  const all = [
    ...['in all', String(fills), '', ''],
    ...[pnlUsdc, ...splitOf(parts, unsplitUsdc)].map(amount),
    ...['', ''],
  ];
  return [
    table(head, markets.length > 1 ? [...rows, all] : rows),
    ...uncertain.map((text) => `<p>${shown(text)}</p>`),
    '<h3>How the market moved after fills</h3>',
    markoutTable(markets),
  ];
}

const PARTS = ['Spread', 'To 1 s', 'To 10 s', 'To 60 s', 'Later', 'Fees'];

function splitOf(
  { spread, adverse, inventory, fees }: Parts,
  unsplitUsdc: number,
): readonly number[] {
  return inCents([spread, ...adverse, inventory, fees, unsplitUsdc]);
}

function moneyCells({ pnlUsdc, parts, unsplitUsdc }: MarketEarned): readonly string[] {
  if (pnlUsdc === undefined) return ['not known', ...PARTS.map(() => ''), ''];
  return [pnlUsdc, ...splitOf(parts, unsplitUsdc)].map(amount);
}

function markoutTable(markets: readonly MarketEarned[]): string {
  const secs = markets[0]?.markouts.map(({ sec }) => sec) ?? [];
  const head = secs.flatMap((sec) => [`Bids, ${sec} s`, `Asks, ${sec} s`]);
  const rows = markets.map(({ title, marketId, markouts }) => [
    shown(title ?? marketId),
    ...markouts.flatMap(({ bid, ask }) => [cents(bid), cents(ask)]),
  ]);
  return table(['Cents a share', ...head], rows);
}

function quotedHtml({ presence, runs, samples }: DayReport): readonly string[] {
  const spans = runs.map(({ fromMs, toMs, isCut }) => {
    const [from, to] = [fromMs, toMs].map((at) => (at === undefined ? '' : timeText(at)));
    const end = isCut ? `after ${to} without a word` : to || 'still running';
    return [from || 'the day before', `<span class="${isCut ? 'loss' : ''}">${end}</span>`];
  });
  const rows = presence.flatMap(({ title, strategy, bid, ask }) =>
    [
      { side: 'bid', of: bid },
      { side: 'ask', of: ask },
    ].map(({ side, of }) => [
      `${shown(title)} <span class="soft">${shown(strategy)}</span>`,
      side,
      ratio(uptimeOf([of])) || 'no time counts',
      durationText(of.countedMs),
      excludedText(of),
      reasonsText(of, samples),
    ]),
  );
  return [
    table(['Run from', 'to'], spans),
    table(['Market', 'Side', 'Uptime', 'Of', 'Not counted', 'Seen without a quote'], rows),
  ];
}

function excludedText({ excludedMs }: SidePresence): string {
  const causes = Object.entries(excludedMs).filter(([, ms]) => ms >= 500);
  return causes.map(([cause, ms]) => `${shown(cause)} ${durationText(ms)}`).join(', ');
}

function reasonsText({ reasons }: SidePresence, samples: number): string {
  const seen = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
  return seen.map(([code, times]) => `${shown(code)} (${times} of ${samples} looks)`).join(', ');
}

/** A cell or title that is read and not added up. */
function inWords(html: string): string {
  return `<span class="words">${html}</span>`;
}

function incidentsHtml(report: DayReport): readonly string[] {
  const { incidents, incidentsLeftOut, warnings } = report;
  const rows = incidents.map(({ atMs, event, severity, detail }) => [
    timeText(atMs),
    `<span class="words${severity === 'error' ? ' loss' : ''}">${shown(event)}</span>`,
    inWords(shown(detail)),
  ]);
  const counts = Object.entries(warnings).map(([event, count]) => [shown(event), String(count)]);
  return [
    rows.length === 0
      ? '<p>No halt, no kill, no operator.</p>'
      : table(['UTC', ...['Event', 'What'].map(inWords)], rows),
    ...(incidentsLeftOut > 0 ? [`<p>and ${incidentsLeftOut} more</p>`] : []),
    ...(counts.length === 0 ? [] : ['<h3>Warnings</h3>', table(['Event', 'Times'], counts)]),
  ];
}

function marketHtml({ title, strategy }: DayPresence, place: number): string {
  const head = `<h3>${shown(title)} <span class="soft">${shown(strategy)}</span></h3>`;
  return `${head}<div class="charts" data-market="${place}"></div>`;
}

function chartsOfMarket(
  { past, fills, report }: DayPage,
  marketId: string,
  place: number,
): readonly Chart[] {
  const samples = past.course
    .filter((line) => line.kind === 'sample')
    .filter(({ atMs }) => atMs >= report.fromMs && atMs <= report.toMs);
  const points = samples.flatMap(({ atMs, markets }) => {
    const market = markets.find((each) => each.marketId === marketId);
    if (market === undefined) return [];
    const { middle, net, pnlUsdc } = market;
    const [bid, ask] = [undefined, undefined];
    return [{ atMs, middle: middle ?? undefined, bid, ask, netShares: net, pnlUsdc: pnlUsdc ?? 0 }];
  });
  const shownFills = fills
    .filter((fill) => fill.marketId === marketId)
    .slice(-FILLS_SHOWN_MAX)
    .flatMap((fill) => {
      const isYes = past.fills.get(fillKey(fill))?.line.isYes ?? past.legs.get(fill.tokenId);
      if (isYes === undefined) return [];
      const price = fill.price / fill.ticksPerUnit;
      const side = (fill.side === 'BUY') === isYes ? ('BUY' as const) : ('SELL' as const);
      const shares = fill.quantity / 1e6;
      return [{ atMs: fill.atMs, side, price: isYes ? price : 1 - price, shares, isTaker: false }];
    });
  const earned = report.earned.markets.find((each) => each.marketId === marketId);
  return chartsOf({ points, shownFills, curves: earned?.curves ?? [] }, place);
}

const FILLS_SHOWN_MAX = 4_000;

function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return `${Math.round(ms / 1_000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What comes from a venue, a file or a strategy may be anything. */
function shown(text: string): string {
  return escaped(harmless(text));
}
