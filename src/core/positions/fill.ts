// An own fill while it waits for its settlement on the chain, and the cash it is counted with.

import type { IntentId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';
import { takerFeeOfNano } from '../kernel/nano.ts';

/** Shares of one own order that have matched. */
export type Fill = {
  /** The order that matched. */
  readonly intentId: IntentId | undefined;
  readonly side: Side;
  /** Cash of all of it at its order's price in nano-USDC, negative for a buy, without any fee. */
  readonly cashNano: number;
  /** r of the taker fee that it pays; absent for a maker's fill. */
  readonly takerFeeRate?: number | undefined;
  /** What of it has not settled yet. */
  quantity: MicroShares;
  readonly original: MicroShares;
  readonly atMs: UnixMs;
};

export type ReportedFill = Fill & {
  /** When its order was sent: nothing that settled before can be of it. */
  readonly sentAtMs: UnixMs;
};

/** What the chain settled: shares of one side, and their cash in nano-USDC, negative for a buy. */
export type Settled = {
  readonly side: Side;
  readonly quantity: MicroShares;
  readonly cashNano: number;
};

/** What shares of a side add to a position. */
export function signed(side: Side, quantity: number): number {
  return side === 'BUY' ? quantity : -quantity;
}

type Priced = Pick<Fill, 'cashNano' | 'original' | 'takerFeeRate'>;

/** What a part of a fill was counted with when it was reported: its order's price, less the fee there. */
export function cashOf(fill: Priced, part: MicroShares): number {
  const tradedNano = Math.round((fill.cashNano * part) / fill.original);
  return tradedNano - feeNano(fill.takerFeeRate, tradedNano, part);
}

/** The fee that a part of a fill pays at the price at which it settled. */
export function feeAtSettlement(
  { takerFeeRate }: Pick<Fill, 'takerFeeRate'>,
  settled: Settled,
  part: MicroShares,
): number {
  return feeNano(takerFeeRate, (settled.cashNano * part) / settled.quantity, part);
}

/** USDC has six decimals: no fee takes less than a millionth of one. */
const FEE_STEP_NANO = 1_000;

function feeNano(rate: number | undefined, tradedNano: number, part: MicroShares): number {
  if (rate === undefined) return 0;
  const nano = takerFeeOfNano(rate, Math.abs(tradedNano), part);
  return Math.floor(nano / FEE_STEP_NANO) * FEE_STEP_NANO;
}
