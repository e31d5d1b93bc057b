// The deterministic core: `step` is told one input and answers with commands. No clock, no I/O, no
// promise; the same inputs give the same commands, bit for bit.
//
// Inputs from the venue are only taken in; decisions are made on a tick. The loop gives a tick after
// each batch of messages, so that a strategy runs at most once per market and batch.

import { unreachable } from '../domain/assert.ts';
import type { Command } from '../domain/command.ts';
import type { CoreSettings, Input } from '../domain/input.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { QuotesPreview } from '../domain/preview.ts';
import { addMs } from '../domain/time.ts';
import type { PickMarkets, StateView } from '../domain/view.ts';
import type { Json, Strategy } from '../strategy/index.ts';
import { reportAnomaly } from './account/anomaly.ts';
import { onBalances } from './account/balances.ts';
import { onTradeFailed } from './account/busts.ts';
import { takeEarlyChain, waitsForMarkets } from './account/early-chain.ts';
import { noteUnclaimed } from './account/early-updates.ts';
import { onExecuted, onTradeSettled } from './account/fills.ts';
import { noteAnswer, Reads, reportFailedRead } from './account/reads.ts';
import { flushRecords, touchOrder } from './account/records.ts';
import { onTrades } from './account/recovered.ts';
import { onOtherQuantity } from './account/restated.ts';
import { restoreState } from './account/restore.ts';
import { onAcknowledged, onBookRead, watchBooks } from './book/watch.ts';
import { onFair, onFairFault } from './fair/input.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { closeReported, doubtEnd, doubtUnclear } from './positions/doubt.ts';
import { armTouched } from './quoting/arms.ts';
import { accountReason } from './quoting/gate.ts';
import { previewOf } from './quoting/preview/preview.ts';
import { dueGroups, replan } from './quoting/quoter.ts';
import { cutBeyond } from './risk/beyond-limits.ts';
import { onClockOffset } from './risk/clock.ts';
import { passTo } from './risk/clock-jumps.ts';
import { askConditionsAgain } from './risk/reload.ts';
import { onFired } from './sending/fired.ts';
import { sendCancels, sendPlacements } from './sending/writer.ts';
import { onCancelled, onOpenOrders, onPlaced, type Parts } from './session/answers.ts';
import { afterAlign, applySettings } from './session/apply-settings.ts';
import { alignMarkets, dropLeftMarkets, subscribedTokens } from './session/catalogue.ts';
import { cancelUnquoted, onUnquotedAnswer } from './session/external-orders.ts';
import * as feed from './session/feed.ts';
import { onOperator } from './session/market-stops.ts';
import { keepDeadlines } from './session/past-deadline.ts';
import { Session } from './session/session.ts';
import { viewOf } from './session/view.ts';
import { watchControls } from './session/watch-controls.ts';
import { recycleSets } from './sets/recycling.ts';
import { askResolutions, onResolution } from './sets/resolutions.ts';
import { onSetsAnswer, onSetsOrder } from './sets/sets.ts';
import { type ChainMessage, World } from './world.ts';

/** While anything is uncertain balances are read so much sooner than by their period. */
const UNCERTAIN_READ_MS = 750;

export type EngineOptions = { readonly strategies: ReadonlyMap<string, Strategy> };

export interface Engine {
  /** Takes in one input and answers with everything it leads to, in order. */
  step(input: Input): readonly Command[];
  /** A snapshot for people and metrics, of all markets or those picked; it changes nothing. */
  view(pick?: PickMarkets): StateView;
  /** What other settings would do at this moment; it changes nothing. */
  preview(settings: CoreSettings): QuotesPreview;
  /** Memories of strategies by name and market or event, for a journal to keep. */
  memories(): Readonly<Record<string, Json>>;
  /** Takes over what a journal kept of a previous run; what is no memory is left out. */
  loadMemories(stored: Readonly<Record<string, unknown>>): void;
}

export function createEngine(options: EngineOptions): Engine {
  return new CoreEngine(options);
}

class CoreEngine implements Engine {
  readonly #world: World;
  readonly #session: Session;
  readonly #reads = new Reads();
  readonly #parts: Parts;

  constructor(options: EngineOptions) {
    this.#world = new World(options.strategies, {
      onMoved: (order, from, signal) => {
        feed.reportMove(this.#world, order, from, signal);
        if (from === 'resting') this.#world.trust.delay.forget(order);
        if (signal === 'expired') this.#world.expiry.onEnded(order, this.#world.nowMs);
        if (signal === 'ack' && order.state === 'resting') onAcknowledged(this.#world, order);
      },
      isEndOfDate: (order) => this.#world.expiry.isEndOf(order, this.#world.nowMs),
      onChanged: (order) => touchOrder(this.#world, order),
      onExecuted: (order, quantity) => {
        this.#world.trust.delay.forget(order);
        onExecuted(this.#world, order, quantity);
      },
      onOtherQuantity: (order, quantity) => onOtherQuantity(this.#world, order, quantity),
      onUnclear: (order) => doubtUnclear(this.#world, order),
      onReported: (order) => closeReported(this.#world, order),
      onEndUnreported: (order) => doubtEnd(this.#world, order),
      onAnomaly: (order, signal, detail) => {
        reportAnomaly(this.#world, order, signal, detail);
        this.#reads.hasten('orders', this.#world.nowMs);
      },
    });
    this.#session = new Session(this.#world);
    this.#parts = { world: this.#world, session: this.#session, reads: this.#reads };
  }

  step(input: Input): readonly Command[] {
    passTo(this.#world, input.atMs);
    this.#haveLeft();
    switch (input.kind) {
      case 'settings':
        this.#onSettings(input.settings);
        break;
      case 'venue':
        this.#onMessage(input.message);
        break;
      case 'operator':
        onOperator(this.#parts, input.order);
        break;
      case 'tick':
        this.#onTick();
        break;
      case 'sets':
        onSetsOrder(this.#world, input.order);
        this.#reads.hasten('balances', this.#world.nowMs);
        break;
      case 'fair':
        onFair(this.#world, input);
        break;
      case 'fairFault':
        onFairFault(this.#world, input);
        break;
      case 'restored':
        this.#onRestored(input);
        break;
      case 'fired':
        onFired(this.#world, input);
        break;
      case 'ledger':
        this.#onLedger(input.fault);
        break;
      default:
        unreachable(input);
    }
    flushRecords(this.#world);
    return this.#world.outbox.take();
  }

  view(pick?: PickMarkets): StateView {
    return viewOf(this.#world, this.#session, pick);
  }

  preview(settings: CoreSettings): QuotesPreview {
    const { phase, detail } = this.#session;
    return previewOf(this.#world, settings, accountReason(this.#world, phase, detail));
  }

  memories(): Readonly<Record<string, Json>> {
    return this.#world.memories.all();
  }

  loadMemories(stored: Readonly<Record<string, unknown>>): void {
    this.#world.memories.load(stored);
  }

  #onSettings(settings: CoreSettings): void {
    const result = applySettings(this.#world, settings);
    this.#align();
    afterAlign(this.#world, result);
    askConditionsAgain(this.#world);
  }

  #onRestored({ persisted }: Extract<Input, { kind: 'restored' }>): void {
    restoreState(this.#world, persisted);
    for (const market of this.#world.markets.values()) this.#world.workQueue.onTouched(market);
    if (persisted.pause) this.#session.restorePause(persisted.pause);
    if (persisted.halt) this.#session.restoreHalt(persisted.halt);
    askConditionsAgain(this.#world);
  }

  /** Without a ledger nothing is placed and quotes are pulled; cancels need none. */
  #onLedger(fault: string | undefined): void {
    const world = this.#world;
    if (world.ledgerFault === fault) return;
    world.ledgerFault = fault;
    world.outbox.report({ event: 'ledger.state', fault: fault ?? '' });
    for (const market of world.markets.values()) market.isDirty = true;
    this.#session.update();
  }

  #align(): void {
    if (alignMarkets(this.#world)) this.#subscribe();
  }

  #subscribe(): void {
    const depth = this.#world.settings?.book.depth;
    if (depth === undefined) return;
    this.#world.outbox.send({ kind: 'subscribe', tokenIds: subscribedTokens(this.#world), depth });
    feed.onSubscribed(this.#world, 'the subscription was renewed');
  }

  /** What the last step placed was handed over when it ended, durable before that. */
  #haveLeft(): void {
    const { leaving, ledger, nowMs } = this.#world;
    if (leaving.length === 0) return;
    this.#world.leaving = [];
    for (const order of leaving) ledger.signal(order, 'sent', nowMs);
  }

  #onTick(): void {
    const world = this.#world;
    watchBooks(world, !this.#session.isMassCancelling);
    watchControls(world, this.#session);
    this.#session.onTick();
    if (!this.#session.isMassCancelling) this.#reads.sendDue(world);
    // A mass cancel lists orders by itself; what is left of them trades on, so money is read beside it.
    else if (this.#session.isMassCancelLong)
      this.#reads.sendDue(world, ['balances', 'trades', 'catalogue']);
    keepDeadlines(this.#parts);
    cancelUnquoted(this.#parts);
    this.#plan();
    // A mass cancel cancels everything anyway.
    if (!this.#session.isMassCancelling) sendCancels(world, cutBeyond(world));
    askResolutions(world);
    if (recycleSets(world)) this.#reads.hasten('balances', world.nowMs);
    if (world.isGateOpen) sendPlacements(world);
    armTouched(world, this.#session);
    world.ledger.prune(world.nowMs);
    if (dropLeftMarkets(world)) {
      alignMarkets(world);
      this.#subscribe();
    }
  }

  #plan(): void {
    const world = this.#world;
    const blocked = accountReason(world, this.#session.phase, this.#session.detail);
    const cancels: OwnOrder[] = [];
    for (const group of dueGroups(world)) {
      for (const order of replan(world, group, blocked)) cancels.push(order);
    }
    // A mass cancel cancels everything by itself; single cancels beside it would confirm nothing.
    if (cancels.length > 0 && !this.#session.isMassCancelling) sendCancels(world, cancels);
  }

  #onMessage(message: VenueMessage): void {
    const world = this.#world;
    switch (message.kind) {
      case 'socketOpened':
      case 'socketLost':
      case 'authenticated':
      case 'authRefused':
        this.#onConnection(message);
        return;
      case 'catalogue':
        this.#onCatalogue(message.outcome);
        return;
      case 'bookSnapshot':
      case 'bookDelta':
      case 'bookUnreadable':
        feed.onBook(world, message);
        return;
      case 'trade':
        feed.onTrade(world, message);
        return;
      case 'positionUpdate':
      case 'summaryUpdate':
        this.#reads.hastenAtPace('balances', world.nowMs);
        return;
      case 'marketStatus':
        if (feed.onMarketStatus(world, message)) this.#reads.hasten('catalogue', world.nowMs);
        return;
      case 'orderUpdate':
        this.#onOrderUpdate(message.update);
        return;
      case 'tradeSettled':
      case 'tradeFailed':
        if (!waitsForMarkets(world, message)) this.#onChain(message);
        return;
      case 'setsChanged':
      case 'resolutionRead':
      case 'placed':
      case 'cancelled':
        this.#onAnswer(message);
        return;
      case 'openOrders':
        onOpenOrders(this.#parts, message);
        return;
      case 'balances':
        this.#onBalances(message);
        return;
      case 'trades':
        this.#onTrades(message);
        return;
      case 'bookRead':
        onBookRead(world, message);
        return;
      case 'clockOffset':
        onClockOffset(world, message);
        return;
      case 'unrecognised':
        feed.reportUnrecognised(world, message);
        return;
      default:
        unreachable(message);
    }
  }

  #onAnswer(
    message: Extract<
      VenueMessage,
      { kind: 'placed' | 'cancelled' | 'setsChanged' | 'resolutionRead' }
    >,
  ): void {
    if (message.kind === 'placed') onPlaced(this.#parts, message);
    else if (message.kind === 'resolutionRead') onResolution(this.#world, message);
    else if (message.kind === 'setsChanged') {
      onSetsAnswer(this.#world, message.requestId, message.outcome);
      this.#reads.hasten('balances', this.#world.nowMs);
    } else if (!onUnquotedAnswer(this.#parts, message)) onCancelled(this.#parts, message);
  }

  #onConnection(
    message: Extract<
      VenueMessage,
      { kind: 'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused' }
    >,
  ): void {
    feed.onConnection(this.#world, message);
    if (message.kind !== 'authenticated') return;
    // What happened while nobody reported us is in the lists.
    this.#reads.hasten('orders', this.#world.nowMs);
    this.#reads.hasten('balances', this.#world.nowMs);
    this.#hastenTrades();
  }

  #hastenTrades(): void {
    if (!this.#world.history.isUnreadable) this.#reads.hasten('trades', this.#world.nowMs);
  }

  #onCatalogue(outcome: Extract<VenueMessage, { kind: 'catalogue' }>['outcome']): void {
    const world = this.#world;
    this.#reads.onAnswer('catalogue', undefined, outcome.kind === 'ok', world.nowMs);
    if (outcome.kind !== 'ok') {
      reportFailedRead(world, 'catalogue', outcome);
      return;
    }
    world.catalogue = outcome.value;
    this.#align();
    for (const message of takeEarlyChain(world)) this.#onChain(message);
  }

  /** What became of matched shares, and where that is not clear the balances say it. */
  #onChain(message: ChainMessage): void {
    const world = this.#world;
    const hasFailed = message.kind === 'tradeFailed';
    if (hasFailed) onTradeFailed(world, message);
    const isUnnamed = !hasFailed && onTradeSettled(world, message);
    if (isUnnamed || hasFailed) this.#reads.hasten('balances', world.nowMs);
    if (hasFailed) this.#reads.hasten('orders', world.nowMs);
  }

  #onOrderUpdate(update: Extract<VenueMessage, { kind: 'orderUpdate' }>['update']): void {
    const world = this.#world;
    const market = world.marketOf(update.tokenId);
    if (market) market.isDirty = true;
    // News that overtakes its placement's answer is common and confirms nothing: the next list of its
    // period settles what no answer has named by then.
    world.ledger.onUpdate(update, world.nowMs);
    if (noteUnclaimed(world, update.orderHash)) this.#reads.hasten('orders', world.nowMs);
  }

  #onTrades(message: Extract<VenueMessage, { kind: 'trades' }>): void {
    const world = this.#world;
    const { outcome, requestId, askedAtMs } = message;
    if (onTrades(world, outcome, askedAtMs)) this.#reads.hasten('balances', world.nowMs);
    const isOver = outcome.kind === 'ok' || world.history.isUnreadable;
    this.#reads.onAnswer('trades', requestId, isOver, world.nowMs);
  }

  #onBalances(message: Extract<VenueMessage, { kind: 'balances' }>): void {
    const world = this.#world;
    const { outcome, requestId, askedAtMs } = message;
    this.#reads.onAnswer('balances', requestId, outcome.kind === 'ok', world.nowMs);
    noteAnswer(world, outcome);
    if (outcome.kind !== 'ok') {
      reportFailedRead(world, 'balances', outcome);
      return;
    }
    onBalances(world, outcome.value, askedAtMs);
    const isUncertain = world.positions.uncertainTokens.size > 0;
    if (isUncertain) this.#reads.hasten('balances', addMs(world.nowMs, UNCERTAIN_READ_MS));
    // What moved the cash may be a settlement whose frame is lost.
    if (!world.cash.agrees) this.#hastenTrades();
  }
}
