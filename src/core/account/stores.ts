// What reports, lists and the journal have said that has no better place.

import type { IntentId, MarketId, TokenId } from '../../domain/ids.ts';
import type { ChainMessage } from '../../domain/message.ts';
import type { Side } from '../../domain/order.ts';
import type { StoredEarly, StoredFlows, StoredSteady } from '../../domain/record.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Connection } from '../kernel/stores.ts';
import { EPSILON_NANO } from '../positions/cash.ts';
import type { KeptBaselines } from '../risk/controls.ts';
import type { MarketFlows } from '../risk/market.ts';
import type { WriteBudget } from '../sending/budget.ts';
import type { MarketState } from '../sending/market.ts';
import type { SendingStores } from '../sending/stores.ts';
import type { SetsStores } from '../sets/stores.ts';
import type { ExternalCancels } from './external-cancels.ts';
import type { History } from './history.ts';
import type { Reads } from './reads.ts';

export interface AccountStores extends SendingStores, SetsStores<MarketState> {
  readonly budget: WriteBudget;
  readonly connection: Connection;
  readonly history: History;
  readonly reads: Reads;
  readonly locks: Locks;
  readonly written: Written;
  /** One entry for each market quoted now, and each that was ever traded. */
  readonly flows: Map<MarketId, MarketFlows>;
  /** Tokens of markets that left and were traded: a late settlement is still theirs. */
  readonly leftTokens: Map<TokenId, MarketId>;
  /** Failed trades whose token or order is not known yet. */
  busts: Bust[];
  /** The failed settlement that was reported last: its frame has no name, so a second one is as likely. */
  lastFailed: { readonly what: string; readonly atMs: UnixMs } | undefined;
  /** Settlements already counted, oldest first. */
  readonly tradeIds: Set<string>;
  /** Settlements that named no token, oldest first: balances show whose shares they were. */
  unnamedSettlements: StoredEarly[];
  /** What the chain said before the catalogue was known, oldest first. */
  readonly earlyChain: ChainMessage[];
  /** Shares that balances showed when they were last read. */
  balancesRead: BalancesRead | undefined;
  /** What is cancelled on markets that are not quoted. */
  readonly externalCancels: ExternalCancels;
}

export type BalancesRead = {
  readonly amounts: ReadonlyMap<TokenId, MicroShares>;
  readonly locked: ReadonlyMap<TokenId, MicroShares>;
  readonly askedAtMs: UnixMs;
};

// A failed trade that may be of several tokens, or of several orders of one.

export type Bust = {
  /** Names its uncertain items: another bust may be reported in the same millisecond. */
  readonly id: IntentId;
  readonly side: Side;
  readonly quantity: MicroShares;
  readonly atMs: UnixMs;
  /** Tokens that it can be of, with an uncertain item on each; none once its shares were taken back. */
  readonly tokens: Set<TokenId>;
  /** The token whose shares were taken back, and of which some order may rest again. */
  reversed: TokenId | undefined;
};

// What was last written to the journal, to see what has drifted since: the notes that `records.ts` works from.

export class Written {
  readonly flows = new Map<MarketId, StoredFlows>();
  readonly memories = new Map<string, unknown>();
  cashNano: number | undefined;
  adoptedNano = 0;
  steady: StoredSteady | undefined;
  baselines: KeptBaselines | undefined;
  /** With profits, holdings and prices. */
  baselinesText: string | undefined;
  baselinesAtMs: UnixMs | undefined;
  sweptAtMs: UnixMs | undefined;
}

// Whether the venue locks what has matched until it settles, or only what rests: the interface does not
// say, so clean reads teach it.
// @spec Resources and their fields › Balances

export type Locked = {
  /** Cash that resting buys lock, those on markets that are not quoted among them. */
  readonly restingNano: number;
  /** Cash of matched buys that have not settled. */
  readonly matchedNano: number;
};

/** Reads in a row that must say the same before it is trusted: a match may settle while one is under way. */
const READS_MIN = 2;

export class Locks {
  /** Cash that orders on markets which are not quoted lock, by the last list. */
  elsewhereNano = 0;
  /** No lock is left of buys that should have settled, since when. */
  unlockedSinceMs: UnixMs | undefined;
  #kept = 0;
  #released = 0;

  /** `undefined` while nobody knows. */
  get keepsMatched(): boolean | undefined {
    if (this.#released >= READS_MIN) return false;
    return this.#kept >= READS_MIN ? true : undefined;
  }

  /** A previous run had learnt it from the same venue. */
  restore(keepsMatched: boolean): void {
    this.#kept = keepsMatched ? READS_MIN : 0;
    this.#released = keepsMatched ? 0 : READS_MIN;
  }

  get mayLearn(): boolean {
    return this.keepsMatched === undefined;
  }

  /** A read with nothing in flight and nothing uncertain, whose cash agrees. */
  onRead(beyondNano: number, { matchedNano }: Locked): void {
    if (matchedNano <= EPSILON_NANO) return;
    const isKept = isNear(beyondNano, matchedNano);
    const isReleased = isNear(beyondNano, 0);
    if (isKept || isReleased) {
      this.#kept = isKept ? this.#kept + 1 : 0;
      this.#released = isReleased ? this.#released + 1 : 0;
    }
  }

  /** Whether cash locked beyond what rests is just what matched buys lock. */
  explains(beyondNano: number, { matchedNano }: Locked): boolean {
    return this.#fits(beyondNano, matchedNano, EPSILON_NANO);
  }

  /** The same of shares. */
  isLocked(beyond: number, matched: number): boolean {
    return this.#fits(beyond, matched, 0);
  }

  #fits(beyond: number, matched: number, epsilon: number): boolean {
    const isKept = Math.abs(beyond - matched) <= epsilon;
    const isReleased = Math.abs(beyond) <= epsilon;
    if (this.keepsMatched === undefined) return isKept || isReleased;
    return this.keepsMatched ? isKept : isReleased;
  }
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= EPSILON_NANO;
}
