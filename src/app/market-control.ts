// Stops and resumes of single markets, as an operator names them: which markets are meant, and what came of it.

import { type MarketId, marketId } from '../domain/ids.ts';
import type { MarketOrder } from '../domain/input.ts';
import type { Timers } from '../domain/time.ts';
import { type MarketView, NO_MARKETS, type StoppedMarketView } from '../domain/view.ts';
import type { MarketAsk } from '../telemetry/http-operator.ts';
import type { DaemonParts } from './compose.ts';
import { ControlRefused, NOT_QUOTED } from './control-refused.ts';

/** What came of it. */
export type MarketDone = {
  readonly markets: readonly MarketId[];
  /** Of a kill: nothing of ours rests there, or may still arrive. */
  readonly isConfirmed: boolean;
};

type Desk = Pick<DaemonParts, 'view'> & {
  readonly record: Pick<DaemonParts['record'], 'add'>;
  readonly loop: Pick<DaemonParts['loop'], 'post'>;
  readonly timers: Timers;
  /** It was asked of a daemon that was starting. */
  readonly isEarly?: boolean;
};

const LOOK_MS = 100;
/** A machine that is busy may take longer; a refusal is no sooner certain. */
const EFFECT_MS_MAX = 2_000;
/** A confirmation takes a cancel and a list; whoever asked over HTTP waits four seconds. */
const CONFIRMED_MS_MAX = 3_000;

/** A start has read the catalogue by then, twice where an event failed at first, or has no such market. */
const KNOWN_MS_MAX = 150_000;

/** @throws {ControlRefused} When no such market is known, or nothing comes of it. */
export async function askOfMarket(ask: MarketAsk, desk: Desk): Promise<MarketDone> {
  const isKnown = () =>
    (desk.isEarly === true ? marketsNamed(ask, desk) : desk.view().markets).length > 0;
  // What a start is told before it knows the market would be lost with the answer that there is none.
  if (ask.order !== 'resume' && !isKnown()) await until(desk, KNOWN_MS_MAX, isKnown);
  const markets = marketsNamed(ask, desk);
  if (markets.length === 0) {
    const detail = `no market or event ${ask.market} is quoted here`;
    const { by, order: action, market: target } = ask;
    desk.record.add({ by, action, target, result: 'refused', detail });
    throw new ControlRefused(`no ${ask.order}: ${detail}`, { kind: NOT_QUOTED });
  }
  const heldBefore = new Set(heldMarkets(desk));
  const before = new Set(stops(desk).map(nameOf));
  for (const id of markets) desk.loop.post({ kind: 'operator', order: orderOf(ask, id) });
  if (ask.order === 'resume') return await resumed(markets, { desk, heldBefore });
  await until(desk, EFFECT_MS_MAX, () => isStopped(ask, markets, desk));
  if (!isStopped(ask, markets, desk)) {
    throw new ControlRefused(`no ${ask.order}: the core has not taken it up`);
  }
  if (ask.order === 'pause') return { markets, isConfirmed: false };
  // One that was confirmed before is begun anew.
  const isConfirmed = () => areConfirmed(markets, desk, before);
  await until(desk, CONFIRMED_MS_MAX, isConfirmed);
  return { markets, isConfirmed: isConfirmed() };
}

function orderOf({ order, by }: MarketAsk, id: MarketId): MarketOrder {
  if (order === 'resume') return { kind: 'resumeMarket', by, marketId: id };
  return { kind: 'stopMarket', by, marketId: id, stop: order };
}

/** A market by its id, stopped ones that are quoted no more among them; or all that are quoted of an event. */
function marketsNamed({ market, order }: MarketAsk, desk: Desk): readonly MarketId[] {
  const stopped = stops(desk).filter(({ marketId: id }) => id === market);
  if (order === 'resume' && stopped.length > 0) return [marketId(market)];
  const shown = desk.view().markets;
  const byId = shown.filter((each) => each.marketId === market);
  const found = byId.length > 0 ? byId : shown.filter((each) => isOfEvent(each, market));
  return found.map(({ marketId: id }) => id);
}

function isOfEvent({ eventId, eventSlug }: MarketView, name: string): boolean {
  return eventSlug === name || eventId === name;
}

async function resumed(
  markets: readonly MarketId[],
  { desk, heldBefore }: { readonly desk: Desk; readonly heldBefore: ReadonlySet<string> },
): Promise<MarketDone> {
  const wanted = markets.filter((id) => heldBefore.has(id));
  if (wanted.length === 0) throw new ControlRefused('not resumed: nothing holds it alone');
  const left = () => stops(desk).filter(({ marketId: id }) => wanted.includes(id));
  await until(desk, EFFECT_MS_MAX, () => left().length === 0);
  const [still] = left();
  if (still === undefined) return { markets: wanted, isConfirmed: false };
  throw new ControlRefused(
    `not resumed: the ${still.stop} of ${still.marketId} is not confirmed yet`,
  );
}

function isStopped({ order }: MarketAsk, markets: readonly MarketId[], desk: Desk): boolean {
  const known = new Map(stops(desk).map((each) => [each.marketId, each.stop]));
  // A kill is more than a pause.
  return markets.every((id) => known.get(id) === order || known.get(id) === 'kill');
}

function areConfirmed(
  markets: readonly MarketId[],
  desk: Desk,
  before: ReadonlySet<string>,
): boolean {
  const confirmed = stops(desk).filter((each) => each.isConfirmed && !before.has(nameOf(each)));
  return markets.every((id) => confirmed.some((each) => each.marketId === id));
}

function nameOf({ marketId: id, stop, sinceMs }: StoppedMarketView): string {
  return `${stop} ${sinceMs} ${id}`;
}

function stops({ view }: Desk): readonly StoppedMarketView[] {
  return view(NO_MARKETS).stoppedMarkets ?? [];
}

/** Those that something holds which is of that market alone. */
function heldMarkets({ view }: Desk): readonly string[] {
  return (view(NO_MARKETS).risk?.latches ?? []).map(({ scope }) => scope);
}

async function until({ timers }: Desk, withinMs: number, isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += LOOK_MS) {
    await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
    if (isSo()) return;
  }
}
