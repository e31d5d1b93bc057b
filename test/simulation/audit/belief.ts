// What the daemon has said it knows of orders on the venue, from its own reports.

import type { OrderHash } from '../../../src/domain/ids.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import type { Report } from '../../../src/domain/report.ts';

export class Belief {
  readonly #isLive = new Map<OrderHash, boolean>();

  onReport(report: Report): void {
    if (report.event === 'order.orphan') this.#isLive.set(report.orderHash, true);
    if (report.event !== 'order.moved' || report.orderHash === undefined) return;
    this.#isLive.set(report.orderHash, !isTerminal(report.to));
  }

  knowsAsLive(hash: OrderHash): boolean {
    return this.#isLive.get(hash) ?? false;
  }
}
