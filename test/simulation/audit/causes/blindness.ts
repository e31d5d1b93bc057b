// The account's channel is down for longer than the setting allows, balances are known, and an own order
// rests all the same: nobody would tell of its fill.

import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

export class BlindnessCause implements Cause {
  readonly #room: Room;
  #deafSinceMs: number | undefined;
  /** When the first balances of this process came: before them there is nothing to lose sight of. */
  #knowsSinceMs: number | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Since when the account's channel tells nothing, as far as the daemon was told. */
  get deafSinceMs(): number | undefined {
    return this.#deafSinceMs;
  }

  onProcessStarts(nowMs: number): void {
    this.#deafSinceMs = nowMs;
    this.#knowsSinceMs = undefined;
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    switch (message.kind) {
      case 'socketLost':
      case 'authRefused':
        this.#deafSinceMs ??= nowMs;
        return;
      case 'authenticated':
        this.#deafSinceMs = undefined;
        return;
      case 'balances':
        if (message.outcome.kind === 'ok') this.#knowsSinceMs ??= nowMs;
        return;
      default:
        return;
    }
  }

  due(nowMs: number): readonly Due[] {
    const { forMs = 0 } = this.#room.settings.risk.blind ?? {};
    if (forMs === 0 || this.#deafSinceMs === undefined || this.#knowsSinceMs === undefined)
      return [];
    const blindMs = nowMs - Math.max(this.#deafSinceMs, this.#knowsSinceMs);
    if (blindMs <= forMs || !this.#hasOrders()) return [];
    const detail = `no channel for ${blindMs} ms, and orders rest`;
    return [{ control: 'blind_account', where: 'account', detail }];
  }

  #hasOrders(): boolean {
    const { facts, processes } = this.#room;
    for (const fact of facts.live()) {
      const isOwn = fact.owner === 'intent' && fact.process === processes.process;
      // Without a channel nobody tells of what a failed settlement puts back; a list does, in time.
      if (isOwn && !facts.isJustBack(fact)) return true;
    }
    return false;
  }
}
