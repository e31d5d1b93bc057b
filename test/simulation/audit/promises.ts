// Rules of what an operator was promised: a stop holds, is heard, comes to the disk, and is proven or
// said to be unproven, and a proof is true, also when nobody lives any more. `placed_while_stopped`,
// `order_unheard`, `stop_not_kept`, `kill_silent`, `kill_missed`, `survivor_unnamed`, `left_resting`.

import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import { describe } from './describe.ts';
import { Leavings } from './leavings.ts';
import type { LifeStart } from './lives.ts';
import { missedBy, type ProofRoom } from './proofs.ts';
import type { Room, Rules } from './room.ts';

export class PromiseRules implements Rules {
  readonly #room: Room;
  readonly #leavings = new Leavings();
  #listedAtMs: number | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  onLifeStarts({ remembers, held }: LifeStart): void {
    this.#room.stops.onLifeStarts(remembers, held);
    this.#leavings.onLifeStarts();
    this.#listedAtMs = undefined;
  }

  onLifeEnds(): void {
    const { stops, nowMs, heldOnDisk } = this.#room;
    stops.onLifeEnds(nowMs(), heldOnDisk?.());
  }

  /** The machine's clock says how long ago it was asked for. */
  onTaken(message: VenueMessage): void {
    if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return;
    const { nowMs, hostMs = nowMs } = this.#room;
    this.#listedAtMs = nowMs() - (hostMs() - message.askedAtMs);
  }

  onOperator(order: OperatorOrder): void {
    this.#room.stops.onAsked(order, this.#room.nowMs());
  }

  onReport(report: Report): void {
    const { stops, lives, facts, nowMs, violate } = this.#room;
    const { life, era } = lives;
    this.#leavings.onReport(report, era);
    stops.onReport(report, { life, era, atMs: nowMs(), decided: facts.decided });
    for (const { rule, fact, what } of missedBy(report, this.#proofRoom())) {
      violate(rule, `${what} ${describe(fact)}`);
    }
  }

  onPlacing(): void {
    const { stops, violate } = this.#room;
    const by = stops.stoppedBy;
    if (by !== undefined) violate('placed_while_stopped', `stopped by ${by}`);
  }

  check(nowMs: number): void {
    const { stops, lives, heldOnDisk, settings, violate } = this.#room;
    // A daemon that is dead for a while says nothing, and a new one begins with what is on the disk.
    if (!lives.isAlive) {
      this.#checkLeft();
      return;
    }
    const held = heldOnDisk?.();
    const unkept = held && stops.unkept(held, nowMs);
    if (unkept !== undefined) violate('stop_not_kept', `a ${unkept} is not on the disk`);
    if (stops.isSilent(nowMs, settings.timing.proofDeadlineMs)) {
      violate('kill_silent', 'neither proven nor said to be unproven');
    }
    const unheard = stops.unheard(nowMs);
    if (unheard !== undefined) violate('order_unheard', `nobody answered a ${unheard}`);
  }

  #checkLeft(): void {
    const { facts, violate } = this.#room;
    for (const fact of this.#leavings.resting(facts)) {
      violate('left_resting', `nobody lives after a stop that was proven: ${describe(fact)}`);
    }
  }

  #proofRoom(): ProofRoom {
    const { nowMs, settings, cancelsParts = true, facts, lives } = this.#room;
    const { life, era } = lives;
    const isOwnScope = settings.orders.scope === 'own';
    return {
      facts,
      nowMs: nowMs(),
      listedAtMs: this.#listedAtMs,
      cancelsParts,
      isOwnScope,
      life,
      era,
    };
  }
}
