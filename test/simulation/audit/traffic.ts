// Rules of what leaves the daemon: how often, how soon, how often again, and never before it is on the
// disk. `write_rate`, `write_after_429`, `cancel_storm`, `undurable`, `refused_again`.

import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { Flight } from '../world/network.ts';
import { CancelCount } from './cancels.ts';
import { Patience, SHORTAGES_ALONE_MAX, SHORTAGES_MAX, shortagesOf } from './patience.ts';
import type { ProcessStart } from './processes.ts';
import type { Room, Rules } from './room.ts';
import { WriteCount } from './writes.ts';

/** A process without a memory begins with positions that lag, and may offer what was sold before it. */
const LEARNT_MS = 400_000;

export class TrafficRules implements Rules {
  readonly #room: Room;
  readonly #writes = new WriteCount();
  readonly #patience = new Patience();
  readonly #cancels: CancelCount;
  #learntAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#cancels = new CancelCount();
  }

  onProcessStarts({ process, remembers }: ProcessStart): void {
    if (!remembers && process > 1) this.#learntAtMs = this.#room.nowMs() + LEARNT_MS;
    this.#patience.onProcessStarts();
    this.#cancels.onProcessStarts();
  }

  onSent(flight: Flight): void {
    const { nowMs, violate } = this.#room;
    const writes = this.#writes.onSent(flight, nowMs());
    if (writes !== undefined) violate('write_rate', `${writes} order writes in 10 s`);
    const early = this.#patience.onSent(flight, nowMs());
    if (early !== undefined) violate('write_after_429', `${early} ms before it was allowed`);
    this.#checkCancels(flight);
    this.#checkKept(flight);
  }

  onLimited(flight: Flight, retryAfterMs: number): void {
    this.#patience.onLimited(flight, retryAfterMs, this.#room.nowMs());
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    const { marks } = this.#room;
    const status = Math.floor(response.status / 100);
    if (status !== 2) marks.add(`venue:answered ${status}xx`);
    if (flight.isDouble) marks.add('venue:double delivered');
    else this.#checkRefusals(flight, response);
  }

  #checkCancels(flight: Flight): void {
    const { facts, nowMs, violate } = this.#room;
    const again = this.#cancels.onSent(flight, nowMs());
    if (again === undefined || facts.find(again.hash)?.owner !== 'intent') return;
    violate('cancel_storm', `${again.count} cancels in 10 s name ${again.hash}`);
  }

  #checkKept({ origin: { placing } }: Flight): void {
    const { isKept, marks, violate } = this.#room;
    if (placing) marks.add('venue:placement sent');
    const lost = isKept && placing?.orders.find(({ intentId }) => !isKept(intentId));
    if (lost) violate('undurable', `intent ${lost.intentId} left before it was on the disk`);
  }

  /** Nobody else has an order there or had one of late, and no settlement failed. */
  get #isAlone(): boolean {
    const { facts, unreported } = this.#room;
    if (unreported.isAnyUnsettled) return false;
    return [...facts.live()].every(({ owner }) => owner === 'intent');
  }

  #checkRefusals(flight: Flight, response: ApiResponse): void {
    const { marks, nowMs, violate } = this.#room;
    for (const kind of shortagesOf(flight, response)) {
      const count = this.#patience.onRefused(kind, nowMs());
      marks.add(`venue:refused for shortage ${count}`);
      const most = this.#isAlone ? SHORTAGES_ALONE_MAX : SHORTAGES_MAX;
      if (nowMs() >= this.#learntAtMs && count > most)
        violate('refused_again', `${count} times in 60 s: ${kind}`);
    }
  }
}
