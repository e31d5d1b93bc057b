// All that the engine knows, shared by the parts of the core that act on it.

import { CancelBatches } from '../domain/cancel-batches.ts';
import {
  type IntentId,
  intentId,
  type MarketId,
  type OrderHash,
  type RequestId,
  type TokenId,
} from '../domain/ids.ts';
import { type CoreSettings, GTD_DEFAULTS } from '../domain/input.ts';
import type { Event } from '../domain/market.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { StoredEarly } from '../domain/record.ts';
import type { MicroShares } from '../domain/shares.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import { TRUST_DEFAULTS, type TrustSettings } from '../domain/trust.ts';
import type { Reason } from '../domain/view.ts';
import type { Strategy } from '../strategy/index.ts';
import type { Bust } from './account/bust.ts';
import { ExternalCancels } from './account/external-cancels.ts';
import { History } from './account/history.ts';
import { Locks } from './account/locks.ts';
import { Restored } from './account/restored.ts';
import { Touched } from './account/touched.ts';
import { BookTrust } from './book/book-trust.ts';
import { BATCH_CANCEL_MAX, ORDER_WRITES_OF_WINDOW_MAX } from './kernel/bounds.ts';
import { Outbox } from './kernel/outbox.ts';
import { TokenIndex } from './kernel/token-index.ts';
import { WorkQueue } from './kernel/work-queue.ts';
import type { MarketFlows, MarketState, Place } from './market.ts';
import { OrderCeiling } from './orders/ceiling.ts';
import { Expiry, type RenewalSettings } from './orders/expiry.ts';
import { InFlightTracker, type Sent } from './orders/in-flight-tracker.ts';
import { OrderLedger, type Settlement } from './orders/ledger.ts';
import type { LedgerListener } from './orders/ledger-listener.ts';
import { MayRest } from './orders/may-rest.ts';
import { BatchOrderIds } from './orders/order-id-cache.ts';
import type { OwnOrder } from './orders/own-order.ts';
import { Cash } from './positions/cash.ts';
import { Positions } from './positions/positions.ts';
import { Arms } from './quoting/aim.ts';
import type { LiveStatus } from './quoting/live-status.ts';
import { Memories } from './quoting/memories.ts';
import type { WriteClass } from './quoting/target.ts';
import { CapitalBook } from './risk/capital.ts';
import { Controls } from './risk/controls.ts';
import type { Lowered } from './risk/lowered.ts';
import { RiskBook } from './risk/risk-book.ts';
import { WriteBudget } from './sending/budget.ts';
import { Vanished } from './session/vanished.ts';
import { RecyclingTurn } from './sets/recycling-turn.ts';
import { ResolutionBook } from './sets/resolution-book.ts';
import { SetsBook } from './sets/sets-book.ts';

/** What the chain says of matched shares. */
export type ChainMessage = Extract<VenueMessage, { kind: 'tradeSettled' | 'tradeFailed' }>;

/** Where the settings do not say how long a placement of unknown outcome keeps its slot. */
const SLOT_MS = 8_000;

export class World {
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly outbox = new Outbox();
  readonly positions = new Positions((intentId, quantity) =>
    this.#onChain(intentId, { kind: 'settled', quantity }),
  );
  readonly cash = new Cash();
  readonly locks = new Locks();
  /** Failed trades whose token or order is not known yet. */
  busts: Bust[] = [];
  /** Settlements that named no token, oldest first: balances show whose shares they were. */
  readonly unnamedSettlements: StoredEarly[] = [];
  /** Cash that orders on markets which are not quoted lock, by the last list. */
  elsewhereNano = 0;
  readonly history = new History();
  readonly capital = new CapitalBook();
  readonly memories = new Memories();
  readonly sets = new SetsBook();
  readonly recycling = new RecyclingTurn<MarketState>();
  readonly resolutions = new ResolutionBook();
  readonly trust = new BookTrust();
  readonly workQueue = new WorkQueue<MarketState>();
  readonly risk = new RiskBook();
  readonly vanished = new Vanished();
  readonly controls = new Controls();
  readonly touched = new Touched();
  readonly restored = new Restored();
  readonly batchOrderIds = new BatchOrderIds();
  readonly refusals = new MayRest();
  /** Placements that may have been delivered twice. */
  readonly copies = new MayRest();
  copySeenAtMs: UnixMs | undefined;
  /** Somebody else's orders on markets that are not quoted here: by the last list, and the one before. */
  externals: { readonly now: Set<OrderHash>; readonly before: ReadonlySet<OrderHash> } = {
    now: new Set(),
    before: new Set(),
  };
  /** Hashes of the last list that nobody could name: when the first list that showed each was asked for. */
  unnamed: ReadonlyMap<OrderHash, UnixMs> = new Map();
  readonly ledger: OrderLedger;
  readonly arms = new Arms<MarketState>();
  readonly inFlightTracker = new InFlightTracker();
  readonly expiry = new Expiry();
  /** Orders placed in this run, by what they were for. */
  readonly placed: Record<WriteClass | 'take', number> = {
    reduce: 0,
    repair: 0,
    renew: 0,
    improve: 0,
    take: 0,
  };
  /** Placed in this step: they have left when the next one begins. */
  leaving: readonly OwnOrder[] = [];
  /** Shares that balances showed when they were last read. */
  balancesRead:
    | {
        readonly amounts: ReadonlyMap<TokenId, MicroShares>;
        readonly locked: ReadonlyMap<TokenId, MicroShares>;
        readonly askedAtMs: UnixMs;
      }
    | undefined;
  /** When the newest list that was taken in had been asked for. */
  listAskedAtMs: UnixMs = unixMs(0);
  /** When deadlines of orders were last looked at. */
  lookedAtMs: UnixMs = unixMs(0);
  readonly budget = new WriteBudget(ORDER_WRITES_OF_WINDOW_MAX, ORDER_WRITES_OF_WINDOW_MAX);
  readonly markets = new Map<MarketId, MarketState>();
  /** Grows whenever a market comes or goes. */
  marketsVersion = 0;
  /** Of each token the market and which of its two it is: the book of a frame. */
  readonly byToken = new TokenIndex<Place>();
  /** One entry for each market quoted now, and each that was ever traded. */
  readonly flows = new Map<MarketId, MarketFlows>();
  /** Tokens of markets that left and were traded: a late settlement is still theirs. */
  readonly leftTokens = new Map<TokenId, MarketId>();
  /** Choices that are no market we know, by their names. */
  readonly unlisted = new Map<string, Reason>();
  /** Targets of external prices that fit no market, so that each is told once. */
  readonly unknownFairs = new Set<string>();
  /** Settlements already counted, oldest first. */
  readonly tradeIds = new Set<string>();
  /** What the chain said before the catalogue was known, oldest first. */
  readonly earlyChain: ChainMessage[] = [];
  /** The failed settlement that was reported last: its frame has no name, so a second one is as likely. */
  lastFailed: { readonly what: string; readonly atMs: UnixMs } | undefined;
  settings: CoreSettings | undefined;
  /** What rests may be beyond limits that were lowered. */
  lowered: Lowered | undefined;
  /** Short name of the settings in force. */
  settingsVersion = '';
  catalogue: readonly Event[] | undefined;
  nowMs: UnixMs = unixMs(0);
  /** When our clock jumped by more than a wait for the venue has to spare. */
  jumpedAtMs: UnixMs | undefined;
  /** By how much it has jumped in this run, all jumps together. */
  jumpedByMs = 0;
  /** When any book or trade was last reported for: the feed is alive, however quiet a market is. */
  heardAtMs: UnixMs = unixMs(0);
  /** Whether the last read was answered, be it by a refusal. */
  isAnswering = true;
  isSocketOpen = false;
  isAuthenticated = false;
  /** Since when the user channel has been up without a break. */
  authenticatedSinceMs: UnixMs = unixMs(0);
  /** What the venue said when it last refused our session; none once it let us in. */
  authRefusal: string | undefined;
  /** What the socket last said of markets that come back on another grid, by their YES: it says so once. */
  readonly regridded = new Map<TokenId, LiveStatus>();
  clockOffsetMs: number | undefined;
  /** The venue's clock minus ours, as the run before this one last kept it. */
  offsetBeforeMs: number | undefined;
  /** As it was last kept, by a previous run perhaps; nothing where it never was seconds off. */
  knownOffsetMs = 0;
  /** Why nothing can be kept; while it stands nothing is placed. */
  ledgerFault: string | undefined;
  /** The account, or all order writes, rest until then: code and end of the pause. */
  accountBackoff: { readonly untilMs: number; readonly code: string } | undefined;
  /** How many open orders the venue has turned out to allow. */
  readonly ceiling = new OrderCeiling();
  /** Since when a write that is not full waits for answers to cancels. */
  roomPendingSinceMs: UnixMs | undefined;
  /** Which orders make the venue refuse a batch of cancels. */
  readonly cancelBatches = new CancelBatches(BATCH_CANCEL_MAX);
  /** What is cancelled on markets that are not quoted. */
  readonly externalCancels = new ExternalCancels(this.cancelBatches);
  /** Cancels under way, by request. */
  readonly pendingCancels = new Map<RequestId, readonly OwnOrder[]>();
  /** Cancels that failed in a row, since when, and how broadly the next one is to be. */
  readonly cancelFailures = { count: 0, sinceMs: unixMs(0), step: 0 };
  /** Cancels of a market or the account under way: what is placed beside one may be cancelled with it. */
  readonly bulkCancels = new Set<RequestId>();
  /** The gate of the single send point: open only while the phase is `quoting`. */
  isGateOpen = false;
  #intents = 0;
  #bornAtMs: UnixMs | undefined;

  constructor(strategies: ReadonlyMap<string, Strategy>, listener: LedgerListener) {
    this.strategies = strategies;
    this.ledger = new OrderLedger(listener);
  }

  /**
   * By which offset a previous run may have dated what it sent: whichever clock was further ahead. Without
   * the venue's clock of now nobody knows.
   */
  get lowestOffsetMs(): number | undefined {
    const { clockOffsetMs } = this;
    if (clockOffsetMs === undefined) return undefined;
    return Math.min(clockOffsetMs, this.offsetBeforeMs ?? clockOffsetMs);
  }

  /** Whether a hash is of an order that ended, and so of no placement that waits for its answer. */
  isEndedHash(orderHash: OrderHash): boolean {
    return this.ledger.isKnownHash(orderHash) && !this.batchOrderIds.has(orderHash);
  }

  /** Unique over restarts, since no two runs begin in the same millisecond on one journal. */
  nextIntentId(): IntentId {
    this.#bornAtMs ??= this.nowMs;
    this.#intents += 1;
    return intentId(`${this.#bornAtMs}-${this.#intents}`);
  }

  /** After this moment a placement that nobody has seen never arrives. */
  mayArriveUntilMs(order: Sent): UnixMs {
    if (order.refusedAtMs !== undefined) return order.refusedAtMs;
    const horizonMs = this.settings?.timing.unknownHorizonMs ?? Number.MAX_SAFE_INTEGER;
    return this.inFlightTracker.untilMs(order, horizonMs);
  }

  /** Until then a placement of unknown outcome keeps its slot; what arrives later is looked for all the same. */
  slotUntilMs(order: Sent): UnixMs {
    const slotMs = this.settings?.timing.unknownSlotMs ?? SLOT_MS;
    const slot = this.inFlightTracker.slotUntilMs(order, slotMs);
    const horizon = this.mayArriveUntilMs(order);
    return slot < horizon ? slot : horizon;
  }

  #onChain(intentId: IntentId | undefined, result: Settlement): void {
    const order = intentId === undefined ? undefined : this.ledger.byIntent(intentId);
    if (order) this.ledger.onSettlement(order, result, this.nowMs);
  }

  marketOf(tokenId: TokenId): MarketState | undefined {
    return this.byToken.get(tokenId)?.market;
  }

  /** Which orders are ours to cancel. */
  get cancelScope(): 'account' | 'own' {
    // What would cancel the orders of another trader would begin a war of cancels.
    if (this.controls.conflict.isKnown) return 'own';
    return this.settings?.orders.scope ?? 'account';
  }

  get renewal(): RenewalSettings {
    const { timeInForce = 'GTC', gtd = GTD_DEFAULTS } = this.settings?.orders ?? {};
    return { timeInForce, gtd };
  }

  /** Whether the venue shows one book twice: as stated, or as own orders showed. */
  get isUnified(): boolean {
    const stated = this.settings?.book.unified;
    return stated === 'auto' ? this.trust.unified.isSeen : stated === 'on';
  }

  get trustLimits(): TrustSettings {
    return this.settings?.trust ?? TRUST_DEFAULTS;
  }
}
