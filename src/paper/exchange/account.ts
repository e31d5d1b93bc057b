// One account of the venue: cash, shares, holds, and what it did.

import type { OrderHash, TokenId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';
import { type NanoUsdc, NO_USDC } from './amounts.ts';
import { type Ring, ring } from './ring.ts';

/** `recorded` is the anonymous crowd of a recording: it may owe what it likes. */
export type AccountKind = 'api' | 'crowd' | 'recorded';

/** Shares of one token; `indexed` is what REST shows, later than the truth. */
export type Holding = {
  settledMicro: number;
  heldMicro: number;
  indexedMicro: number;
  /** What the settled shares cost, for profit and loss. */
  costBasisNano: NanoUsdc;
};

export type Transfer = {
  readonly id: string;
  readonly amountNano: NanoUsdc;
  readonly atMs: UnixMs;
};

export type SettledTrade = {
  readonly tradeId: string;
  readonly tokenId: TokenId;
  readonly marketId: string;
  readonly outcomeName: string;
  readonly marketTitle: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantityMicro: number;
  readonly costNano: NanoUsdc;
  readonly feeNano: NanoUsdc;
  readonly realizedPnlNano: NanoUsdc;
  readonly txHash: string;
  readonly atMs: UnixMs;
};

/** Trades, transfers and closed orders are kept for reading, not for ever. */
const TRADES_KEPT = 1_000;
const TRANSFERS_KEPT = 200;
const CLOSED_KEPT = 10_000;
const CLIENT_IDS_KEPT = 10_000;

export class Account {
  readonly name: string;
  readonly kind: AccountKind;
  cashNano = NO_USDC;
  /** Holds of resting BUYs and of matched BUYs that await settlement. */
  cashHeldNano = NO_USDC;
  netDepositsNano = NO_USDC;
  realizedPnlNano = NO_USDC;
  feesPaidNano = NO_USDC;
  /** May read and cancel, may not trade. */
  isRestricted = false;
  /** May reduce positions, may not open new ones. */
  isGeoRestricted = false;
  readonly holdings = new Map<TokenId, Holding>();
  readonly trades: Ring<SettledTrade> = ring(TRADES_KEPT);
  readonly deposits: Ring<Transfer> = ring(TRANSFERS_KEPT);
  readonly withdrawals: Ring<Transfer> = ring(TRANSFERS_KEPT);
  readonly #closed = new Set<OrderHash>();
  readonly #clientIds = new Set<string>();

  constructor(name: string, kind: AccountKind) {
    this.name = name;
    this.kind = kind;
  }

  availableNano(): NanoUsdc {
    return this.cashNano - this.cashHeldNano;
  }

  holding(tokenId: TokenId): Holding {
    const known = this.holdings.get(tokenId);
    if (known) return known;
    const fresh = { settledMicro: 0, heldMicro: 0, indexedMicro: 0, costBasisNano: NO_USDC };
    this.holdings.set(tokenId, fresh);
    return fresh;
  }

  /** Settled shares that no order holds: what may be sold. */
  sellableMicro(tokenId: TokenId): number {
    const holding = this.holdings.get(tokenId);
    return holding ? holding.settledMicro - holding.heldMicro : 0;
  }

  /** Whether an order of this hash was open once and is no more. */
  wasClosed(orderHash: OrderHash): boolean {
    return this.#closed.has(orderHash);
  }

  rememberClosed(orderHash: OrderHash): void {
    if (this.kind === 'api') addBounded(this.#closed, orderHash, CLOSED_KEPT);
  }

  hasUsed(clientOrderId: string): boolean {
    return this.#clientIds.has(clientOrderId);
  }

  rememberClientId(clientOrderId: string): void {
    addBounded(this.#clientIds, clientOrderId, CLIENT_IDS_KEPT);
  }
}

function addBounded<Value>(set: Set<Value>, value: Value, countMax: number): void {
  set.add(value);
  if (set.size <= countMax) return;
  for (const oldest of set) {
    set.delete(oldest);
    return;
  }
}
