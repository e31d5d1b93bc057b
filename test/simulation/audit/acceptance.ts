// Rules of single orders, at the moment when the venue accepts one: it was asked for once, nobody has
// called it over, no proof says that it is not there, it meets no own order, and it did not just leave.
// `no_intent`, `doubled`, `disowned`, `after_proof`, `self_cross`, `churned`.

import type { LedgerRecord } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { Flight } from '../world/network.ts';
import { cancelledBy } from './cancels.ts';
import { Churn, RETURNS_MAX } from './churn.ts';
import { Claims } from './claims.ts';
import { describe } from './describe.ts';
import type { OrderFact } from './facts.ts';
import { crossedBy } from './limits.ts';
import type { ProcessStart } from './processes.ts';
import type { Room, Rules } from './room.ts';

/** A placement of unknown outcome keeps its slot so long at the least; what comes later is cancelled when it is listed. */
const SLOT_MS = 8_000;
/** A list is answered within so long, or not at all. */
const LIST_MS = 10_000;

export class AcceptanceRules implements Rules {
  readonly #room: Room;
  readonly #claims = new Claims<OrderFact>();
  /** Accepted when nobody waited for them any more. */
  readonly #behind = new WeakSet<OrderFact>();
  readonly #churn = new Churn();
  /** Orders of each intent of each era. */
  readonly #accepted = new Map<string, number>();

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts({ remembers }: ProcessStart): void {
    this.#claims.onProcessStarts(remembers);
    this.#churn.onProcessStarts();
  }

  onSent(flight: Flight): void {
    for (const hash of cancelledBy(flight)) {
      const fact = this.#room.facts.find(hash);
      if (fact?.owner === 'intent') this.#churn.onCancelling(fact);
    }
  }

  /** Whoever resumes wants quotes back, however often what stopped them comes back as well. */
  onReport(report: Report): void {
    if (report.event === 'control.eased' && report.by !== 'itself') this.#churn.onSettings();
  }

  onRecord(record: LedgerRecord): void {
    const { facts, violate } = this.#room;
    if (record.kind === 'settings') this.#churn.onSettings();
    if (record.kind === 'order') facts.noteNamed(record.order);
    const disowned = this.#claims.onRecord(record, (hash) => facts.find(hash));
    // What a failed settlement puts back on the book is new that comes after the failure itself.
    if (!disowned || facts.isJustBack(disowned.fact)) return;
    if (disowned.state === 'refused' && facts.isJustRefused(disowned.fact)) return;
    if (disowned.state === 'absent' && this.#isBehindLists(disowned.fact)) return;
    violate('disowned', `called ${disowned.state}: ${describe(disowned.fact)}`);
  }

  onAccepted(fact: OrderFact): void {
    const { processes, facts, marks, violate } = this.#room;
    this.#checkReturns(fact);
    this.#checkOnce(fact);
    const called = this.#claims.onAccepted(fact);
    const isGivenUp = called === 'absent' && this.#room.nowMs() - fact.sentAtMs > SLOT_MS;
    if (isGivenUp) {
      this.#behind.add(fact);
      marks.add('venue:accepted behind its slot');
    } else if (called) violate('disowned', `called ${called} before it came: ${describe(fact)}`);
    this.#checkProof(fact);
    if (fact.process !== processes.process) marks.add('venue:accepted for a process that ended');
    const isMeant = fact.era === processes.era && !facts.isTakenForDouble(fact) && !isGivenUp;
    const crossed = isMeant ? crossedBy(fact, facts) : undefined;
    // Of one that came behind its slot the daemon is told at the moment, or by the next list.
    if (crossed === undefined || this.#isJustBehind(crossed)) return;
    violate('self_cross', `${describe(fact)} meets ${describe(crossed)}`);
  }

  #isJustBehind(fact: OrderFact): boolean {
    return this.#behind.has(fact) && this.#room.nowMs() - fact.acceptedAtMs <= LIST_MS;
  }

  /** Accepted behind its slot, and while the list that lacks it may have been under way. */
  #isBehindLists({ acceptedAtMs, sentAtMs }: OrderFact): boolean {
    const isLate = acceptedAtMs - sentAtMs > SLOT_MS;
    return isLate && this.#room.nowMs() - acceptedAtMs <= LIST_MS;
  }

  #checkReturns(fact: OrderFact): void {
    const { nowMs, marks, violate } = this.#room;
    const returns = this.#churn.onAccepted(fact, nowMs());
    if (returns > 1) marks.add(`venue:came back ${returns}`);
    if (returns <= RETURNS_MAX) return;
    violate('churned', `${returns} times in 60 s cancelled and back: ${describe(fact)}`);
  }

  #checkOnce(fact: OrderFact): void {
    const { violate } = this.#room;
    if (fact.intentId === undefined) {
      violate('no_intent', `nobody asked for ${describe(fact)}`);
      return;
    }
    const key = `${fact.era}/${fact.intentId}`;
    const count = (this.#accepted.get(key) ?? 0) + 1;
    this.#accepted.set(key, count);
    if (count > 1) violate('doubled', `${count} orders for intent ${key}: ${describe(fact)}`);
  }

  #checkProof(fact: OrderFact): void {
    const { stops, violate } = this.#room;
    const { proof } = stops;
    if (proof === undefined) return;
    const isCovered = proof.isKill ? proof.era === fact.era : proof.process === fact.process;
    if (!isCovered || fact.decision > proof.decided) return;
    violate('after_proof', `${describe(fact)} was accepted after a kill was confirmed`);
  }
}
