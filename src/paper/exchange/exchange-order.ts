// One order inside the exchange, and what it says of itself on each channel.

import type { OrderHash } from '../../domain/ids.ts';
import type { Outcome, OutcomeIndex } from '../../domain/market.ts';
import type { OrderStatus, Side } from '../../domain/order.ts';
import type { TickGrid, Ticks } from '../../domain/ticks.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Account } from './account.ts';
import { type NanoUsdc, NO_USDC, type TakerFee } from './amounts.ts';
import type { AxisPoint } from './axis.ts';
import type { ListedMarket } from './listed-market.ts';

export type TimeInForce = 'GTC' | 'GTD' | 'FOK' | 'FAK';

/** What whoever places an order decided about it. */
export type OrderTerms = {
  readonly id: string;
  readonly orderHash: OrderHash;
  readonly account: Account;
  readonly market: ListedMarket;
  readonly outcome: Outcome;
  /** The grid that `price` counts ticks of. */
  readonly grid: TickGrid;
  readonly side: Side;
  readonly price: Ticks;
  readonly quantityMicro: number;
  readonly timeInForce: TimeInForce;
  readonly expiresAtMs: UnixMs | undefined;
  readonly createdAtMs: UnixMs;
  /** A market order meets orders of its own token only. @spec POST /orders/market, rule 1 */
  readonly scope: 'market' | 'token';
  /** USDC that a market BUY may spend in all. */
  readonly spendMaxNano: NanoUsdc | undefined;
  readonly fee: TakerFee;
};

export type OrderEnd = 'cancelled' | 'expired' | 'filled';

export class ExchangeOrder {
  readonly terms: OrderTerms;
  readonly axis: AxisPoint;
  /** Settled. */
  filledMicro = 0;
  /** Matched and awaiting settlement. */
  holdMicro = 0;
  /** Matched, failed on-chain, and not to rest again. */
  failedMicro = 0;
  /** Cash held for the part that still rests. */
  cashHeldNano = NO_USDC;
  spentNano = NO_USDC;
  /** No cash is held for a fee: it rests, and whoever meets it pays. */
  isFreeOfFee = false;
  end: OrderEnd | undefined;
  /** Recorded size of each token that stands before this order, by outcome index. */
  readonly aheadMicro: [number, number] = [0, 0];

  constructor(terms: OrderTerms, axis: AxisPoint) {
    this.terms = terms;
    this.axis = axis;
  }

  get index(): OutcomeIndex {
    return this.terms.outcome.outcomeIndex;
  }

  /** Shares that never matched. */
  unmatchedMicro(): number {
    return this.terms.quantityMicro - this.filledMicro - this.holdMicro - this.failedMicro;
  }

  /** @spec Resources and their fields › Order */
  restingMicro(): number {
    return this.end === undefined ? this.unmatchedMicro() : 0;
  }

  /** What the user channel calls this state; `MATCHED` is said nowhere else. */
  socketStatus(): OrderStatus {
    if (this.end !== undefined) return ENDS[this.end];
    if (this.unmatchedMicro() === 0) return 'MATCHED';
    return this.filledMicro + this.holdMicro > 0 ? 'PARTIALLY_FILLED' : 'OPEN';
  }

  /** What REST calls it: what is matched shows as `holdQuantity` instead. */
  restStatus(): OrderStatus {
    const status = this.socketStatus();
    if (status !== 'MATCHED') return status;
    return this.filledMicro > 0 ? 'PARTIALLY_FILLED' : 'OPEN';
  }
}

const ENDS: Readonly<Record<OrderEnd, OrderStatus>> = {
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  filled: 'FILLED',
};
