// Orders that the daemon never sent rest for longer than the setting allows, though lists show them: it
// means everybody's, and no cancel of its own removes them.

import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

/** What a life finds may be its own, until it would have arrived by now. */
const FOUND_MS = 60_000;

export class StrangerCause implements Cause {
  readonly #room: Room;
  /** When a list first showed each to this life. */
  readonly #shownAtMs = new Map<OrderHash, number>();

  constructor(room: Room) {
    this.#room = room;
  }

  onLifeStarts(): void {
    this.#shownAtMs.clear();
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    const { facts } = this.#room;
    for (const { orderHash } of message.outcome.value) {
      const isOurs = facts.find(orderHash)?.owner === 'intent';
      if (!isOurs && !this.#shownAtMs.has(orderHash)) this.#shownAtMs.set(orderHash, nowMs);
    }
  }

  due(nowMs: number): readonly Due[] {
    const { settings, facts } = this.#room;
    const { forMs = 0 } = settings.risk.divergence ?? {};
    const { scope, orphans } = settings.orders;
    if (forMs === 0 || scope === 'own' || orphans === 'adopt') return [];
    for (const { order } of facts.live()) {
      const { orderHash } = order.terms;
      const lastedMs = nowMs - (this.#shownAtMs.get(orderHash) ?? nowMs);
      if (lastedMs <= forMs + FOUND_MS) continue;
      const detail = `${orderHash} is nobody's of ours, and shown for ${lastedMs} ms`;
      return [{ control: 'order_divergence', where: 'account', detail }];
    }
    return [];
  }
}
