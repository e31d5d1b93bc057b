// The trader's own orders for those who cancel without the core: its guard, which is notified of each
// change, and its own last word when the core cannot be asked.

import { ordersUntil } from '../core/account/restore.ts';
import { SIGNED_WITHIN_MS } from '../core/kernel/bounds.ts';
import { LEARNED_MARGIN_MS } from '../core/orders/deadlines.ts';
import { isCommitted, isTerminal } from '../domain/order.ts';
import type { LedgerRecord, PersistedState, StoredClock, StoredOrder } from '../domain/record.ts';
import { formatShares } from '../domain/shares.ts';
import type { UnixMs } from '../domain/time.ts';
import type { HorizonUpdate } from '../guard/horizon.ts';
import {
  OwnBook,
  type OwnEnd,
  type OwnOrdersUpdate,
  type OwnOrderWord,
} from '../guard/own-book.ts';
import type { FromTrader } from '../guard/protocol.ts';
import type { JournalWriter } from './journal-writer.ts';

export type OrdersMessage = Extract<FromTrader, { kind: 'orders' }>;

/**
 * Says something to the guard; false while it has too much unread, and then nothing was said and the words
 * are not asked for: to find them each turn anew would take a trader whose guard is stopped ever longer.
 */
export type TellGuard = (words: () => OrdersMessage) => boolean;

/** What the loop keeps records with. */
export type Keeping = Pick<JournalWriter, 'keep' | 'commit' | 'onTurn' | 'fault'>;

/** Beyond so many all there is takes fewer words: a guard may be stopped for hours. */
const WAITING_MAX = 20_000;

type Scope = 'account' | 'own';
type SeedState = Pick<PersistedState, 'orders' | 'endedHashes' | 'clock'>;

export class OwnTeller {
  readonly #book = new OwnBook();
  readonly #tell: TellGuard | undefined;
  #scope: Scope;
  /** Not told yet, by intent: a later word about an order stands for the one before it. */
  readonly #waiting = new Map<string, OwnOrderWord | OwnEnd>();
  /** The guard has to be told everything, and not only what changed. */
  #owesWhole = true;
  #slowestMs: number | undefined;
  #seededAheadMs = 0;
  /** The furthest that a clock of ours was told to be ahead, in this run or lately in an earlier one. */
  #furthestAheadMs = 0;
  #horizonMs: number | undefined;
  /** By how much our clock is ahead of the venue's. */
  #clockAheadMs: number | undefined;
  /** How late what is sent may be accepted, as far as it is new. */
  #late: HorizonUpdate = {};

  /** @param tell - Absent where there is no guard. */
  constructor(scope: Scope, tell?: TellGuard) {
    this.#scope = scope;
    this.#tell = tell;
  }

  /**
   * What a previous run left, by its ledger, and how late that may be accepted.
   * @param nowMs - What a clock that was ahead has dated later was sent by then.
   */
  seed(persisted: SeedState, nowMs: UnixMs, late: HorizonUpdate = {}): void {
    this.#book.apply(updateOf({ ...persisted, orders: ordersUntil(persisted.orders, nowMs) }));
    this.#slowestMs = late.slowestMs;
    this.#seededAheadMs = late.aheadMs ?? 0;
    this.#furthestAheadMs = this.#seededAheadMs;
    this.#late = { ...this.#late, aheadMs: late.aheadMs };
    this.#owesWhole = true;
  }

  /** Until when a placement without an answer may still arrive; `undefined` where there is none. */
  inFlightUntilMs(horizonMs: number): number | undefined {
    const sinceMs = this.#book.unansweredSinceMs;
    const slowestMs = this.#slowestMs === undefined ? 0 : this.#slowestMs + LEARNED_MARGIN_MS;
    if (sinceMs === undefined) return undefined;
    return sinceMs + Math.max(SIGNED_WITHIN_MS + horizonMs + this.#seededAheadMs, slowestMs);
  }

  /** Placements without an answer, for people: `BUY 50 of 0xaa at 0.400`. */
  get inFlight(): readonly string[] {
    return this.#book.unanswered.map(inFlightText);
  }

  /** What has left by now may be accepted so much later, whatever is known to have been answered. */
  get horizonMs(): number {
    const slowestMs = this.#slowestMs === undefined ? 0 : this.#slowestMs + LEARNED_MARGIN_MS;
    return Math.max((this.#horizonMs ?? 0) + this.#furthestAheadMs, slowestMs);
  }

  /** Whose orders a kill means from now on; the guard learns it at once. */
  setScope(scope: Scope): void {
    if (scope === this.#scope) return;
    this.#scope = scope;
    this.#owesWhole = true;
    this.flush();
  }

  /** What is configured from now on; told with the next turn. */
  setHorizon(horizonMs: number): void {
    if (horizonMs === this.#horizonMs) return;
    this.#horizonMs = horizonMs;
    this.#late = { ...this.#late, horizonMs };
  }

  get #hasLate(): boolean {
    return Object.keys(this.#late).length > 0;
  }

  /** The own orders where only they are meant. */
  get meant(): OwnBook | undefined {
    return this.#scope === 'own' ? this.#book : undefined;
  }

  onRecord(record: LedgerRecord): void {
    if (record.kind === 'slowest') {
      this.#slowestMs = record.slowest.tookMs;
      this.#late = { ...this.#late, slowestMs: this.#slowestMs };
    }
    if (record.kind === 'ahead') {
      const aheadMs = Math.max(this.#late.aheadMs ?? 0, record.ahead.aheadMs);
      this.#late = { ...this.#late, aheadMs };
      this.#furthestAheadMs = Math.max(this.#furthestAheadMs, aheadMs);
    }
    if (record.kind === 'clock') this.#onClock(record.clock);
    if (record.kind !== 'order' || record.order.isExternal) return;
    const { order } = record;
    const word = wordOf(order);
    if ('priceMilli' in word) this.#book.apply({ isWhole: false, live: [word], ended: [] });
    else this.#book.apply({ isWhole: false, live: [], ended: [word] });
    if (this.#tell === undefined || this.#scope !== 'own' || this.#owesWhole) return;
    this.#waiting.set(order.intentId, word);
    if (this.#waiting.size <= WAITING_MAX) return;
    this.#waiting.clear();
    this.#owesWhole = true;
  }

  /** Told with what changes next; until then the ledger has it. */
  #onClock(clock: StoredClock): void {
    this.#clockAheadMs = aheadOf(clock);
    this.#book.apply({ isWhole: false, live: [], ended: [], aheadMs: this.#clockAheadMs });
  }

  /** Before placements leave, and at the end of each turn: the guard knows what is in flight. */
  flush(): void {
    if (this.#tell === undefined) return;
    if (this.#owesWhole) this.#tellWhole(this.#tell);
    else if (this.#waiting.size > 0 || this.#hasLate) this.#tellChanges(this.#tell);
  }

  #tellWhole(tell: TellGuard): void {
    if (!tell(() => this.#whole())) return;
    this.#owesWhole = false;
    this.#late = {};
    this.#waiting.clear();
  }

  #whole(): OrdersMessage {
    const scope = this.#scope;
    const update = scope === 'own' ? this.#book.whole() : NOTHING;
    const all = { slowestMs: this.#slowestMs, horizonMs: this.#horizonMs };
    return { kind: 'orders', scope, update, ...all, ...this.#late };
  }

  #tellChanges(tell: TellGuard): void {
    if (!tell(() => this.#changes())) return;
    this.#late = {};
    this.#waiting.clear();
  }

  #changes(): OrdersMessage {
    const live: OwnOrderWord[] = [];
    const ended: OwnEnd[] = [];
    for (const word of this.#waiting.values()) {
      if ('priceMilli' in word) live.push(word);
      else ended.push(word);
    }
    const update = { isWhole: false, live, ended, aheadMs: this.#clockAheadMs };
    return { kind: 'orders', scope: this.#scope, update, ...this.#late };
  }
}

/** In the scope of the account nobody needs names. */
const NOTHING: OwnOrdersUpdate = { isWhole: false, live: [], ended: [] };

/** The own orders by a ledger. */
export function updateOf(persisted: SeedState): OwnOrdersUpdate {
  const words = persisted.orders.filter((order) => !order.isExternal).map(wordOf);
  const hashes = (persisted.endedHashes ?? []).map((orderHash) => ({ orderHash }));
  return {
    isWhole: true,
    live: words.filter((word) => 'priceMilli' in word),
    ended: [...hashes, ...words.filter((word) => !('priceMilli' in word))],
    aheadMs: persisted.clock && aheadOf(persisted.clock),
  };
}

/** Keeps records as before, and tells the guard when they are durable and before anything leaves. */
export function tellingWriter(
  writer: JournalWriter,
  teller: OwnTeller,
  onlooker?: { onRecord(record: LedgerRecord): void; onTurn(): void },
): Keeping {
  return {
    get fault() {
      return writer.fault;
    },
    keep: (record) => {
      writer.keep(record);
      teller.onRecord(record);
      onlooker?.onRecord(record);
    },
    commit: () => {
      const isDurable = writer.commit();
      if (isDurable) teller.flush();
      return isDurable;
    },
    onTurn: () => {
      writer.onTurn();
      teller.flush();
      onlooker?.onTurn();
    },
  };
}

function inFlightText({ side, quantity, tokenId, priceMilli }: OwnOrderWord): string {
  return `${side} ${formatShares(quantity)} of ${tokenId} at ${(priceMilli / MILLI).toFixed(3)}`;
}

function aheadOf({ offsetMs }: StoredClock): number {
  return Math.max(0, -offsetMs);
}

/** Without a catalogue a list is read in thousandths. */
const MILLI = 1_000;

/** What is matched in full can be cancelled no more, and counts as ended. */
function wordOf(order: StoredOrder): OwnOrderWord | OwnEnd {
  const { intentId, orderHash, marketId, tokenId, side, quantity, sentAtMs, state } = order;
  if (isTerminal(state) || isCommitted(state)) return { intentId, orderHash };
  const priceMilli = (order.price * MILLI) / order.ticksPerUnit;
  return { intentId, orderHash, marketId, tokenId, side, priceMilli, quantity, sentAtMs };
}
