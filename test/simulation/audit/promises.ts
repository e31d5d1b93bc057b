// Rules of what an operator was promised: a stop holds, is heard, comes to the disk, and is confirmed or
// said to be unconfirmed, and a proof is true, also when no process runs any more. `placed_while_stopped`,
// `order_unreported`, `stop_not_kept`, `kill_silent`, `kill_missed`, `survivor_unnamed`, `left_resting`.

import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import { describe } from './describe.ts';
import { Leavings } from './leavings.ts';
import type { ProcessStart } from './processes.ts';
import { missedBy, type ProofRoom } from './proofs.ts';
import type { Room, Rules } from './room.ts';

export class PromiseRules implements Rules {
  readonly #room: Room;
  readonly #leavings = new Leavings();
  #listedAtMs: number | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts({ remembers, held }: ProcessStart): void {
    this.#room.stops.onProcessStarts(remembers, held);
    this.#leavings.onProcessStarts();
    this.#listedAtMs = undefined;
  }

  onProcessEnds(): void {
    const { stops, nowMs, heldOnDisk } = this.#room;
    stops.onProcessEnds(nowMs(), heldOnDisk?.());
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
    const { stops, processes, facts, nowMs, violate } = this.#room;
    const { process, era } = processes;
    this.#leavings.onReport(report, era, nowMs());
    stops.onReport(report, { process, era, atMs: nowMs(), decided: facts.decided });
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
    const { stops, processes, heldOnDisk, settings, violate } = this.#room;
    // A daemon that is dead for a while says nothing, and a new one begins with what is on the disk.
    if (!processes.isAlive) {
      this.#checkLeft();
      return;
    }
    const held = heldOnDisk?.();
    const unkept = held && stops.unkept(held, nowMs);
    if (unkept !== undefined) violate('stop_not_kept', `a ${unkept} is not on the disk`);
    if (stops.isSilent(nowMs, settings.timing.proofDeadlineMs)) {
      violate('kill_silent', 'neither confirmed nor said to be unconfirmed');
    }
    const unreported = stops.unreported(nowMs);
    if (unreported !== undefined) violate('order_unreported', `nobody answered a ${unreported}`);
  }

  #checkLeft(): void {
    const { facts, violate } = this.#room;
    for (const fact of this.#leavings.resting(facts)) {
      violate('left_resting', `no process runs after a stop that was confirmed: ${describe(fact)}`);
    }
  }

  #proofRoom(): ProofRoom {
    const { nowMs, settings, cancelsParts = true, facts, processes } = this.#room;
    const { process, era } = processes;
    const isOwnScope = settings.orders.scope === 'own';
    return {
      facts,
      nowMs: nowMs(),
      listedAtMs: this.#listedAtMs,
      cancelsParts,
      isOwnScope,
      process,
      era,
    };
  }
}
