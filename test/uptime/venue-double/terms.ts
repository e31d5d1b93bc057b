// The words of the double: prices are whole ticks, shares are millionths, cash is billionths of a USDC,
// so that every sum is exact.

export type Side = 'BUY' | 'SELL';
export type AxisSide = 'bid' | 'ask';
export type OrderStatus =
  | 'OPEN'
  | 'MATCHED'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELLED'
  | 'EXPIRED';

export const MICRO = 1_000_000;

export type Market = {
  readonly id: string;
  readonly title: string;
  /** Token ids: NO at 0, YES at 1, as `outcomeIndex` has them. */
  readonly tokens: readonly [string, string];
};

/** Prices are from 1 to `ticksPerUnit - 1`. */
export type Grid = { readonly tickSize: '0.01' | '0.001'; readonly ticksPerUnit: number };

export type Order = {
  readonly id: string;
  readonly orderHash: string;
  readonly owner: string;
  readonly market: Market;
  readonly tokenId: string;
  readonly side: Side;
  readonly priceTicks: number;
  readonly quantity: number;
  readonly axisSide: AxisSide;
  /** On the YES axis. */
  readonly axisTicks: number;
  readonly placedAtMs: number;
  /** By the venue's clock. */
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  /** Matched and not settled yet. */
  held: number;
  filled: number;
  status: OrderStatus;
  /** Place in the queue of its price. */
  turn: number;
  /** Whether the engine has taken it up: from then on it can match. */
  isInBook: boolean;
  /** Put back after a trade of it failed. */
  isRestored: boolean;
};

/** One side of a match. */
export type Fill = {
  readonly tradeId: string;
  readonly order: Order;
  readonly quantity: number;
  readonly priceTicks: number;
  readonly atMs: number;
};

/** What is left of an order in the book. */
export function resting(order: Order): number {
  return isLive(order) ? order.quantity - order.held - order.filled : 0;
}

/** Open for its owner: it rests, or awaits a settlement. */
export function isLive({ status }: Order): boolean {
  return status === 'OPEN' || status === 'PARTIALLY_FILLED';
}

export function decimal(value: number, unit: number): string {
  const digits = String(unit).length - 1;
  const sign = value < 0 ? '-' : '';
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return `${sign}${text.slice(0, -digits)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** @spec Authentication › Signature, rule 3 */
export function isFresh(signedSec: number, nowMs: number): boolean {
  return Math.abs(signedSec * 1_000 - nowMs) <= 30_000;
}
