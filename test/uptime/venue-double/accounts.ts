// Cash and shares of the accounts: settled at once, shown as late as a chain indexer shows them.

import { isLive, type Order, resting } from './terms.ts';

export class Account {
  readonly name: string;
  /** Without a purse nothing is checked: the crowd has whatever it needs. */
  readonly isBounded: boolean;
  cashNano = 0;
  readonly settled = new Map<string, number>();
  /** What `GET /portfolio/balances` shows. */
  readonly indexed = new Map<string, number>();
  readonly orders = new Map<string, Order>();
  /** Ended orders are forgotten after a while; a scene lasts minutes. */
  readonly endedMax = 5_000;

  constructor(name: string, isBounded: boolean) {
    this.name = name;
    this.isBounded = isBounded;
  }

  live(): readonly Order[] {
    return [...this.orders.values()].filter(isLive);
  }

  add(order: Order): void {
    this.orders.set(order.orderHash, order);
    if (this.orders.size <= this.endedMax) return;
    for (const [hash, each] of this.orders) {
      if (isLive(each) || each.held > 0) continue;
      this.orders.delete(hash);
      return;
    }
  }

  /** Cash that buys hold: what rests, and what has matched without having settled. */
  heldCashNano(): number {
    let sum = 0;
    for (const order of this.orders.values()) {
      if (order.side === 'BUY') sum += (resting(order) + order.held) * order.priceTicks;
    }
    return sum;
  }

  heldShares(tokenId: string): number {
    let sum = 0;
    for (const order of this.orders.values()) {
      if (order.side === 'SELL' && order.tokenId === tokenId) sum += resting(order) + order.held;
    }
    return sum;
  }

  freeShares(tokenId: string): number {
    return (this.settled.get(tokenId) ?? 0) - this.heldShares(tokenId);
  }
}

export function addTo(amounts: Map<string, number>, tokenId: string, change: number): void {
  amounts.set(tokenId, (amounts.get(tokenId) ?? 0) + change);
}
