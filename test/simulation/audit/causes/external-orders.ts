// Orders that the daemon never sent rest for longer than the setting allows after it has said that it
// sees them: it means everybody's, and no cancel of its own removes them.

import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { Report } from '../../../../src/domain/report.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

export class ExternalOrderCause implements Cause {
  readonly #room: Room;
  /** When this process first said that it sees each; that it does not is another rule's. */
  readonly #seenAtMs = new Map<OrderHash, number>();

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#seenAtMs.clear();
  }

  onReport(report: Report, nowMs: number): void {
    if (report.event !== 'order.external' || this.#seenAtMs.has(report.orderHash)) return;
    this.#seenAtMs.set(report.orderHash, nowMs);
  }

  due(nowMs: number): readonly Due[] {
    const { settings, facts } = this.#room;
    const { forMs = 0 } = settings.risk.divergence ?? {};
    const { scope, externalOrders } = settings.orders;
    if (forMs === 0 || scope === 'own' || externalOrders === 'adopt') return [];
    for (const fact of facts.live()) {
      // It was matched in full, and no sign of anything, until its settlement failed.
      if (facts.isJustBack(fact)) continue;
      const { orderHash } = fact.order.terms;
      const lastedMs = nowMs - (this.#seenAtMs.get(orderHash) ?? nowMs);
      if (lastedMs <= forMs) continue;
      const detail = `${orderHash} is somebody else's, and was seen ${lastedMs} ms ago`;
      return [{ control: 'order_divergence', where: 'account', detail }];
    }
    return [];
  }
}
