// One day of a journal: how much of it was quoted and why not, what was earned, what happened, and how many writes
// it took.

import type { StoredFill } from '../../domain/record.ts';
import type { DayLineOf, DayMarket } from '../../journal/days/day-line.ts';
import { type Earned, earnedBy } from './earned.ts';
import type { PastDays } from './past-days.ts';

type Side = 'bid' | 'ask';

export type SidePresence = {
  readonly countedMs: number;
  readonly quotedMs: number;
  /** Time that does not count, by cause. */
  readonly excludedMs: Readonly<Record<string, number>>;
  /** In how many of the day's samples nothing was quoted, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
};

export type DayPresence = Readonly<Record<Side, SidePresence>> & {
  readonly marketId: string;
  readonly title: string;
  readonly strategy: string;
};

export type RunOfDay = {
  /** `undefined`: it ran when the day began. */
  readonly fromMs: number | undefined;
  /** `undefined`: it ran when the day ended. */
  readonly toMs: number | undefined;
  /** It was over without a word: it was killed, or its machine was. */
  readonly isCut: boolean;
};

export type Incident = {
  readonly atMs: number;
  readonly event: string;
  readonly severity: string;
  readonly detail: string;
};

export type DayReport = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly runs: readonly RunOfDay[];
  readonly presence: readonly DayPresence[];
  readonly samples: number;
  readonly earned: Earned;
  /** What stopped quotes or cost money, and what operators did; the first of them. */
  readonly incidents: readonly Incident[];
  readonly incidentsLeftOut: number;
  /** All that warned, by event. */
  readonly warnings: Readonly<Record<string, number>>;
  readonly ordersPlaced: number;
  /** Order writes in the venue's window, in parts of what it allows; by samples. */
  readonly writeUse: { readonly mean: number; readonly max: number } | undefined;
};

export type DayOf = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fills: readonly StoredFill[];
  readonly past: PastDays;
  readonly isRunning: boolean;
};

export function dayReport({ fromMs, toMs, fills, past, isRunning }: DayOf): DayReport {
  // The sample that closes the day is made an instant behind its end.
  const isOfDay = ({ atMs }: { readonly atMs: number }) => atMs >= fromMs && atMs <= toMs + LATE_MS;
  const course = past.course.filter(isOfDay);
  const samples = course.filter((line) => line.kind === 'sample');
  const events = course.filter((line) => line.kind === 'event').filter(({ atMs }) => atMs < toMs);
  const incidents = events.filter(isIncident);
  return {
    ...{ fromMs, toMs, runs: runsOf(course, { toMs, isRunning }), samples: samples.length },
    ...presenceOf(course, past),
    earned: earnedBy(fills, past),
    incidents: incidents.slice(0, INCIDENTS_MAX).map(incidentOf),
    incidentsLeftOut: Math.max(0, incidents.length - INCIDENTS_MAX),
    warnings: countsOf(events.filter(({ severity }) => severity !== 'info')),
    writeUse: writeUseOf(samples),
  };
}

const LATE_MS = 5_000;
const INCIDENTS_MAX = 200;
const INCIDENTS: ReadonlySet<string> = new Set([
  ...['operator.order', 'risk.halted', 'control.tripped', 'control.eased', 'account.conflict'],
  ...['account.swept', 'cancels.escalated', 'strategy.failed', 'trade.failed', 'ledger.state'],
  ...['order.uncancellable', 'cash.adopted', 'position.adopted'],
  'phase.changed',
]);

function isIncident({ event }: DayLineOf<'event'>): boolean {
  return INCIDENTS.has(event) || event.startsWith('kill.');
}

function incidentOf({ atMs, event, severity, fields }: DayLineOf<'event'>): Incident {
  const detail = Object.entries(fields)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
  return { atMs, event, severity, detail };
}

function countsOf(events: readonly DayLineOf<'event'>[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { event } of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

function runsOf(
  course: PastDays['course'],
  { toMs, isRunning }: Pick<DayOf, 'toMs' | 'isRunning'>,
): readonly RunOfDay[] {
  const runs: RunOfDay[] = [];
  let open: { fromMs: number | undefined; lastMs: number } | undefined;
  for (const { kind, atMs } of course) {
    if (kind === 'run') {
      if (open) runs.push({ fromMs: open.fromMs, toMs: open.lastMs, isCut: true });
      open = { fromMs: atMs, lastMs: atMs };
    } else if (kind === 'end') {
      runs.push({ fromMs: open?.fromMs, toMs: atMs, isCut: false });
      open = undefined;
    } else {
      open = { fromMs: open?.fromMs, lastMs: atMs };
    }
  }
  if (open === undefined) return runs;
  const goesOn = isRunning || open.lastMs >= toMs;
  const last = { fromMs: open.fromMs, toMs: goesOn ? undefined : open.lastMs, isCut: !goesOn };
  return [...runs, last];
}

type OpenSide = {
  countedMs: number;
  quotedMs: number;
  excludedMs: Record<string, number>;
  reasons: Record<string, number>;
};

type Samples = {
  readonly markets: Map<string, Record<Side, OpenSide>>;
  before: DayLineOf<'sample'> | undefined;
  /** The day has seen its run begin. */
  isRunKnown: boolean;
  ordersPlaced: number;
};

function presenceOf(
  course: PastDays['course'],
  past: PastDays,
): Pick<DayReport, 'presence' | 'ordersPlaced'> {
  const found: Samples = {
    ...{ markets: new Map(), before: undefined, isRunKnown: false, ordersPlaced: 0 },
  };
  for (const line of course) {
    if (line.kind === 'run') Object.assign(found, { before: undefined, isRunKnown: true });
    if (line.kind === 'sample') onSample(found, line);
  }
  const presence = [...found.markets].map(([marketId, sides]) => {
    const { title = marketId, strategy = '' } = past.markets.get(marketId) ?? {};
    return { marketId, title, strategy, ...sides };
  });
  return { presence, ordersPlaced: found.ordersPlaced };
}

/**
 * Figures of a sample count since its run began: what is between two of them is of the day. Of a run that was there
 * before the day, the first says where to count from.
 */
function onSample(found: Samples, line: DayLineOf<'sample'>): void {
  const { before, isRunKnown, markets } = found;
  found.before = line;
  if (before === undefined && !isRunKnown) {
    for (const { marketId } of line.markets) sidesOf(markets, marketId);
    return;
  }
  for (const market of line.markets) addSample(markets, market, before);
  found.ordersPlaced += Math.max(0, line.ordersPlaced - (before?.ordersPlaced ?? 0));
}

function addSample(
  found: Map<string, Record<Side, OpenSide>>,
  market: DayMarket,
  before: DayLineOf<'sample'> | undefined,
): void {
  const sides = sidesOf(found, market.marketId);
  const earlier = before?.markets.find(({ marketId }) => marketId === market.marketId);
  for (const side of ['bid', 'ask'] as const) {
    const [sum, now, then] = [sides[side], market[side], earlier?.[side]];
    sum.countedMs += Math.max(0, now.countedMs - (then?.countedMs ?? 0));
    sum.quotedMs += Math.max(0, now.quotedMs - (then?.quotedMs ?? 0));
    for (const [cause, ms] of Object.entries(now.excludedMs)) {
      const passedMs = Math.max(0, ms - (then?.excludedMs[cause] ?? 0));
      sum.excludedMs[cause] = (sum.excludedMs[cause] ?? 0) + passedMs;
    }
    if (now.reason !== undefined) sum.reasons[now.reason] = (sum.reasons[now.reason] ?? 0) + 1;
  }
}

function sidesOf(
  found: Map<string, Record<Side, OpenSide>>,
  marketId: string,
): Record<Side, OpenSide> {
  const known = found.get(marketId);
  if (known) return known;
  const fresh = { bid: openSide(), ask: openSide() };
  found.set(marketId, fresh);
  return fresh;
}

function openSide(): OpenSide {
  return { countedMs: 0, quotedMs: 0, excludedMs: {}, reasons: {} };
}

function writeUseOf(samples: readonly DayLineOf<'sample'>[]): DayReport['writeUse'] {
  const parts = samples
    .filter(({ writesMax }) => writesMax > 0)
    .map(({ writesUsed, writesMax }) => writesUsed / writesMax);
  if (parts.length === 0) return undefined;
  return {
    mean: parts.reduce((sum, part) => sum + part, 0) / parts.length,
    max: Math.max(...parts),
  };
}

/** Share of the time that counts in which a quote rested; `undefined` where no time counts. */
export function uptimeOf(sides: readonly SidePresence[]): number | undefined {
  const countedMs = sides.reduce((sum, side) => sum + side.countedMs, 0);
  const quotedMs = sides.reduce((sum, side) => sum + side.quotedMs, 0);
  return countedMs === 0 ? undefined : quotedMs / countedMs;
}
