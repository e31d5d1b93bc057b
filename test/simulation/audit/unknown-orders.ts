// No order rests on the venue for longer than the audit interval without the daemon's knowing.

import type { OrderHash } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { OrderFact, OrderFacts } from './facts.ts';
import type { ReportedOrders } from './reported-orders.ts';

/** Lists that must have shown an order before the daemon has to know it. */
const LISTS_MIN = 3;
const SLACK_MS = 15_000;

export class UnknownOrders {
  readonly #auditMs: number;
  readonly #isOwnScope: boolean;
  /** Lists in a row that showed an order the daemon does not know. */
  readonly #shown = new Map<OrderHash, number>();
  #countsFromMs = 0;
  #isCancellingAll = true;

  constructor({ timing, orders }: Pick<CoreSettings, 'timing' | 'orders'>) {
    this.#isOwnScope = orders.scope === 'own';
    this.#auditMs = timing.unknownHorizonMs + 2 * timing.reconcileMs + SLACK_MS;
  }

  onProcessStarts(nowMs: number): void {
    this.#countsFromMs = nowMs;
    this.#shown.clear();
    this.#isCancellingAll = true;
  }

  /** While everything is being cancelled, nothing has to be known by name. */
  onReport(report: Report, nowMs: number): void {
    if (report.event !== 'phase.changed') return;
    this.#isCancellingAll = report.to !== 'quoting' && report.to !== 'paused';
    this.#countsFromMs = nowMs;
    this.#shown.clear();
  }

  onList(
    facts: OrderFacts,
    at: {
      readonly shown: ReadonlySet<OrderHash>;
      readonly reported: ReportedOrders;
      readonly nowMs: number;
    },
  ): void {
    for (const { order } of facts.live()) {
      const { orderHash } = order.terms;
      if (at.reported.isLive(orderHash)) this.#shown.delete(orderHash);
      else if (at.shown.has(orderHash)) this.#count(orderHash);
    }
  }

  pastDeadline(
    facts: OrderFacts,
    reported: ReportedOrders,
    at: { readonly nowMs: number; readonly era: number },
  ): OrderFact | undefined {
    if (this.#isCancellingAll) return undefined;
    for (const fact of facts.live()) {
      const { orderHash } = fact.order.terms;
      // What somebody else has there is reported once, to the process that sees it first; so is what a
      // process sent of which nobody has a memory.
      if (this.#isOwnScope && (fact.owner !== 'intent' || fact.era !== at.era)) continue;
      const since = Math.max(fact.acceptedAtMs, this.#countsFromMs);
      const isDue = at.nowMs - since > this.#auditMs && !facts.isJustBack(fact);
      if (!isDue || reported.isLive(orderHash)) continue;
      if ((this.#shown.get(orderHash) ?? 0) >= LISTS_MIN) return fact;
    }
    return undefined;
  }

  #count(hash: OrderHash): void {
    this.#shown.set(hash, (this.#shown.get(hash) ?? 0) + 1);
  }
}
