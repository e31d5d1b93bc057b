// What the daemon writes down as ended has ended: no order rests that its own records call over.

import { isTerminal } from '../../../src/domain/order.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import type { OrderFact } from './facts.ts';

/** What a claim is held against. */
export type Claimed = Pick<OrderFact, 'owner' | 'intentId'> & {
  readonly order: {
    restingMicro(): number;
    readonly terms: Pick<OrderFact['order']['terms'], 'side' | 'price' | 'quantityMicro'> & {
      readonly outcome: { readonly tokenId: string };
      readonly grid: { readonly ticksPerUnit: number };
    };
  };
};

export class Claims<Fact extends Claimed> {
  /** Orders of the venue by their intents; one each, else another rule is broken. */
  readonly #facts = new Map<string, Fact>();
  /** Intents that were called over, and as what. */
  readonly #over = new Map<string, StoredOrder['state']>();
  /** Those that the memory of the process at hand calls over: an order of theirs is of no other placement. */
  readonly #remembered = new Set<string>();
  /**
   * Of placements alike that nobody answered, nobody can tell which one an order is of: where the daemon gives
   * one the order of another, they change places.
   */
  readonly #standsFor = new Map<string, string>();

  /** Orders beside the one that their placement is known by. */
  readonly #beside = new Set<string>();

  /** @param remembers - Whether it has the memory of the process before it. */
  onProcessStarts(remembers: boolean): void {
    if (!remembers) this.#remembered.clear();
  }

  /** @returns What the daemon had called it before the venue accepted it. */
  onAccepted(fact: Fact): string | undefined {
    if (fact.owner !== 'intent' || fact.intentId === undefined) return undefined;
    this.#facts.set(fact.intentId, fact);
    return fact.order.restingMicro() > 0 ? this.#over.get(fact.intentId) : undefined;
  }

  /** @returns The order that rests all the same. */
  onRecord(
    record: LedgerRecord,
    find: (orderHash: string) => Fact | undefined,
  ): { fact: Fact; state: string } | undefined {
    if (record.kind !== 'order') return undefined;
    if (this.#isKept(record.order)) return undefined;
    const { intentId, state, orderHash } = record.order;
    const named = orderHash === undefined ? undefined : find(orderHash);
    if (named !== undefined) this.#identify(record.order, named);
    // Of two orders that one request made, nobody can tell which was meant.
    if (!isTerminal(state) || named?.owner === 'double') return undefined;
    const meant = this.#meantBy(intentId);
    this.#over.set(meant, state);
    this.#remembered.add(meant);
    const fact = this.#facts.get(meant);
    return fact && fact.order.restingMicro() > 0 ? { fact, state } : undefined;
  }

  /** It never lived here: kept for the hash that an answer named, it says whose that is, and of no end. */
  #isKept({ intentId, orderHash, state }: StoredOrder): boolean {
    if (orderHash === undefined || !intentId.endsWith(`-${orderHash}`)) return false;
    if (!isTerminal(state)) this.#beside.add(intentId);
    return !this.#beside.has(intentId);
  }

  #identify(order: StoredOrder, fact: Fact): void {
    const { owner, intentId: meant } = fact;
    if (owner !== 'intent' || meant === undefined || !isAlike(order, fact)) return;
    const before = this.#meantBy(order.intentId);
    if (before === meant || this.#remembered.has(meant)) return;
    const [other] = [...this.#standsFor].find(([, each]) => each === meant) ?? [meant];
    this.#standsFor.set(other, before);
    this.#standsFor.set(order.intentId, meant);
  }

  #meantBy(intentId: string): string {
    return this.#standsFor.get(intentId) ?? intentId;
  }
}

function isAlike(order: StoredOrder, { order: { terms } }: Claimed): boolean {
  return (
    terms.outcome.tokenId === order.tokenId &&
    terms.side === order.side &&
    terms.quantityMicro === order.quantity &&
    terms.price === order.price &&
    terms.grid.ticksPerUnit === order.ticksPerUnit
  );
}
