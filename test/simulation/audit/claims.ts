// What the daemon writes down as ended has ended: no order rests that its own records call over.

import { isTerminal } from '../../../src/domain/order.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import type { OrderFact } from './facts.ts';

export class Claims {
  /** Orders of the venue by their intents; one each, else another rule is broken. */
  readonly #facts = new Map<string, OrderFact>();
  /** Intents that were called over, and as what. */
  readonly #over = new Map<string, StoredOrder['state']>();

  /** @returns What the daemon had called it before the venue accepted it. */
  onAccepted(fact: OrderFact): string | undefined {
    if (fact.owner !== 'intent' || fact.intentId === undefined) return undefined;
    this.#facts.set(fact.intentId, fact);
    return fact.order.restingMicro() > 0 ? this.#over.get(fact.intentId) : undefined;
  }

  /** @returns The order that rests all the same. */
  onRecord(
    record: LedgerRecord,
    isDouble: (hash: string) => boolean,
  ): { fact: OrderFact; state: string } | undefined {
    if (record.kind !== 'order' || !isTerminal(record.order.state)) return undefined;
    const { intentId, state, orderHash } = record.order;
    // Of two orders that one request made, nobody can tell which was meant.
    if (orderHash !== undefined && isDouble(orderHash)) return undefined;
    this.#over.set(intentId, state);
    const fact = this.#facts.get(intentId);
    return fact && fact.order.restingMicro() > 0 ? { fact, state } : undefined;
  }
}
