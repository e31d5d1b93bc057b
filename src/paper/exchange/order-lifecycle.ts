// Beginnings and ends of orders: registered, expired, cancelled, filled.

import type { ExchangeContext } from './context.ts';
import type { ExchangeOrder, OrderEnd } from './exchange-order.ts';
import { releaseResting } from './ledger.ts';

export class OrderLifecycle {
  readonly #context: ExchangeContext;
  /** Expiry timers of live GTD orders; bounded by the open orders of all accounts. */
  readonly #expiries = new Map<ExchangeOrder, () => void>();

  constructor(context: ExchangeContext) {
    this.#context = context;
  }

  /** The order is acknowledged: listed, watched for its expiry, and announced as `OPEN`. */
  register(order: ExchangeOrder): void {
    const { expiresAtMs } = order.terms;
    this.#context.open.add(order);
    if (expiresAtMs !== undefined) this.#watchExpiry(order, expiresAtMs);
    this.announce(order);
  }

  /** Ends an order now; what has matched settles all the same. */
  end(order: ExchangeOrder, end: OrderEnd): void {
    if (order.end !== undefined) return;
    const restedMicro = order.restingMicro();
    const { account, orderHash, market } = order.terms;
    order.end = end;
    this.#context.books.of(market).reduce(order, restedMicro, true);
    releaseResting(order, restedMicro);
    this.#context.open.remove(order);
    account.rememberClosed(orderHash);
    this.#expiries.get(order)?.();
    this.#expiries.delete(order);
    if (restedMicro > 0) this.levelChanged(order);
    this.announce(order);
  }

  /** Tells the account that its order changed state, and that its totals did. */
  announce(order: ExchangeOrder): void {
    this.#context.emit({ kind: 'orderUpdated', order, cause: 'state' });
    this.#context.emit({ kind: 'accountChanged', account: order.terms.account });
  }

  /** Tells the public that the level of an order changed. */
  levelChanged(order: ExchangeOrder): void {
    const { market, side, price } = order.terms;
    this.#context.emit({
      kind: 'levelChanged',
      token: { market, index: order.index },
      side: side === 'BUY' ? 'bid' : 'ask',
      priceTicks: price,
    });
  }

  #watchExpiry(order: ExchangeOrder, expiresAtMs: number): void {
    const delayMs = Math.max(0, expiresAtMs - this.#context.clock.nowMs());
    const callOff = this.#context.timers.after(delayMs, () => {
      if (order.restingMicro() > 0) this.end(order, 'expired');
    });
    this.#expiries.set(order, callOff);
  }
}
