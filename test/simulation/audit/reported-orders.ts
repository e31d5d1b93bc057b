// What the daemon has said it knows of orders on the venue, from its own reports.

import type { OrderHash } from '../../../src/domain/ids.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import type { Report } from '../../../src/domain/report.ts';

export class ReportedOrders {
  /** Since when each order is live; `undefined` for one that is not any more. */
  readonly #sinceMs = new Map<OrderHash, number | undefined>();

  onReport(report: Report, nowMs: number): void {
    if (report.event === 'order.external') this.#note(report.orderHash, true, nowMs);
    if (report.event !== 'order.moved' || report.orderHash === undefined) return;
    this.#note(report.orderHash, !isTerminal(report.to), nowMs);
  }

  isLive(hash: OrderHash): boolean {
    return this.#sinceMs.get(hash) !== undefined;
  }

  liveSinceMs(hash: OrderHash): number | undefined {
    return this.#sinceMs.get(hash);
  }

  #note(hash: OrderHash, isLive: boolean, nowMs: number): void {
    this.#sinceMs.set(hash, isLive ? (this.#sinceMs.get(hash) ?? nowMs) : undefined);
  }
}
