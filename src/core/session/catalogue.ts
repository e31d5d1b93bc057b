// From the operator's choices and the venue's catalogue to the markets we quote.

import { shortHash } from '../../domain/hash.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { CoreSettings, MarketChoice } from '../../domain/input.ts';
import { type Event, LEGS, type Market, marketCount } from '../../domain/market.ts';
import { isCommitted, isOnBook } from '../../domain/order.ts';
import type { UnixMs } from '../../domain/time.ts';
import { fixStart } from '../account/balances.ts';
import { isNobodys, recordOrders, storedOrder } from '../account/records.ts';
import { restoreOrders } from '../account/restore.ts';
import type { AccountStores } from '../account/stores.ts';
import { reopen } from '../book/market.ts';
import { askAnew, doubt } from '../book/resync.ts';
import type { KernelStores } from '../kernel/stores.ts';
import { SETTLEMENT_MS } from '../orders/deadlines.ts';
import { isUncancellable, type OwnOrder } from '../orders/own-order.ts';
import type { OrderStores } from '../orders/stores.ts';
import type { PositionStores } from '../positions/stores.ts';
import type { UncertainItem } from '../positions/unsettled.ts';
import type { ReasonText } from '../quoting/market.ts';
import { loweredAt } from '../risk/controls.ts';
import { MarketFlows } from '../risk/market.ts';
import { MarketState } from '../sending/market.ts';
import { takeUpStops } from './market-stops.ts';
import type { SessionStores } from './stores.ts';

type Wanted = { readonly event: Event; readonly market: Market; readonly choice: MarketChoice };

/**
 * Brings the markets in line with settings and catalogue. Known markets keep their books, orders
 * and flows; one that is no longer chosen leaves when nothing of it is live.
 * @returns Whether the set of tokens to subscribe to has changed.
 */
export function alignMarkets(stores: SessionStores): boolean {
  const { settings, catalogue } = stores;
  if (settings === undefined || catalogue === undefined) return false;
  const before = new Map(stores.unlisted);
  stores.unlisted.clear();
  const wanted = wantedMarkets(stores, settings, catalogue);
  const ids = new Set(wanted.map((each) => each.market.id));
  for (const state of stores.markets.values()) {
    if (ids.has(state.market.id)) continue;
    // Wanted as before: a listing may lack it for a moment only.
    const isWanted = settings.markets.includes(state.choice);
    if (isWanted && !state.isLeaving) stores.reads.onListedClosed(stores.nowMs);
    leave(state);
    lookAtListing(stores, catalogue, state);
  }
  let hasChanged = false;
  for (const each of wanted) {
    if (alignMarket(stores, settings, each)) hasChanged = true;
  }
  for (const [choice, now] of [...stores.unlisted]) {
    const known = before.get(choice);
    // The read of its event may have failed at a start: the next one need not wait a whole period.
    if (known === undefined) stores.reads.onListedClosed(stores.nowMs);
    else stores.unlisted.set(choice, { ...now, sinceMs: known.sinceMs });
  }
  return hasChanged;
}

/**
 * Frames are read by the catalogue, whatever it calls a market. Those of tokens that it lacks, or has on another
 * grid, are lost, and until the market has left its books value its shares, or are quoted from again.
 */
function lookAtListing(
  stores: SessionStores,
  catalogue: readonly Event[],
  state: MarketState,
): void {
  const { tokenId } = state.market.yes;
  const isOfIt = (market: Market) => LEGS.some((leg) => market[leg].tokenId === tokenId);
  const listed = catalogue.find(({ markets }) => markets.some(isOfIt));
  const isOffGrid = listed !== undefined && listed.grid.tickSize !== state.grid.tickSize;
  state.isOffGrid = isOffGrid || state.isRegridding;
  if (listed !== undefined && !isOffGrid) return;
  const detail = isOffGrid ? 'its tick size has changed' : 'its market is not in the catalogue';
  for (const leg of LEGS) {
    if (state.trust[leg].state === 'trusted')
      doubt(stores, state.places[leg], 'unreadable', detail);
  }
}

/** Drops markets that left and have nothing live any more. @returns Whether any was dropped. */
export function dropLeftMarkets(stores: SessionStores): boolean {
  let hasDropped = false;
  stores.regridded.clear();
  for (const state of stores.workQueue.leaving) {
    if (hasLive(stores, state)) continue;
    endLeft(stores, state);
    // Orders may have told their end in this very step, and only the market says what their prices mean.
    recordOrders(stores);
    handOverStuck(stores, state);
    // Reports of them are of another grid now, and say that something traded, but not at what price.
    if (state.isRegridding) {
      stores.ledger.forgetEnded(state.market.id);
      const { live, doubt } = state;
      stores.regridded.set(state.market.yes.tokenId, { live, doubt });
    }
    const { id } = state.market;
    stores.workQueue.forget(state);
    stores.trust.forget(state);
    // What it made up for in the other outcomes of its event rests without that.
    if (state.choice.isExclusive === true) stores.lowered = loweredAt(stores.nowMs);
    stores.risk.drop(state, stores.positions);
    stores.markets.delete(id);
    stores.marketsVersion += 1;
    stores.capital.drop(id);
    stores.byToken.delete(state.market.yes.tokenId);
    stores.byToken.delete(state.market.no.tokenId);
    if (isUntraded(state)) forgetFlows(stores, id);
    else keepTokens(stores, state);
    hasDropped = true;
  }
  return hasDropped;
}

/** Nothing was bought or held, for sure: profit of a later return begins where it would have begun anyway. */
function isUntraded({ flows, isRegridding }: MarketState): boolean {
  const { cashNano, fills, start } = flows;
  const heldNothing = start === undefined || (start.yes === 0 && start.no === 0);
  return !isRegridding && fills === 0 && cashNano === 0 && heldNothing;
}

/** What settles of it later cost something, too, and a later return goes on with its profit. */
function keepTokens({ leftTokens }: AccountStores, { market }: MarketState): void {
  leftTokens.set(market.yes.tokenId, market.id);
  leftTokens.set(market.no.tokenId, market.id);
}

/** Markets come and go for years; only those that were traded are worth a note for ever. */
function forgetFlows(stores: AccountStores, marketId: MarketId): void {
  stores.flows.delete(marketId);
  stores.touched.flows.delete(marketId);
  stores.written.flows.delete(marketId);
}

function wantedMarkets(
  stores: SessionStores,
  settings: CoreSettings,
  catalogue: readonly Event[],
): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  const seen = new Map<Event, Event>();
  for (const choice of settings.markets) {
    const listed = catalogue.find((each) => each.slug === choice.event || each.id === choice.event);
    const event = listed && (seen.get(listed) ?? withVanished(stores, listed));
    if (listed && event) seen.set(listed, event);
    const markets = event?.markets.filter(
      (market) => choice.market === undefined || market.id === choice.market,
    );
    if (event === undefined || markets === undefined || markets.length === 0) {
      reportUnknown(stores, choice);
      continue;
    }
    for (const market of markets) wanted.set(market.id, { event, market, choice });
  }
  return [...wanted.values()];
}

/** What the socket said last of a market is known until it has left. */
function withVanished({ vanished, markets }: SessionStores, listed: Event): Event {
  return vanished.noted(listed, (id) => markets.get(id)?.live.status === 'resolved');
}

function reportUnknown(stores: SessionStores, choice: MarketChoice, hasStrategy = true): void {
  const text = choice.market === undefined ? choice.event : `${choice.event} / ${choice.market}`;
  stores.outbox.report({ event: 'market.unknown', choice: text });
  stores.unlisted.set(text, { ...(hasStrategy ? UNLISTED : UNLOADED), sinceMs: stores.nowMs });
}

const UNLISTED: ReasonText = {
  code: 'market_unlisted',
  detail: 'the venue lists no event or market of this name',
  clears: 'a right name under `markets` (see `bookend markets`), or the venue lists it',
};
const UNLOADED: ReasonText = {
  code: 'strategy_unloaded',
  detail: 'its strategy was not loaded when the daemon started',
  clears: 'a restart',
};

function alignMarket(stores: SessionStores, settings: CoreSettings, wanted: Wanted): boolean {
  const { event, market, choice } = wanted;
  const strategy = stores.strategies.get(choice.strategy);
  if (strategy === undefined) {
    reportUnknown(stores, choice, false);
    return false;
  }
  const known = stores.markets.get(market.id);
  if (known !== undefined) {
    if (known.grid.tickSize === event.grid.tickSize && hasSameTokens(known, market)) {
      // What rests was within limits by what one outcome makes up for in another.
      if (losesHedge(known, event, choice)) stores.lowered = loweredAt(stores.nowMs);
      refresh(stores, known, { event, market, choice });
      known.strategy = strategy;
    } else {
      startRegrid(stores, known, event);
    }
    return false;
  }
  // Of another name by now: it comes when the one that had its tokens has left, and is stopped as that was.
  if (LEGS.some((leg) => stores.byToken.get(market[leg].tokenId) !== undefined)) return false;
  takeUpStops(stores, market);
  const state = new MarketState({ event, market, choice, strategy }, stores.workQueue, {
    depth: settings.book.depth,
    flows: flowsOf(stores, market.id),
  });
  state.isDirty = true;
  state.desk.paramsVersion = versionOf(choice);
  Object.assign(state, stores.regridded.get(market.yes.tokenId));
  if (stores.risk.endsHedge(state)) stores.lowered = loweredAt(stores.nowMs);
  stores.markets.set(market.id, state);
  stores.marketsVersion += 1;
  stores.byToken.set(market.yes.tokenId, state.places.yes);
  stores.byToken.set(market.no.tokenId, state.places.no);
  restoreOrders(stores, state);
  fixStart(stores, state);
  stores.outbox.report({ event: 'market.listed', market: market.id, tokens: 2 });
  return true;
}

/** Outcomes may come true together from now on, or another one instead of all that are known. */
function losesHedge(known: MarketState, event: Event, choice: MarketChoice): boolean {
  if (known.choice.isExclusive !== true) return false;
  return choice.isExclusive !== true || marketCount(event) > marketCount(known.event);
}

/**
 * A new tick size is a new grid: live orders and books mean something else on it. The market leaves
 * with the old one, and comes back on the new one when nothing of the old is live any more but what
 * the venue refuses to cancel.
 */
function startRegrid(stores: KernelStores, known: MarketState, event: Event): void {
  if (known.isRegridding) return;
  known.isRegridding = true;
  known.isOffGrid = true;
  leave(known);
  stores.outbox.report({
    event: 'market.tick_size',
    marketId: known.market.id,
    tickSize: event.grid.tickSize,
  });
}

/** Cash and fills of a market outlive its state, so that profit does not start anew. */
function flowsOf(stores: AccountStores, marketId: MarketId): MarketFlows {
  const known = stores.flows.get(marketId);
  if (known) return known;
  const flows = new MarketFlows();
  stores.flows.set(marketId, flows);
  return flows;
}

function refresh(
  stores: AccountStores,
  state: MarketState,
  { event, market, choice }: Wanted,
): void {
  const wasListed = isListedOpen(state);
  state.event = event;
  state.market = market;
  if (!wasListed && isListedOpen(state)) {
    reopen(stores, state, 'the catalogue lists it as open again');
    askAnew(stores, state);
  }
  if (wasListed && !isListedOpen(state) && market.status !== 'resolved') {
    stores.reads.onListedClosed(stores.nowMs);
  }
  if (state.choice !== choice) state.desk.paramsVersion = versionOf(choice);
  state.choice = choice;
  // What was lost while it was leaving is asked for at once.
  if (state.isLeaving) askAnew(stores, state);
  // A market that changes its grid leaves first, whatever the settings say.
  state.isLeaving = state.isRegridding;
  state.isOffGrid = state.isRegridding;
  state.isDirty = true;
}

function isListedOpen({ event, market }: Pick<Wanted, 'event' | 'market'>): boolean {
  return event.status === 'open' && market.status === 'open' && market.enableOrderBook;
}

/** The same for two markets that are quoted alike, whatever they are. */
function versionOf({ strategy, params, overlays }: MarketChoice): string {
  return shortHash({ strategy, params, overlays });
}

function leave(state: MarketState): void {
  if (state.isLeaving) return;
  state.isLeaving = true;
  state.isDirty = true;
}

function hasSameTokens(state: MarketState, market: Market): boolean {
  return (
    state.market.yes.tokenId === market.yes.tokenId && state.market.no.tokenId === market.no.tokenId
  );
}

/** The user channel tells how much of an order had traded within moments of its end, or not at all. */
const TOLD_BY_MS = 10_000;

/** Orders that may trade or rest, or that ended a moment ago and whose last fill nobody has told yet. */
function hasLive(stores: PositionStores, state: MarketState): boolean {
  const { ledger, refusals } = stores;
  const { id } = state.market;
  for (const order of ledger.ofMarket(id)) {
    if (!isLetGo(state, order) && !isStuck(state, order)) return true;
  }
  if (refusals.ofMarket(id).length > 0) return true;
  return hasUnsettled(stores, state);
}

/**
 * Somebody else's, which nobody here ends: a list that shows it knows it without its market, or on the new grid.
 * There what has matched settles as shares, and no quote waits for it.
 */
function isLetGo({ isRegridding }: MarketState, { isOfOthers, state }: OwnOrder): boolean {
  return isCommitted(state) ? isRegridding : isOfOthers;
}

/** The next list meets what is somebody else's anew. */
function endLeft({ ledger, nowMs }: OrderStores, state: MarketState): void {
  for (const order of [...ledger.ofMarket(state.market.id)]) {
    const signal = isCommitted(order.state) ? 'filled' : 'confirmedAbsent';
    if (isLetGo(state, order)) ledger.signal(order, signal, nowMs);
  }
}

/** What the venue refuses to cancel may rest for days, and no quote would stand beside it until then. */
function isStuck({ isRegridding }: MarketState, order: OwnOrder): boolean {
  return isRegridding && isUncancellable(order) && isOnBook(order.state);
}

/** It waits for its market, which counts it on the new grid: at its price, or the next tick that costs its owner more. */
function handOverStuck(stores: AccountStores, state: MarketState): void {
  for (const order of [...stores.ledger.ofMarket(state.market.id)]) {
    if (!isStuck(state, order)) continue;
    const { ticksPerUnit } = state.grid;
    stores.restored.stay(storedOrder(order, ticksPerUnit, isNobodys(stores, order)));
    stores.ledger.handOver(order);
  }
}

/**
 * The chain has yet to say what became of a match: a frame that does not name its token is taken in by none
 * but its market, and what failed is reversed there; and only its market counts what the last report of an
 * order says has traded. On another grid it is the same market.
 * @spec Settlement outcome
 */
function hasUnsettled({ positions, nowMs }: PositionStores, state: MarketState): boolean {
  if (state.isRegridding) return false;
  return LEGS.some((leg) => {
    const tokenId = state.tokenOf(leg);
    const isSettling = positions.pending(tokenId).some(({ atMs }) => nowMs - atMs < SETTLEMENT_MS);
    return isSettling || isToBeTold(positions.uncertain(tokenId), nowMs);
  });
}

function isToBeTold(items: readonly UncertainItem[], nowMs: UnixMs): boolean {
  return items.some(({ cause, sinceMs }) => cause === 'order_end' && nowMs - sinceMs < TOLD_BY_MS);
}
