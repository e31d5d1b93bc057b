// Rules of what else may be switched on: orders with dates, the own scope, complete sets that take care
// of themselves. `undated`, `outlived`, `external_cancelled`, `sets_again`, `sets_overlap`,
// `sets_while_stopped`, and `undurable` for splits, merges and redeems.

import type { Report } from '../../../src/domain/report.ts';
import type { ApiResponse } from '../../../src/paper/api/message.ts';
import type { Flight, SetsCommand } from '../world/network.ts';
import { ChainActions } from './chain-actions.ts';
import { Dates } from './dates.ts';
import { describe } from './describe.ts';
import { trespass } from './external-cancels.ts';
import type { OrderFact } from './facts.ts';
import type { ProcessStart } from './processes.ts';
import type { Room, Rules } from './room.ts';

/** Dates are looked at this often. */
const DATES_MS = 5_000;

export class SwitchRules implements Rules {
  readonly #room: Room;
  readonly #dates: Dates;
  readonly #actions: ChainActions;
  #datedAtMs = 0;

  constructor(room: Room) {
    const { settings, isChainActionKept = () => true } = room;
    this.#room = room;
    const isDated = settings.orders.timeInForce === 'GTD';
    this.#dates = new Dates(isDated ? settings.orders.gtd : undefined);
    this.#actions = new ChainActions(isChainActionKept);
  }

  onProcessStarts({ remembers }: ProcessStart): void {
    const { marks, nowMs, hostMs = nowMs } = this.#room;
    this.#dates.onProcessStarts();
    this.#actions.onProcessStarts(hostMs() - nowMs());
    if (remembers && this.#actions.isUnderWay) marks.add('restored:sets under way');
    if (!remembers) this.#actions.forget();
  }

  onProcessEnds(): void {
    this.#dates.onProcessEnds(this.#room.nowMs());
  }

  onSent(flight: Flight): void {
    const { settings, facts, violate } = this.#room;
    const wrong = settings.orders.scope === 'own' ? trespass(flight, facts) : undefined;
    if (wrong !== undefined) violate('external_cancelled', wrong);
    const fault = this.#actions.onSent(flight);
    if (fault) violate(fault.rule, fault.detail);
  }

  onAnswer(flight: Flight, response: ApiResponse): void {
    this.#actions.onAnswer(flight, response.status);
  }

  onReport(report: Report): void {
    this.#dates.onReport(report);
    if (report.event !== 'sets.changed') return;
    const { nowMs, hostMs = nowMs, stops, violate } = this.#room;
    const { stoppedBy } = stops;
    const at = { nowMs: nowMs(), hostMs: hostMs(), stoppedBy };
    const fault = this.#actions.onReport(report, at);
    if (fault) violate(fault.rule, fault.detail);
  }

  onChanging(command: SetsCommand): void {
    this.#actions.onCommand(command, this.#room.processes.process);
  }

  onAccepted(fact: OrderFact): void {
    const fault = this.#dates.faultOf(fact);
    if (fault !== undefined) this.#room.violate('undated', `${fault}: ${describe(fact)}`);
  }

  check(nowMs: number): void {
    const { violate, facts, marks } = this.#room;
    if (nowMs - this.#datedAtMs < DATES_MS) return;
    this.#datedAtMs = nowMs;
    if (this.#dates.isOver(facts, nowMs)) marks.add('dates:all died by themselves');
    const outlived = this.#dates.outlived(facts, nowMs);
    if (outlived) violate('outlived', describe(outlived));
  }
}
