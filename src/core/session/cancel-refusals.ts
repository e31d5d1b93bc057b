// What of a mass cancel is left: the orders on the last list that it means, and those of them that the venue
// refuses to cancel and goes on listing. @spec Endpoints › Cancelling

import type { OrderHash } from '../../domain/ids.ts';
import type { OrderReport } from '../../domain/order.ts';

/** Rounds in which the venue refuses to cancel an order that the next list shows, until it is trusted. */
const REFUSED_ROUNDS = 3;

/** In how many rounds an order was refused, and how much of it had traded then. */
type Refused = { readonly rounds: number; readonly executed: number };

export class CancelRefusals {
  /** Orders that the answers of this round refused to cancel, each by its name. */
  #now = new Set<OrderHash>();
  /** Rounds in which an order was refused and listed again; as many entries as orders on the last list. */
  #rounds: ReadonlyMap<OrderHash, Refused> = new Map();
  #listed: readonly OrderReport[] = [];
  #answers = '';

  onRound(): void {
    this.#answers = '';
  }

  onRefused(named: readonly OrderHash[]): void {
    for (const hash of named) this.#now.add(hash);
  }

  onAnswer(text: string): void {
    this.#answers = text;
  }

  /**
   * An order counts as refused for as long as lists go on showing it as it was: one that a failed settlement
   * has put back, say, may be cancelled again.
   */
  onListed(open: readonly OrderReport[]): void {
    const rounds = new Map<OrderHash, Refused>();
    for (const { orderHash, executed } of open) {
      const before = this.#rounds.get(orderHash);
      const earlier = before?.executed === executed ? before.rounds : 0;
      rounds.set(orderHash, { rounds: earlier + (this.#now.has(orderHash) ? 1 : 0), executed });
    }
    this.#rounds = rounds;
    this.#listed = open;
    this.#now = new Set();
  }

  /** Whether the venue has refused, again and again, to cancel an order that it goes on listing. */
  isRefused(orderHash: OrderHash): boolean {
    return (this.#rounds.get(orderHash)?.rounds ?? 0) >= REFUSED_ROUNDS;
  }

  /** Orders to cancel that the last list showed. */
  get listed(): readonly OrderHash[] {
    return this.#listed.map((report) => report.orderHash);
  }

  /** Orders are left, and every one of them is refused: a further cancel changes nothing. */
  get hasOnlyRefused(): boolean {
    return this.#listed.length > 0 && this.listed.every((hash) => this.isRefused(hash));
  }

  /** Each has traded in part besides: of such orders the document lets a venue refuse it. */
  get hasOnlyParts(): boolean {
    return this.hasOnlyRefused && this.#listed.every((report) => report.executed > 0);
  }

  /** What is still open, and what the venue says to its cancel. */
  get text(): string {
    const count = `${this.#listed.length} orders still open`;
    const refused = this.#listed.filter((report) => this.isRefused(report.orderHash));
    if (refused.length === 0) return count;
    const statuses = [...new Set(refused.map((report) => report.status))].join(', ');
    const words = `the venue refuses to cancel ${refused.length} of them`;
    return `${count}; ${words}: it answers "${this.#answers}" and lists them as ${statuses}`;
  }
}
