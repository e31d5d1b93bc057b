// Open orders, or balances, could not be read for a minute and more, and an own order rests all the same: what
// only they would show goes unseen.

import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

/** What a venue may take that is busy; beyond it come periods of the reads. */
const UNREAD_MS = 60_000;
const PERIODS = 3;
/** The machine's clock was set, which is no time in which anything could be read. */
const JUMP_MS = 1_000;

type Kind = 'openOrders' | 'balances';

export class UnreadCause implements Cause {
  readonly #room: Room;
  readonly #readAtMs = new Map<Kind, number>();
  #aheadMs: number | undefined;
  #jumpedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#readAtMs.clear();
    this.#aheadMs = undefined;
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    if (message.kind !== 'openOrders' && message.kind !== 'balances') return;
    if (message.outcome.kind === 'ok') this.#readAtMs.set(message.kind, nowMs);
  }

  due(nowMs: number): readonly Due[] {
    this.#noteJump(nowMs);
    const { risk, timing } = this.#room.settings;
    const { forMs = 0 } = risk.blind ?? {};
    // Before both were read nothing is quoted.
    if (forMs === 0 || this.#readAtMs.size < 2 || !this.#hasOrders()) return [];
    const periods = { openOrders: timing.reconcileMs, balances: timing.balancesMs };
    for (const [kind, readAtMs] of this.#readAtMs) {
      const unreadMs = nowMs - Math.max(readAtMs, this.#jumpedAtMs);
      if (unreadMs <= Math.max(UNREAD_MS, PERIODS * periods[kind], forMs)) continue;
      const detail = `${kind} unread for ${unreadMs} ms, and orders rest`;
      return [{ control: 'blind_account', where: 'account', detail }];
    }
    return [];
  }

  #noteJump(nowMs: number): void {
    const { hostMs } = this.#room;
    const aheadMs = (hostMs?.() ?? nowMs) - nowMs;
    if (Math.abs(aheadMs - (this.#aheadMs ?? aheadMs)) > JUMP_MS) this.#jumpedAtMs = nowMs;
    this.#aheadMs = aheadMs;
  }

  #hasOrders(): boolean {
    const { facts, processes } = this.#room;
    for (const fact of facts.live()) {
      const isOwn = fact.owner === 'intent' && fact.process === processes.process;
      // What a failed settlement puts back only a list tells.
      if (isOwn && !facts.isJustBack(fact)) return true;
    }
    return false;
  }
}
