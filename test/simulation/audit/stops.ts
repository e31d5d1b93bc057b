// What the operator was promised: nothing is placed while stopped, and "proven" means proven.

import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { Report } from '../../../src/domain/report.ts';

/** `decided`: placements decided on until then; none of them may be accepted later. */
export type Proof = { readonly life: number; readonly atMs: number; readonly decided: number };

/** The operator's state as it must be: only an order of the operator changes it. */
export class Stops {
  readonly #slackMs = 10_000;
  #stoppedBy: OperatorOrder['kind'] | undefined;
  #askedResume = false;
  #proof: Proof | undefined;
  #killSinceMs: number | undefined;

  onLifeStarts(): void {
    this.#stoppedBy = undefined;
    this.#askedResume = false;
    this.#proof = undefined;
    this.#killSinceMs = undefined;
  }

  /** The operator gives an order; the daemon has not heard it yet. */
  onAsked(order: OperatorOrder): void {
    if (order.kind === 'resume') this.#askedResume = true;
  }

  onReport(report: Report, at: Proof): void {
    if (report.event === 'kill.proven' || report.event === 'start.cleared') {
      this.#proof = at;
      this.#killSinceMs = undefined;
    }
    if (report.event === 'kill.unproven') this.#killSinceMs = undefined;
    if (report.event === 'operator.order' && report.accepted) this.#onOrder(report.order, at.atMs);
  }

  get stoppedBy(): string | undefined {
    return this.#stoppedBy;
  }

  get proof(): Proof | undefined {
    return this.#proof;
  }

  /** A kill that is neither proven nor said to be unproven long after its deadline. */
  isSilent(nowMs: number, deadlineMs: number): boolean {
    const since = this.#killSinceMs;
    return since !== undefined && nowMs - since > deadlineMs + this.#slackMs;
  }

  #onOrder(kind: string, atMs: number): void {
    if (kind === 'kill' || kind === 'shutdown') {
      if (this.#stoppedBy !== 'kill' || kind === 'shutdown') this.#killSinceMs ??= atMs;
      // A kill of what is not killed yet begins a proof of its own.
      if (this.#stoppedBy !== 'kill' || kind === 'shutdown') this.#proof = undefined;
      this.#stoppedBy = kind;
      this.#askedResume = false;
    }
    if (kind === 'pause') {
      this.#stoppedBy = 'pause';
      this.#askedResume = false;
    }
    if (kind !== 'resume' || !this.#askedResume) return;
    this.#stoppedBy = undefined;
    this.#proof = undefined;
  }
}
