// A daemon's state as lines of text: for `status`, and for the screen of a running command.

import { ORDER_ENDS } from '../domain/order.ts';
import { typedClears } from './again.ts';
import { type Paint, PLAIN } from './paint.ts';
import { selectionText } from './selection-lines.ts';
import type { ShownMarket, ShownReason, ShownState } from './state-schema.ts';
import { type Cell, type Column, tableLines } from './table.ts';
import { clip, columns, harmless } from './text.ts';

export type Shown = {
  readonly width: number;
  readonly paint?: Paint;
  /** The command that lifts a stop, as it is to be typed. */
  readonly resume?: string;
};

const COLUMNS: readonly Column[] = [
  { title: 'MARKET', align: 'left', shrinks: true },
  { title: 'OWN BIDS', align: 'right' },
  { title: 'BOOK', align: 'right' },
  { title: 'OWN ASKS', align: 'left' },
  { title: 'YES', align: 'right' },
  { title: 'NO', align: 'right' },
  { title: 'P&L', align: 'right' },
  { title: 'FILLS', align: 'right' },
  { title: 'QUOTED 1H', align: 'right' },
];

/** Phase, connection, write budget; money and orders; deaths of the trader, if there were any. */
export function headLines(state: ShownState, shown: Shown): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  const { socket, authenticated, clockOffsetMs } = state.connection;
  const first = [
    `writes ${state.writes.usedInWindow}/${state.writes.perWindow} in 10 s`,
    `socket ${socket}${authenticated ? '' : ', not authenticated'}`,
    `settings ${state.settingsVersion}`,
    clockOffsetMs === undefined ? 'clock unmeasured' : `clock ${signed(clockOffsetMs)} ms`,
    // The daemon could quote, but there is nothing to quote on.
    ...(state.venueFault === undefined ? [harmless(state.phaseReason)] : []),
  ];
  const phase = clip(state.phase, shown.width);
  const rest = clip(` · ${first.join(' · ')}`, shown.width - columns(phase));
  return [
    ...faultLines(state).map((line) => paint.bad(clip(line, shown.width))),
    phasePaint(phase, paint)(paint.strong(phase)) + rest,
    ...goOnLines(state, shown).map((line) => paint.careful(clip(line, shown.width))),
    ...dryLines(state).map((line) => paint.careful(clip(line, shown.width))),
    ...ageLines(state).map((line) => paint.careful(clip(line, shown.width))),
    clip(moneyLine(state), shown.width),
    ...runsLines(state).map((line) => paint.careful(clip(line, shown.width))),
    ...suspendedLines(state).map((line) => paint.careful(clip(line, shown.width))),
    ...latchLines(state).map((line) => paint.careful(clip(line, shown.width))),
    ...stopLines(state).map((line) => paint.careful(clip(line, shown.width))),
    ...editLines(state).map((line) => paint.careful(clip(line, shown.width))),
  ];
}

/** Whatever else is shown is of before it. */
function faultLines({ venueFault }: ShownState): readonly string[] {
  return venueFault === undefined ? [] : [harmless(`NOTHING IS PLAYED ANY MORE: ${venueFault}`)];
}

/** Nobody must take simulated money for money. */
function dryLines({ dryRunOf }: ShownState): readonly string[] {
  if (dryRunOf === undefined) return [];
  return [harmless(`DRY RUN: orders are simulated, books are real (${dryRunOf})`)];
}

/** Whoever finds it stopped needs one line to go on, which no width cuts off behind reasons. */
function goOnLines({ phase }: ShownState, { resume }: Shown): readonly string[] {
  const isStopped = phase === 'killed' || phase === 'paused' || phase === 'halted';
  return isStopped && resume !== undefined ? [`to go on: ${harmless(resume)}`] : [];
}

/** What is shown of a trader that is gone, or does not turn, is of another time. */
function ageLines({ age }: ShownState): readonly string[] {
  if (age === undefined || age.trader === 'alive' || age.trader === 'starting') return [];
  const means = age.trader === 'down' ? 'THE TRADER IS GONE' : 'THE TRADER DOES NOT TURN';
  return [`${means}: this is its last word, ${(age.stateMs / 1_000).toFixed(1)} s old`];
}

/** Who edits a file and sees quotes go on takes the edit for done. */
function editLines({ refusedEdit }: ShownState): readonly string[] {
  if (refusedEdit === undefined) return [];
  const { file, at, problems } = refusedEdit;
  const why = problems.join('; ');
  return [
    harmless(
      `THE LAST EDIT OF ${file} WAS REFUSED, and the one before is in force: ${why} (${at})`,
    ),
  ];
}

/** The most that an operator can do wrong is to restart it now. */
function stopLines({ unwrittenStops = [] }: ShownState): readonly string[] {
  if (unwrittenStops.length === 0) return [];
  const names = unwrittenStops.map((name) => STOP_NAMES[name] ?? name).join(', ');
  return [harmless(`${names} NOT ON DISK, a new start would quote: make room`)];
}

const STOP_NAMES: Readonly<Record<string, string>> = {
  halt: 'HALT',
  pause: 'PAUSE',
  latches: 'CONTROLS THAT TRIPPED',
  marketStops: 'STOPS OF MARKETS',
};

function latchLines({ latchFault }: ShownState): readonly string[] {
  if (latchFault === undefined) return [];
  const { by, at, detail } = latchFault;
  const text = `KILL NOT ON DISK, a new start would quote: ${detail}; killed by ${by} at ${at}`;
  return [harmless(text)];
}

function runsLines({ guard }: ShownState): readonly string[] {
  if (guard?.last === undefined) return [];
  const { reason, detail, at } = guard.last;
  return [
    harmless(`run ${guard.run} of the trader; the last one ended at ${at}: ${reason} (${detail})`),
  ];
}

function suspendedLines({ guard }: ShownState): readonly string[] {
  return (guard?.suspended ?? []).map(({ strategy, place, times, detail, until }) =>
    harmless(
      `strategy ${strategy} is not asked for ${place ?? 'any market'} until ${until}: the trader died ${times} × in it (${detail})`,
    ),
  );
}

/** The table of markets. */
export function marketLines(markets: readonly ShownMarket[], shown: Shown): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  const rows = markets.map((market) => marketRow(market, paint));
  return tableLines({ columns: COLUMNS, rows }, shown);
}

/** What the table has no room for: every level of own quotes, and what nobody has settled yet. */
export function oneMarketLines(market: ShownMarket, shown: Shown): readonly string[] {
  const levels = (quotes: ShownMarket['ownBids']): string =>
    quotes.length === 0
      ? 'none'
      : quotes.map(({ price, quantity }) => `${price}×${quantity}`).join(' ');
  const { strategy, positionYes, settledYes, positionNo, settledNo } = market;
  return [
    `${marketName(market)} · market ${market.marketId} · strategy ${strategy}`,
    `own bids ${levels(market.ownBids)} · own asks ${levels(market.ownAsks)}`,
    `YES ${positionYes}, settled ${settledYes} · NO ${positionNo}, settled ${settledNo}`,
  ].map((line) => clip(harmless(line), shown.width));
}

/** For each side that is not quoted: why, since when, and what clears it. */
export function reasonLines(
  state: Pick<ShownState, 'atMs' | 'markets' | 'unlisted'>,
  shown: Shown,
): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  const lines = state.markets.flatMap((market) => [
    ...marketReasons(market, state.atMs, shown),
    ...pendingParams(market),
    ...uncounted(market),
  ]);
  lines.push(...state.markets.flatMap((market) => openPositions(market, state.atMs)));
  for (const { choice, ...reason } of state.unlisted ?? []) {
    lines.push(reasonText(`${choice}: no market`, reason, state.atMs, shown));
  }
  return lines.map((line) => paint.careful(clip(line, shown.width)));
}

/** What the venue is taken to do where its document does not say: since when, and on what evidence. */
export function beliefLines(
  state: Pick<ShownState, 'atMs' | 'markets' | 'venueBeliefs'>,
  shown: Shown,
): readonly string[] {
  return (state.venueBeliefs ?? []).map(({ what, marketId, value, evidence, sinceMs }) => {
    const market = state.markets.find((each) => each.marketId === marketId);
    const of = market === undefined ? 'venue' : marketName(market);
    const name = BELIEF_NAMES[what] ?? what;
    const since =
      sinceMs === undefined ? '' : ` for ${duration(Math.max(0, state.atMs - sinceMs))}`;
    return clip(harmless(`${of}: ${name} ${value}${since} (${evidence})`), shown.width);
  });
}

const BELIEF_NAMES: Readonly<Record<string, string>> = {
  books: 'books of YES and NO are',
  quantityDecimals: 'decimals of a quantity are at most',
};

/** For each filter of the configuration: which markets it has chosen. */
export function selectedLines(
  state: Pick<ShownState, 'atMs' | 'selection'>,
  shown: Shown,
): readonly string[] {
  const paint = shown.paint ?? PLAIN;
  return (state.selection ?? []).map((view) => {
    const { readAtMs, fault } = view;
    const read =
      readAtMs === undefined
        ? 'not read yet'
        : `read ${duration(Math.max(0, state.atMs - readAtMs))} ago`;
    const why = fault === undefined ? '' : `; ${fault}`;
    const line = clip(harmless(`select ${selectionText(view)}; ${read}${why}`), shown.width);
    return fault === undefined && view.events.length > 0 ? paint.good(line) : paint.careful(line);
  });
}

function moneyLine(state: ShownState): string {
  const { pnlUsdc, cashUsdc, availableUsdc, worstCaseLossUsdc } = state.account;
  return [
    `P&L ${moneyText(pnlUsdc, true)}`,
    `cash ${moneyText(cashUsdc)}`,
    `available ${moneyText(availableUsdc)}`,
    `worst case loss ${moneyText(worstCaseLossUsdc)} USDC`,
    `orders ${ordersText(state.ordersByState)}`,
    ...armedText(state),
    ...scopeText(state),
    ...uncancellableText(state),
  ].join(' · ');
}

/** Cancels that left before their frame was decided on; none are left out. */
function armedText({ armed }: ShownState): readonly string[] {
  if (armed === undefined || armed.fired === 0) return [];
  const { fired, right, placed = 0, unwanted = 0 } = armed;
  const cancelled = `cancelled before a decision ${fired}, ${right} of them rightly`;
  if (placed === 0) return [cancelled];
  return [cancelled, `placed before one ${placed}, ${placed - unwanted} of them rightly`];
}

/** Ended orders are history; the line tells what is alive. */
const ENDED: readonly string[] = ORDER_ENDS;

/** Whose orders stops cancel, where that is not simply everybody's. */
function scopeText({ cancelScope, ordersOfOthers = 0 }: ShownState): readonly string[] {
  if (cancelScope !== 'own') return [];
  return [`stops cancel own orders only, ${ordersOfOthers} of others`];
}

/** Orders that the line names; `--json` names all. */
const REFUSED_NAMED_MAX = 5;

function uncancellableText({ uncancellable = [] }: ShownState): readonly string[] {
  if (uncancellable.length === 0) return [];
  const named = uncancellable.slice(0, REFUSED_NAMED_MAX).join(' ');
  const more = uncancellable.length > REFUSED_NAMED_MAX ? ' ...' : '';
  return [`the venue refuses to cancel ${uncancellable.length}: ${named}${more}`];
}

function ordersText(byState: ShownState['ordersByState']): string {
  const alive = Object.entries(byState).filter(([name, n]) => n > 0 && !ENDED.includes(name));
  return alive.length === 0 ? 'none' : alive.map(([name, n]) => `${n} ${name}`).join(', ');
}

function marketRow(market: ShownMarket, paint: Paint): readonly Cell[] {
  const hasLoss = market.pnlUsdc?.startsWith('-') ?? false;
  return [
    { text: marketName(market) },
    { text: quotesText(market.ownBids), paint: paint.good },
    { text: `${market.bestBid ?? '–'} | ${market.bestAsk ?? '–'}` },
    { text: quotesText(market.ownAsks), paint: paint.good },
    { text: market.positionYes },
    { text: market.positionNo },
    { text: moneyText(market.pnlUsdc, true), paint: hasLoss ? paint.bad : paint.good },
    { text: String(market.fills) },
    { text: uptimeText(market) },
  ];
}

/** Bid and ask in the last hour. */
function uptimeText({ uptime }: ShownMarket): string {
  const percent = (part: number | undefined) =>
    part === undefined ? '–' : `${Math.round(part * 100)}`;
  return `${percent(uptime.bid.lastHour)}/${percent(uptime.ask.lastHour)} %`;
}

export function marketName(market: Pick<ShownMarket, 'title' | 'eventSlug' | 'status'>): string {
  const name = market.title === '' ? market.eventSlug : market.title;
  return market.status === 'open' ? name : `${name} [${market.status}]`;
}

/** The best quote with its size; further levels as a count. */
function quotesText(quotes: ShownMarket['ownBids']): string {
  const [best] = quotes;
  if (!best) return 'none';
  const more = quotes.length > 1 ? ` +${quotes.length - 1}` : '';
  return `${best.price}×${best.quantity}${more}`;
}

function marketReasons(market: ShownMarket, atMs: number, shown: Shown): readonly string[] {
  const { bidReason: bid, askReason: ask } = market;
  const name = marketName(market);
  if (bid && ask && bid.code === ask.code && bid.detail === ask.detail) {
    return [reasonText(`${name}: no quotes`, bid, atMs, shown)];
  }
  return [
    ...(bid ? [reasonText(`${name}: no bid`, bid, atMs, shown)] : []),
    ...(ask ? [reasonText(`${name}: no ask`, ask, atMs, shown)] : []),
  ];
}

/** Where a position is no plain number: what it may be, what of it has not settled, and what nobody has reported. */
function openPositions(market: ShownMarket, atMs: number): readonly string[] {
  const { positions } = market;
  if (positions === undefined) return [];
  return (['yes', 'no'] as const).flatMap((leg) => {
    const { low, expected, high, pending, settling, uncertain } = positions[leg];
    const [oldest] = settling ?? [];
    const forText =
      oldest === undefined ? '' : ` for ${duration(Math.max(0, atMs - oldest.sinceMs))}`;
    const isSettled = low === high && Number(pending) === 0 && uncertain.length === 0;
    if (isSettled) return [];
    const facts = [
      ...(low === high ? [] : [`may be ${low} to ${high}`]),
      ...(Number(pending) === 0 ? [] : [`${pending} not settled yet${forText}`]),
      ...uncertain.map(({ shares, cause, sinceMs }) => {
        return `${shares} uncertain (${cause}) for ${duration(Math.max(0, atMs - sinceMs))}`;
      }),
    ];
    const text = `${marketName(market)}: ${leg.toUpperCase()} ${expected}: ${facts.join(', ')}`;
    return [harmless(text)];
  });
}

function pendingParams(market: ShownMarket): readonly string[] {
  const { pendingRestart } = market.params;
  if (pendingRestart.length === 0) return [];
  const names = pendingRestart.join(', ');
  return [harmless(`${marketName(market)}: ${names} as before until a restart`)];
}

/** What is shorter than this is no news. */
const UNCOUNTED_MS_MIN = 60_000;

/** Time that the share of QUOTED leaves out; what the strategy did not want is no news either. */
function uncounted(market: ShownMarket): readonly string[] {
  const texts = (['bid', 'ask'] as const).flatMap((side) =>
    Object.entries(market.uptime[side].excludedMs)
      .filter(([cause, ms]) => cause !== 'strategy' && ms >= UNCOUNTED_MS_MIN)
      .map(([cause, ms]) => `${side} ${duration(ms)} (${cause})`),
  );
  if (texts.length === 0) return [];
  return [
    harmless(`${marketName(market)}: not counted in QUOTED since the start: ${texts.join(', ')}`),
  ];
}

function reasonText(what: string, reason: ShownReason, atMs: number, { resume }: Shown): string {
  const clears = typedClears(reason.clears, resume);
  const since = duration(Math.max(0, atMs - reason.sinceMs));
  const detail = reason.detail === '' ? '' : ` (${reason.detail})`;
  return harmless(`${what}: ${reason.code}${detail} for ${since}; clears: ${clears}`);
}

/** A duration in its two largest units, for people. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Exact text of the daemon, cut to cents for the eye. */
export function moneyText(exact: string | undefined, withSign = false): string {
  if (exact === undefined) return 'unknown';
  const amount = Number(exact);
  if (!Number.isFinite(amount)) return harmless(exact);
  const text = Math.abs(amount).toFixed(2);
  if (amount < 0 && Number(text) !== 0) return `-${text}`;
  return withSign ? `+${text}` : text;
}

function signed(count: number): string {
  const whole = Math.round(count);
  return whole < 0 ? String(whole) : `+${whole}`;
}

function phasePaint(phase: string, paint: Paint): (text: string) => string {
  if (phase === 'quoting') return paint.good;
  if (phase === 'halted' || phase === 'killing' || phase === 'killed') return paint.bad;
  return paint.careful;
}
