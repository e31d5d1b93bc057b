// All stores of the core, made once. Only the engine knows them all: a room sees what its `stores.ts` names.

import { CancelBatches } from '../domain/cancel-batches.ts';
import type { IntentId, MarketId } from '../domain/ids.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { TRUST_DEFAULTS } from '../domain/trust.ts';
import type { Strategy } from '../strategy/index.ts';
import { ExternalCancels } from './account/external-cancels.ts';
import { History } from './account/history.ts';
import { Reads } from './account/reads.ts';
import { Locks, Written } from './account/stores.ts';
import type { Place } from './book/market.ts';
import { BookTrust } from './book/stores.ts';
import { BATCH_CANCEL_MAX, ORDER_WRITES_OF_WINDOW_MAX } from './kernel/bounds.ts';
import { WorkQueue } from './kernel/market.ts';
import { Outbox } from './kernel/outbox.ts';
import { Clock, Connection } from './kernel/stores.ts';
import { TokenIndex } from './kernel/token-index.ts';
import { InFlightTracker } from './orders/deadlines.ts';
import { OrderLedger, type Settlement } from './orders/ledger.ts';
import { BatchOrderIds } from './orders/order-id-cache.ts';
import { IntentIds } from './orders/own-order.ts';
import { MayRest, PossibleCopies, Restored } from './orders/restored.ts';
import { Expiry, OrderCeiling } from './orders/taught.ts';
import type { LedgerListener } from './orders/told.ts';
import { Cash } from './positions/cash.ts';
import { Positions } from './positions/positions.ts';
import { SetsBook } from './positions/sets-book.ts';
import { Touched } from './positions/stores.ts';
import { Arms } from './quoting/market.ts';
import { Memories } from './quoting/params.ts';
import { SendGate } from './quoting/stores.ts';
import { Controls } from './risk/controls.ts';
import { CapitalBook, RiskBook } from './risk/risk-book.ts';
import { WriteBudget } from './sending/budget.ts';
import type { MarketState } from './sending/market.ts';
import { Ahead } from './sending/stores.ts';
import { type EngineStores, Session } from './session/session.ts';
import { Vanished } from './session/stores.ts';
import { RecyclingTurn, ResolutionBook } from './sets/stores.ts';

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
  readonly unnamedSettlements: EngineStores['unnamedSettlements'] = [];
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
