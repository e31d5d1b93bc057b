// The deterministic core: `step` is told one input and answers with commands. No clock, no I/O, no
// promise; the same inputs give the same commands, bit for bit.
//
// Inputs from the venue are only taken in; decisions are made on a tick. The loop gives a tick after
// each batch of messages, so that a strategy runs at most once per market and batch.

import { unreachable } from '../domain/assert.ts';
import type { Command } from '../domain/command.ts';
import type { CoreSettings, Input } from '../domain/input.ts';
import type { ChainMessage, VenueMessage } from '../domain/message.ts';
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
import { noteAnswer, reportFailedRead } from './account/reads.ts';
import { flushRecords, touchOrder } from './account/records.ts';
import { onTrades } from './account/recovered.ts';
import { onOtherQuantity } from './account/restated.ts';
import { restoreState } from './account/restore.ts';
import { onAcknowledged, onBookRead, watchBooks } from './book/watch.ts';
import { EngineState } from './engine-state.ts';
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
import { onCancelled, onOpenOrders, onPlaced } from './session/answers.ts';
import { afterAlign, applySettings } from './session/apply-settings.ts';
import { alignMarkets, dropLeftMarkets, subscribedTokens } from './session/catalogue.ts';
import { cancelUnquoted, onUnquotedAnswer } from './session/external-orders.ts';
import * as feed from './session/feed.ts';
import { onOperator } from './session/market-stops.ts';
import { keepDeadlines } from './session/past-deadline.ts';
import { viewOf } from './session/view.ts';
import { watchControls } from './session/watch-controls.ts';
import { recycleSets } from './sets/recycling.ts';
import { askResolutions, onResolution } from './sets/resolutions.ts';
import { onSetsAnswer, onSetsOrder } from './sets/sets.ts';

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

type Answer = Extract<
  VenueMessage,
  { kind: 'placed' | 'cancelled' | 'setsChanged' | 'resolutionRead' }
>;

class CoreEngine implements Engine {
  readonly #stores: EngineState;

  constructor(options: EngineOptions) {
    this.#stores = new EngineState(options.strategies, {
      onMoved: (order, from, signal) => {
        feed.reportMove(this.#stores, order, from, signal);
        if (from === 'resting') this.#stores.trust.delay.forget(order);
        if (signal === 'expired') this.#stores.expiry.onEnded(order, this.#stores.nowMs);
        if (signal === 'ack' && order.state === 'resting') onAcknowledged(this.#stores, order);
      },
      isEndOfDate: (order) => this.#stores.expiry.isEndOf(order, this.#stores.nowMs),
      onChanged: (order) => touchOrder(this.#stores, order),
      onExecuted: (order, quantity) => {
        this.#stores.trust.delay.forget(order);
        onExecuted(this.#stores, order, quantity);
      },
      onOtherQuantity: (order, quantity) => onOtherQuantity(this.#stores, order, quantity),
      onUnclear: (order) => doubtUnclear(this.#stores, order),
      onReported: (order) => closeReported(this.#stores, order),
      onEndUnreported: (order) => doubtEnd(this.#stores, order),
      onAnomaly: (order, signal, detail) => {
        reportAnomaly(this.#stores, order, signal, detail);
        this.#stores.reads.hasten('orders', this.#stores.nowMs);
      },
    });
  }

  step(input: Input): readonly Command[] {
    passTo(this.#stores, input.atMs);
    this.#haveLeft();
    switch (input.kind) {
      case 'settings':
        this.#onSettings(input.settings);
        break;
      case 'venue':
        this.#onMessage(input.message);
        break;
      case 'operator':
        onOperator(this.#stores, input.order);
        break;
      case 'tick':
        this.#onTick();
        break;
      case 'sets':
        onSetsOrder(this.#stores, input.order);
        this.#stores.reads.hasten('balances', this.#stores.nowMs);
        break;
      case 'fair':
        onFair(this.#stores, input);
        break;
      case 'fairFault':
        onFairFault(this.#stores, input);
        break;
      case 'restored':
        this.#onRestored(input);
        break;
      case 'fired':
        onFired(this.#stores, input);
        break;
      case 'ledger':
        this.#onLedger(input.fault);
        break;
      default:
        unreachable(input);
    }
    flushRecords(this.#stores);
    return this.#stores.outbox.take();
  }

  view(pick?: PickMarkets): StateView {
    return viewOf(this.#stores, this.#stores.session, pick);
  }

  preview(settings: CoreSettings): QuotesPreview {
    const { phase, detail } = this.#stores.session;
    return previewOf(this.#stores, settings, accountReason(this.#stores, phase, detail));
  }

  memories(): Readonly<Record<string, Json>> {
    return this.#stores.memories.all();
  }

  loadMemories(stored: Readonly<Record<string, unknown>>): void {
    this.#stores.memories.load(stored);
  }

  #onSettings(settings: CoreSettings): void {
    const result = applySettings(this.#stores, settings);
    this.#align();
    afterAlign(this.#stores, result);
    askConditionsAgain(this.#stores);
  }

  #onRestored({ persisted }: Extract<Input, { kind: 'restored' }>): void {
    restoreState(this.#stores, persisted);
    for (const market of this.#stores.markets.values()) this.#stores.workQueue.onTouched(market);
    if (persisted.pause) this.#stores.session.restorePause(persisted.pause);
    if (persisted.halt) this.#stores.session.restoreHalt(persisted.halt);
    askConditionsAgain(this.#stores);
  }

  /** Without a ledger nothing is placed and quotes are pulled; cancels need none. */
  #onLedger(fault: string | undefined): void {
    const stores = this.#stores;
    if (stores.gate.ledgerFault === fault) return;
    stores.gate.ledgerFault = fault;
    stores.outbox.report({ event: 'ledger.state', fault: fault ?? '' });
    for (const market of stores.markets.values()) market.isDirty = true;
    this.#stores.session.update();
  }

  #align(): void {
    if (alignMarkets(this.#stores)) this.#subscribe();
  }

  #subscribe(): void {
    const depth = this.#stores.settings?.book.depth;
    if (depth === undefined) return;
    this.#stores.outbox.send({
      kind: 'subscribe',
      tokenIds: subscribedTokens(this.#stores),
      depth,
    });
    feed.onSubscribed(this.#stores, 'the subscription was renewed');
  }

  /** What the last step placed was handed over when it ended, durable before that. */
  #haveLeft(): void {
    const { leaving, ledger, nowMs } = this.#stores;
    if (leaving.length === 0) return;
    this.#stores.leaving = [];
    for (const order of leaving) ledger.signal(order, 'sent', nowMs);
  }

  #onTick(): void {
    const stores = this.#stores;
    watchBooks(stores, !this.#stores.session.isMassCancelling);
    watchControls(stores, this.#stores.session);
    this.#stores.session.onTick();
    if (!this.#stores.session.isMassCancelling) this.#stores.reads.sendDue(stores);
    // A mass cancel lists orders by itself; what is left of them trades on, so money is read beside it.
    else if (this.#stores.session.isMassCancelLong)
      this.#stores.reads.sendDue(stores, ['balances', 'trades', 'catalogue']);
    keepDeadlines(this.#stores);
    cancelUnquoted(this.#stores);
    this.#plan();
    // A mass cancel cancels everything anyway.
    if (!this.#stores.session.isMassCancelling) sendCancels(stores, cutBeyond(stores));
    askResolutions(stores);
    if (recycleSets(stores)) this.#stores.reads.hasten('balances', stores.nowMs);
    if (stores.gate.isOpen) sendPlacements(stores);
    armTouched(stores, this.#stores.session);
    stores.ledger.prune(stores.nowMs);
    if (dropLeftMarkets(stores)) {
      alignMarkets(stores);
      this.#subscribe();
    }
  }

  #plan(): void {
    const stores = this.#stores;
    const blocked = accountReason(stores, this.#stores.session.phase, this.#stores.session.detail);
    const cancels: OwnOrder[] = [];
    for (const group of dueGroups(stores)) {
      for (const order of replan(stores, group, blocked)) cancels.push(order);
    }
    // A mass cancel cancels everything by itself; single cancels beside it would confirm nothing.
    if (cancels.length > 0 && !this.#stores.session.isMassCancelling) sendCancels(stores, cancels);
  }

  #onMessage(message: VenueMessage): void {
    const stores = this.#stores;
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
        feed.onBook(stores, message);
        return;
      case 'trade':
        feed.onTrade(stores, message);
        return;
      case 'positionUpdate':
      case 'summaryUpdate':
        this.#stores.reads.hastenAtPace('balances', stores.nowMs);
        return;
      case 'marketStatus':
        if (feed.onMarketStatus(stores, message))
          this.#stores.reads.hasten('catalogue', stores.nowMs);
        return;
      case 'orderUpdate':
        this.#onOrderUpdate(message.update);
        return;
      case 'tradeSettled':
      case 'tradeFailed':
        if (!waitsForMarkets(stores, message)) this.#onChain(message);
        return;
      case 'setsChanged':
      case 'resolutionRead':
      case 'placed':
      case 'cancelled':
        this.#onAnswer(message);
        return;
      case 'openOrders':
        onOpenOrders(this.#stores, message);
        return;
      case 'balances':
        this.#onBalances(message);
        return;
      case 'trades':
        this.#onTrades(message);
        return;
      case 'bookRead':
        onBookRead(stores, message);
        return;
      case 'clockOffset':
        onClockOffset(stores, message);
        return;
      case 'unrecognised':
        feed.reportUnrecognised(stores, message);
        return;
      default:
        unreachable(message);
    }
  }

  #onAnswer(message: Answer): void {
    if (message.kind === 'placed') onPlaced(this.#stores, message);
    else if (message.kind === 'resolutionRead') onResolution(this.#stores, message);
    else if (message.kind === 'setsChanged') {
      onSetsAnswer(this.#stores, message.requestId, message.outcome);
      this.#stores.reads.hasten('balances', this.#stores.nowMs);
    } else if (!onUnquotedAnswer(this.#stores, message)) onCancelled(this.#stores, message);
  }

  #onConnection(
    message: Extract<
      VenueMessage,
      { kind: 'socketOpened' | 'socketLost' | 'authenticated' | 'authRefused' }
    >,
  ): void {
    feed.onConnection(this.#stores, message);
    if (message.kind !== 'authenticated') return;
    // What happened while nobody reported us is in the lists.
    this.#stores.reads.hasten('orders', this.#stores.nowMs);
    this.#stores.reads.hasten('balances', this.#stores.nowMs);
    this.#hastenTrades();
  }

  #hastenTrades(): void {
    const { history, nowMs } = this.#stores;
    if (!history.isUnreadable) this.#stores.reads.hasten('trades', nowMs);
  }

  #onCatalogue(outcome: Extract<VenueMessage, { kind: 'catalogue' }>['outcome']): void {
    const stores = this.#stores;
    this.#stores.reads.onAnswer('catalogue', undefined, outcome.kind === 'ok', stores.nowMs);
    if (outcome.kind !== 'ok') {
      reportFailedRead(stores, 'catalogue', outcome);
      return;
    }
    stores.catalogue = outcome.value;
    this.#align();
    for (const message of takeEarlyChain(stores)) this.#onChain(message);
  }

  /** What became of matched shares, and where that is not clear the balances say it. */
  #onChain(message: ChainMessage): void {
    const stores = this.#stores;
    const hasFailed = message.kind === 'tradeFailed';
    if (hasFailed) onTradeFailed(stores, message);
    const isUnnamed = !hasFailed && onTradeSettled(stores, message);
    if (isUnnamed || hasFailed) this.#stores.reads.hasten('balances', stores.nowMs);
    if (hasFailed) this.#stores.reads.hasten('orders', stores.nowMs);
  }

  #onOrderUpdate(update: Extract<VenueMessage, { kind: 'orderUpdate' }>['update']): void {
    const stores = this.#stores;
    const market = stores.byToken.get(update.tokenId)?.market;
    if (market) market.isDirty = true;
    // News that overtakes its placement's answer is common and confirms nothing: the next list of its
    // period settles what no answer has named by then.
    stores.ledger.onUpdate(update, stores.nowMs);
    if (noteUnclaimed(stores, update.orderHash)) this.#stores.reads.hasten('orders', stores.nowMs);
  }

  #onTrades(message: Extract<VenueMessage, { kind: 'trades' }>): void {
    const stores = this.#stores;
    const { outcome, requestId, askedAtMs } = message;
    if (onTrades(stores, outcome, askedAtMs)) this.#stores.reads.hasten('balances', stores.nowMs);
    const isOver = outcome.kind === 'ok' || stores.history.isUnreadable;
    this.#stores.reads.onAnswer('trades', requestId, isOver, stores.nowMs);
  }

  #onBalances(message: Extract<VenueMessage, { kind: 'balances' }>): void {
    const stores = this.#stores;
    const { outcome, requestId, askedAtMs } = message;
    this.#stores.reads.onAnswer('balances', requestId, outcome.kind === 'ok', stores.nowMs);
    noteAnswer(stores, outcome);
    if (outcome.kind !== 'ok') {
      reportFailedRead(stores, 'balances', outcome);
      return;
    }
    onBalances(stores, outcome.value, askedAtMs);
    const isUncertain = stores.positions.uncertainTokens.size > 0;
    if (isUncertain) this.#stores.reads.hasten('balances', addMs(stores.nowMs, UNCERTAIN_READ_MS));
    // What moved the cash may be a settlement whose frame is lost.
    if (!stores.cash.agrees) this.#hastenTrades();
  }
}
