// What the core is told: each input is taken in here, and nothing is decided. Where an answer says that something
// is not known, the read that knows it is hastened.

import { unreachable } from '../../domain/assert.ts';
import { shortHash } from '../../domain/hash.ts';
import type { CoreSettings, Input } from '../../domain/input.ts';
import type { ChainMessage, MessageOf, VenueMessage } from '../../domain/message.ts';
import { addMs } from '../../domain/time.ts';
import { onBalances } from '../account/balances.ts';
import { onTradeFailed } from '../account/busts.ts';
import { noteUnclaimed, waitsForMarkets } from '../account/early-updates.ts';
import { onTradeSettled, onTrades } from '../account/fills.ts';
import { markExternal } from '../account/own-scope.ts';
import { reportFailedRead } from '../account/reads.ts';
import { restoreState } from '../account/restore.ts';
import { askAnew } from '../book/resync.ts';
import { onBookRead } from '../book/watch.ts';
import { onFair, onFairFault } from '../fair/external.ts';
import { ORDER_WRITES_OF_WINDOW_MAX } from '../kernel/bounds.ts';
import { type Reloaded, reloaded } from '../quoting/params.ts';
import { cancelScopeOf } from '../risk/beyond-limits.ts';
import { onClockOffset } from '../risk/breakers.ts';
import { areLowered, loweredAt } from '../risk/controls.ts';
import { onPlacedAhead } from '../sending/ahead.ts';
import { onFired } from '../sending/writer.ts';
import { onResolution, onSetsAnswer, onSetsOrder } from '../sets/sets.ts';
import { onCancelled, onPlaced, onReadAnswered } from './answers.ts';
import { alignMarkets, dropLeftMarkets } from './catalogue.ts';
import { onUnquotedAnswer } from './external-orders.ts';
import * as feed from './feed.ts';
import { onOpenOrders } from './lists.ts';
import { onOperator } from './market-stops.ts';
import type { EngineStores } from './session.ts';
import type { SessionStores } from './stores.ts';
import { askConditionsAgain } from './watch-controls.ts';

/** While anything is uncertain balances are read so much sooner than by their period. */
const UNCERTAIN_READ_MS = 750;

type Answer = MessageOf<'placed' | 'cancelled' | 'setsChanged' | 'resolutionRead'>;

/** The only place where books, orders and positions change by what is told. */
export function ingest(stores: EngineStores, input: Input): void {
  if (!isOfBooks(input)) stores.outbox.changes += 1;
  switch (input.kind) {
    case 'settings':
      takeSettings(stores, input.settings);
      break;
    case 'venue':
      onMessage(stores, input.message);
      break;
    case 'operator':
      onOperator(stores, input.order);
      break;
    case 'tick':
      break;
    case 'sets':
      onSetsOrder(stores, input.order);
      stores.reads.hasten('balances', stores.nowMs);
      break;
    case 'fair':
      onFair(stores, input);
      break;
    case 'fairFault':
      onFairFault(stores, input);
      break;
    case 'restored':
      takePersisted(stores, input);
      break;
    case 'fired':
      onFired(stores, input);
      break;
    case 'placedAhead':
      onPlacedAhead(stores, input);
      break;
    case 'ledger':
      takeLedger(stores, input.fault);
      break;
    default:
      unreachable(input);
  }
}

/** It changes what one book says, and nothing that orders of another market are admitted by. */
function isOfBooks(input: Input): boolean {
  if (input.kind !== 'venue') return input.kind === 'tick';
  return BOOK_MESSAGES.includes(input.message.kind);
}

const BOOK_MESSAGES: readonly VenueMessage['kind'][] = [
  'bookDelta',
  'bookSnapshot',
  'bookRead',
  'bookUnreadable',
  'trade',
];

function takeSettings(stores: EngineStores, settings: CoreSettings): void {
  const result = applySettings(stores, settings);
  align(stores);
  afterAlign(stores, result);
  askConditionsAgain(stores);
}

function takePersisted(
  stores: EngineStores,
  { persisted }: Extract<Input, { kind: 'restored' }>,
): void {
  restoreState(stores, persisted);
  for (const market of stores.markets.values()) stores.workQueue.onTouched(market);
  if (persisted.pause) stores.session.restorePause(persisted.pause);
  if (persisted.halt) stores.session.restoreHalt(persisted.halt);
  askConditionsAgain(stores);
}

/** Without a ledger nothing is placed and quotes are pulled; cancels need none. */
function takeLedger(stores: EngineStores, fault: string | undefined): void {
  if (stores.gate.ledgerFault === fault) return;
  stores.gate.ledgerFault = fault;
  stores.outbox.report({ event: 'ledger.state', fault: fault ?? '' });
  for (const market of stores.markets.values()) market.isDirty = true;
  stores.session.update();
}

function align(stores: EngineStores): void {
  if (alignMarkets(stores)) subscribe(stores);
}

function subscribe(stores: EngineStores): void {
  const depth = stores.settings?.book.depth;
  if (depth === undefined) return;
  stores.outbox.send({ kind: 'subscribe', tokenIds: [...stores.byToken.keys()], depth });
  feed.onSubscribed(stores, 'the subscription was renewed');
}

function onMessage(stores: EngineStores, message: VenueMessage): void {
  switch (message.kind) {
    case 'socketOpened':
    case 'socketLost':
    case 'authenticated':
    case 'authRefused':
      takeConnection(stores, message);
      return;
    case 'catalogue':
      takeCatalogue(stores, message.outcome);
      return;
    case 'bookSnapshot':
    case 'bookDelta':
    case 'bookUnreadable':
      feed.onBook(stores, message);
      return;
    case 'trade':
      feed.onTrade(stores, message);
      return;
    case 'positionUpdate':
    case 'summaryUpdate':
      stores.reads.hastenAtPace('balances', stores.nowMs);
      return;
    case 'marketStatus':
      if (feed.onMarketStatus(stores, message)) stores.reads.hasten('catalogue', stores.nowMs);
      return;
    case 'orderUpdate':
      takeOrderUpdate(stores, message.update);
      return;
    case 'tradeSettled':
    case 'tradeFailed':
      if (!waitsForMarkets(stores, message)) onChain(stores, message);
      return;
    case 'setsChanged':
    case 'resolutionRead':
    case 'placed':
    case 'cancelled':
      takeAnswer(stores, message);
      return;
    case 'openOrders':
      onOpenOrders(stores, message);
      return;
    case 'balances':
      takeBalances(stores, message);
      return;
    case 'trades':
      takeTrades(stores, message);
      return;
    case 'bookRead':
      onBookRead(stores, message);
      return;
    case 'clockOffset':
      onClockOffset(stores, message);
      return;
    case 'unrecognised': {
      const { frameType, detail } = message;
      stores.outbox.report({ event: 'frame.unrecognised', frameType, detail });
      return;
    }
    default:
      unreachable(message);
  }
}

function takeAnswer(stores: EngineStores, message: Answer): void {
  if (message.kind === 'placed') onPlaced(stores, message);
  else if (message.kind === 'resolutionRead') onResolution(stores, message);
  else if (message.kind === 'setsChanged') {
    onSetsAnswer(stores, message.requestId, message.outcome);
    stores.reads.hasten('balances', stores.nowMs);
  } else if (!onUnquotedAnswer(stores, message)) onCancelled(stores, message);
}

function takeConnection(
  stores: EngineStores,
  message: MessageOf<'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused'>,
): void {
  feed.onConnection(stores, message);
  if (message.kind !== 'authenticated') return;
  // What happened while nobody reported us is in the lists.
  stores.reads.hasten('orders', stores.nowMs);
  stores.reads.hasten('balances', stores.nowMs);
  hastenTrades(stores);
}

function hastenTrades(stores: EngineStores): void {
  const { history, nowMs } = stores;
  if (!history.isUnreadable) stores.reads.hasten('trades', nowMs);
}

function takeCatalogue(stores: EngineStores, outcome: MessageOf<'catalogue'>['outcome']): void {
  stores.reads.onAnswer('catalogue', undefined, outcome.kind === 'ok', stores.nowMs);
  if (outcome.kind !== 'ok') {
    reportFailedRead(stores, 'catalogue', outcome);
    return;
  }
  stores.catalogue = outcome.value;
  align(stores);
  for (const message of stores.earlyChain.splice(0)) onChain(stores, message);
}

/** What became of matched shares, and where that is not clear the balances say it. */
function onChain(stores: EngineStores, message: ChainMessage): void {
  const hasFailed = message.kind === 'tradeFailed';
  if (hasFailed) onTradeFailed(stores, message);
  const isUnnamed = !hasFailed && onTradeSettled(stores, message);
  if (isUnnamed || hasFailed) stores.reads.hasten('balances', stores.nowMs);
  if (hasFailed) stores.reads.hasten('orders', stores.nowMs);
}

function takeOrderUpdate(stores: EngineStores, update: MessageOf<'orderUpdate'>['update']): void {
  const market = stores.byToken.get(update.tokenId)?.market;
  if (market) market.isDirty = true;
  // News that overtakes its placement's answer is common and confirms nothing: the next list of its
  // period settles what no answer has named by then.
  stores.ledger.onUpdate(update, stores.nowMs);
  if (noteUnclaimed(stores, update.orderHash)) stores.reads.hasten('orders', stores.nowMs);
}

function takeTrades(stores: EngineStores, message: MessageOf<'trades'>): void {
  const { outcome, requestId, askedAtMs } = message;
  if (onTrades(stores, outcome, askedAtMs)) stores.reads.hasten('balances', stores.nowMs);
  const isOver = outcome.kind === 'ok' || stores.history.isUnreadable;
  stores.reads.onAnswer('trades', requestId, isOver, stores.nowMs);
}

function takeBalances(stores: EngineStores, message: MessageOf<'balances'>): void {
  const { outcome, requestId, askedAtMs } = message;
  stores.reads.onAnswer('balances', requestId, outcome.kind === 'ok', stores.nowMs);
  onReadAnswered(stores, outcome, askedAtMs);
  if (outcome.kind !== 'ok') {
    reportFailedRead(stores, 'balances', outcome);
    return;
  }
  onBalances(stores, outcome.value, askedAtMs);
  const isUncertain = stores.positions.uncertainTokens.size > 0;
  if (isUncertain) stores.reads.hasten('balances', addMs(stores.nowMs, UNCERTAIN_READ_MS));
  // What moved the cash may be a settlement whose frame is lost.
  if (!stores.cash.agrees) hastenTrades(stores);
}

/** Drops markets that left; one that comes back on another grid does so at once. */
export function dropLeft(stores: EngineStores): void {
  if (!dropLeftMarkets(stores)) return;
  alignMarkets(stores);
  subscribe(stores);
  // Its tokens are subscribed as they were, and nothing would bring its books.
  for (const tokenId of stores.regridded.keys()) {
    const place = stores.byToken.get(tokenId);
    if (place !== undefined) askAnew(stores, place.market);
  }
}

// Takes new settings into the running core: what waits for a restart keeps its running value, and the
// set that is in force then has a name.

/** Before the markets are brought in line with the new settings. */
function applySettings(stores: SessionStores, next: CoreSettings): Reloaded {
  const result = reloaded(stores.settings, next, stores.strategies);
  const { settings } = result;
  if (areLowered(stores.settings?.risk, settings.risk)) {
    stores.lowered = loweredAt(stores.nowMs);
  }
  const scope = cancelScopeOf(stores);
  stores.settings = settings;
  const version = shortHash(settings);
  if (version !== stores.settingsVersion) {
    stores.outbox.record({
      kind: 'settings',
      applied: { version, appliedAtMs: stores.nowMs, settings },
    });
  }
  stores.settingsVersion = version;
  // While it stays the same, what was taken for ours by likeness stays ours.
  if (cancelScopeOf(stores) !== scope) markExternal(stores);
  stores.budget.setPerWindow(Math.min(settings.orders.writesPer10s, ORDER_WRITES_OF_WINDOW_MAX));
  stores.outbox.report({
    event: 'settings.applied',
    markets: settings.markets.length,
    version: stores.settingsVersion,
  });
  return result;
}

/** After it: every market is decided about anew, and some move at once. */
function afterAlign(stores: SessionStores, { movesAtOnce, pending }: Reloaded): void {
  for (const market of stores.markets.values()) {
    const { choice, desk } = market;
    market.isDirty = true;
    desk.movesAtOnce ||= movesAtOnce.has(choice);
    desk.pendingParams = pending.get(choice) ?? [];
  }
}
