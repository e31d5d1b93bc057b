// The deterministic core: `step` is told one input and answers with commands. No clock, no I/O, no
// promise; the same inputs give the same commands, bit for bit.
//
// Inputs from the venue are only taken in; decisions are made on a tick. The loop gives a tick after
// each batch of messages, so that a strategy runs at most once per market and batch.

import { CancelBatches } from '../domain/cancel-batches.ts';
import type { Command } from '../domain/command.ts';
import type { IntentId, MarketId } from '../domain/ids.ts';
import type { CoreSettings, Input } from '../domain/input.ts';
import type { QuotesPreview } from '../domain/preview.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { TRUST_DEFAULTS } from '../domain/trust.ts';
import type { PickMarkets, StateView } from '../domain/view.ts';
import type { Json, Strategy } from '../strategy/index.ts';
import { ExternalCancels } from './account/external-cancels.ts';
import { onExecuted } from './account/fills.ts';
import { History } from './account/history.ts';
import { onOtherTerms } from './account/named-order.ts';
import { Reads } from './account/reads.ts';
import { flushRecords, touchOrder } from './account/records.ts';
import { Locks, Written } from './account/stores.ts';
import type { Place } from './book/market.ts';
import { BookTrust } from './book/stores.ts';
import { watchBooks } from './book/watch.ts';
import { BATCH_CANCEL_MAX, ORDER_WRITES_OF_WINDOW_MAX } from './kernel/bounds.ts';
import { TokenIndex, WorkQueue } from './kernel/market.ts';
import { Outbox } from './kernel/outbox.ts';
import { Clock, Connection } from './kernel/stores.ts';
import { InFlightTracker } from './orders/deadlines.ts';
import { OrderLedger, type Settlement } from './orders/ledger.ts';
import { BatchOrderIds } from './orders/order-id-cache.ts';
import { IntentIds, type OwnOrder, reportMove } from './orders/own-order.ts';
import { MayRest, PossibleCopies, Restored } from './orders/restored.ts';
import { Expiry, OrderCeiling } from './orders/taught.ts';
import { type LedgerListener, reportAnomaly } from './orders/told.ts';
import { Cash } from './positions/cash.ts';
import { closeReported, doubtEnd, doubtUnclear } from './positions/doubt.ts';
import { Positions } from './positions/positions.ts';
import { SetsBook } from './positions/sets-book.ts';
import { Touched } from './positions/stores.ts';
import { armTouched } from './quoting/arms.ts';
import { Arms } from './quoting/market.ts';
import { Memories } from './quoting/params.ts';
import { previewOf } from './quoting/preview/preview.ts';
import { dueGroups, replan } from './quoting/quoter.ts';
import { accountReason } from './quoting/reasons.ts';
import { SendGate } from './quoting/stores.ts';
import { cutBeyond } from './risk/beyond-limits.ts';
import { passTo } from './risk/breakers.ts';
import { Controls } from './risk/controls.ts';
import { CapitalBook, RiskBook } from './risk/risk-book.ts';
import { planAhead, voidAhead } from './sending/ahead.ts';
import { WriteBudget } from './sending/budget.ts';
import type { MarketState } from './sending/market.ts';
import { Ahead, type SendingStores } from './sending/stores.ts';
import { sendCancels, sendPlacements } from './sending/writer.ts';
import { keepDeadlines } from './session/answers.ts';
import { cancelUnquoted } from './session/external-orders.ts';
import { dropLeft, ingest } from './session/ingest.ts';
import { type EngineStores, Session } from './session/session.ts';
import { Vanished } from './session/stores.ts';
import { viewOf } from './session/view.ts';
import { watchControls } from './session/watch-controls.ts';
import { recycleSets } from './sets/recycler.ts';
import { askResolutions } from './sets/sets.ts';
import { RecyclingTurn, ResolutionBook } from './sets/stores.ts';

export interface Engine {
  /** Takes in one input and answers with everything it leads to, in order. */
  step(input: Input): readonly Command[];
  /**
   * The housekeeping of the last tick, for when its commands have left. Nothing depends on when it is asked for: the
   * next step begins with it where nobody has.
   */
  tend(): readonly Command[];
  /** A snapshot for people and metrics, of all markets or those picked; it changes nothing. */
  view(pick?: PickMarkets): StateView;
  /** What other settings would do; it changes nothing, and between its steps everything else may go on. */
  preview(settings: CoreSettings): Generator<undefined, QuotesPreview>;
  /** Memories of strategies by name and market or event, for a journal to keep. */
  memories(): Readonly<Record<string, Json>>;
  /** Takes over what a journal kept of a previous run; what is no memory is left out. */
  loadMemories(stored: Readonly<Record<string, unknown>>): void;
}

type Options = { readonly strategies: ReadonlyMap<string, Strategy> };

export function createEngine(options: Options): Engine {
  return new CoreEngine(options);
}

class CoreEngine implements Engine {
  readonly #stores: EngineState;
  #isTendingDue = false;

  constructor({ strategies }: Options) {
    this.#stores = new EngineState(strategies, {
      onMoved: (order, from, signal) => {
        reportMove(this.#stores, order, from, signal);
        if (signal === 'expired') this.#stores.expiry.onEnded(order, this.#stores.nowMs);
      },
      isEndOfDate: (order) => this.#stores.expiry.isEndOf(order, this.#stores.nowMs),
      onChanged: (order) => touchOrder(this.#stores, order),
      onExecuted: (order, quantity) => onExecuted(this.#stores, order, quantity),
      onOtherQuantity: (order, quantity) =>
        onOtherTerms(this.#stores, order, { ...order, quantity }),
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
    const stores = this.#stores;
    this.#tendIfDue();
    passTo(stores, input.atMs);
    haveLeft(stores);
    ingest(stores, input);
    if (input.kind === 'tick') {
      const { cancels, isBlocked } = decide(stores, input.asksMax);
      emit(stores, cancels, isBlocked);
      this.#isTendingDue = true;
    }
    flushRecords(stores);
    return stores.outbox.take();
  }

  tend(): readonly Command[] {
    this.#tendIfDue();
    return this.#stores.outbox.take();
  }

  view(pick?: PickMarkets): StateView {
    return viewOf(this.#stores, pick);
  }

  preview(settings: CoreSettings): Generator<undefined, QuotesPreview> {
    const { phase, detail } = this.#stores.session;
    return previewOf(this.#stores, settings, accountReason(this.#stores, phase, detail));
  }

  memories(): Readonly<Record<string, Json>> {
    return this.#stores.memories.all();
  }

  loadMemories(stored: Readonly<Record<string, unknown>>): void {
    this.#stores.memories.load(stored);
  }

  #tendIfDue(): void {
    if (!this.#isTendingDue) return;
    this.#isTendingDue = false;
    tend(this.#stores);
  }
}

/** What the last step placed was handed over when it ended, durable before that. */
function haveLeft(stores: SendingStores): void {
  const { leaving, ledger, nowMs } = stores;
  if (leaving.length === 0) return;
  stores.leaving = [];
  for (const order of leaving) ledger.signal(order, 'sent', nowMs);
}

/**
 * May books be priced and markets be quoted, and what should rest? Where nothing at all may be quoted, what markets lack
 * that were not looked at in this turn waits, too.
 */
function decide(stores: EngineStores, asksMax?: number) {
  const { session } = stores;
  watchBooks(stores, !session.isMassCancelling);
  watchControls(stores);
  session.onTick();
  const blocked = accountReason(stores, session.phase, session.detail);
  const groups = dueGroups(stores, blocked === undefined ? asksMax : undefined);
  const cancels = groups.flatMap((group) => replan(stores, group, blocked));
  return { cancels, isBlocked: blocked !== undefined };
}

/** Cancels, then placements. */
function emit(stores: EngineStores, cancels: readonly OwnOrder[], isBlocked: boolean): void {
  // A mass cancel cancels everything by itself; single cancels beside it would confirm nothing.
  if (!stores.session.isMassCancelling) {
    if (cancels.length > 0) sendCancels(stores, cancels);
    sendCancels(stores, cutBeyond(stores));
  }
  if (stores.gate.isOpen && !isBlocked) sendPlacements(stores);
}

/**
 * Housekeeping of a tick: reads, deadlines, complete sets, what is over, and what frames may set off. No frame waits
 * for it.
 */
function tend(stores: EngineStores): void {
  const { session, reads, ledger, nowMs } = stores;
  if (!session.isMassCancelling) reads.sendDue(stores);
  // A mass cancel lists orders by itself; what is left of them trades on, so money is read beside it.
  else if (session.isMassCancelLong) reads.sendDue(stores, ['balances', 'trades', 'catalogue']);
  keepDeadlines(stores);
  cancelUnquoted(stores);
  askResolutions(stores);
  if (recycleSets(stores)) reads.hasten('balances', nowMs);
  ledger.prune(nowMs);
  dropLeft(stores);
  // What is told of orders and shares at the end of a step changes what these are admitted by.
  flushRecords(stores);
  voidAhead(stores);
  armTouched(stores, session, (market, at, before) => {
    const known = stores.markets.get(market.market.id);
    return known === undefined ? [] : planAhead(stores, known, { ...at, before });
  });
}

// All stores of the core, made once. Only the engine knows them all: a room sees what its `stores.ts` names.

export class EngineState implements EngineStores {
  readonly clock = new Clock();
  readonly outbox = new Outbox();
  settings: EngineStores['settings'];
  settingsVersion = '';
  catalogue: EngineStores['catalogue'];
  readonly connection = new Connection();
  readonly markets = new Map<MarketId, MarketState>();
  marketsVersion = 0;
  readonly workQueue = new WorkQueue<MarketState>();

  readonly ledger: OrderLedger;
  readonly intentIds = new IntentIds();
  readonly inFlightTracker = new InFlightTracker();
  readonly expiry = new Expiry();
  readonly ceiling = new OrderCeiling();
  readonly batchOrderIds = new BatchOrderIds();
  readonly refusals = new MayRest();
  readonly copies = new PossibleCopies();
  readonly cancelBatches = new CancelBatches(BATCH_CANCEL_MAX);
  readonly restored = new Restored();
  externals: EngineStores['externals'] = { now: new Set(), before: new Set() };
  unnamed: EngineStores['unnamed'] = new Map();
  listAskedAtMs: UnixMs = unixMs(0);

  readonly trust = new BookTrust();
  readonly byToken = new TokenIndex<Place<MarketState>>();

  readonly positions = new Positions((intentId, quantity) =>
    this.#onChain(intentId, { kind: 'settled', quantity }),
  );
  readonly cash = new Cash();
  readonly sets = new SetsBook();
  readonly touched = new Touched();

  readonly unknownFairs = new Set<string>();

  readonly risk = new RiskBook();
  readonly controls = new Controls();
  readonly capital = new CapitalBook();
  lowered: EngineStores['lowered'];

  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly memories = new Memories();
  readonly arms = new Arms<MarketState>();
  readonly gate = new SendGate();

  readonly budget = new WriteBudget(ORDER_WRITES_OF_WINDOW_MAX, ORDER_WRITES_OF_WINDOW_MAX);
  readonly placed = { reduce: 0, repair: 0, renew: 0, improve: 0, take: 0 };
  readonly ahead = new Ahead();
  leaving: EngineStores['leaving'] = [];
  readonly pendingCancels: EngineStores['pendingCancels'] = new Map();
  readonly bulkCancels: EngineStores['bulkCancels'] = new Set();
  probedAtMs = Number.NEGATIVE_INFINITY;
  roomPendingSinceMs: UnixMs | undefined;

  readonly recycling = new RecyclingTurn<MarketState>();
  readonly resolutions = new ResolutionBook();

  readonly history = new History();
  readonly reads = new Reads();
  readonly locks = new Locks();
  readonly written = new Written();
  readonly flows: EngineStores['flows'] = new Map();
  readonly leftTokens: EngineStores['leftTokens'] = new Map();
  busts: EngineStores['busts'] = [];
  lastFailed: EngineStores['lastFailed'];
  readonly tradeIds = new Set<string>();
  unnamedSettlements: EngineStores['unnamedSettlements'] = [];
  readonly earlyChain: EngineStores['earlyChain'] = [];
  balancesRead: EngineStores['balancesRead'];
  readonly externalCancels = new ExternalCancels(this.cancelBatches);

  readonly vanished = new Vanished();
  readonly regridded: EngineStores['regridded'] = new Map();
  readonly unlisted: EngineStores['unlisted'] = new Map();
  lookedAtMs: UnixMs = unixMs(0);
  readonly cancelFailures: EngineStores['cancelFailures'] = {
    count: 0,
    sinceMs: undefined,
    step: 0,
    isDue: false,
  };

  readonly session: Session;

  constructor(strategies: ReadonlyMap<string, Strategy>, listener: LedgerListener) {
    this.strategies = strategies;
    this.ledger = new OrderLedger(listener);
    this.session = new Session(this);
  }

  get nowMs(): UnixMs {
    return this.clock.nowMs;
  }

  get isUnified(): boolean {
    const stated = this.settings?.book.unified;
    return stated === 'auto' ? this.trust.unified.isSeen : stated === 'on';
  }

  get trustLimits(): EngineStores['trustLimits'] {
    return this.settings?.trust ?? TRUST_DEFAULTS;
  }

  #onChain(intentId: IntentId | undefined, result: Settlement): void {
    const order = intentId === undefined ? undefined : this.ledger.byIntent(intentId);
    if (order) this.ledger.onSettlement(order, result, this.nowMs);
  }
}
