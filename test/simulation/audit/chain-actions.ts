// Splits, merges and redeems: each is on the disk before it leaves and leaves once, those that nobody
// asked for go one at a time, and none is decided on while the daemon is stopped.

import type { Report } from '../../../src/domain/report.ts';
import { RECYCLER } from '../../../src/domain/sets.ts';
import type { Flight, SetsCommand } from '../world/network.ts';

type SetsReport = Extract<Report, { readonly event: 'sets.changed' }>;
type ChainAction = {
  readonly id: string;
  readonly by: string;
  readonly kind: string;
  readonly saidAtMs: number;
  /** How far the machine's clock was ahead when it was said. */
  readonly aheadMs: number;
  /** Time that a process which began later takes for passed: the clock was set ahead meanwhile. */
  skippedMs: number;
  /** The command that carries it out, which follows it in the same turn. */
  command: string | undefined;
  hasLeft: boolean;
  isOver: boolean;
};
type Fault = { readonly rule: string; readonly detail: string };

const TARGET = /\/positions\/(split|merge|redeem)$/;
/** Positions show it by then, or it never took effect; less what clocks run ahead by meanwhile. */
const SHOWN_MS = 195_000 - 20_000;

export class ChainActions {
  readonly #isKept: (id: string) => boolean;
  /** By id; as many as a run has. */
  readonly #actions = new Map<string, ChainAction>();

  constructor(isKept: (id: string) => boolean) {
    this.#isKept = isKept;
  }

  /** Processes without the memory of those before them know nothing of these. */
  forget(): void {
    this.#actions.clear();
  }

  /** @param aheadMs - How far the machine's clock is ahead: by what it was set before it nobody can tell. */
  onProcessStarts(aheadMs: number): void {
    for (const action of this.#actions.values()) {
      action.skippedMs = Math.max(action.skippedMs, aheadMs - action.aheadMs);
      // No disk took it, nothing left, and whoever asked for it asks the new process.
      if (action.isOver && !action.hasLeft) this.#actions.delete(action.id);
    }
  }

  get isUnderWay(): boolean {
    return [...this.#actions.values()].some(({ hasLeft, isOver }) => hasLeft && !isOver);
  }

  onReport(
    report: SetsReport,
    at: {
      readonly nowMs: number;
      readonly hostMs?: number;
      readonly stoppedBy: string | undefined;
    },
  ): Fault | undefined {
    const { id, by, action, marketId, state } = report;
    const known = this.#actions.get(id);
    if (known !== undefined) known.isOver = isEnd(state);
    if (state !== 'sent') return undefined;
    if (known !== undefined) return { rule: 'sets_again', detail: `${id} is sent twice` };
    const busy = by === RECYCLER ? this.#busy(at.nowMs) : undefined;
    const kind = `${action} ${marketId}`;
    const saidAtMs = at.nowMs;
    const aheadMs = (at.hostMs ?? at.nowMs) - at.nowMs;
    const fresh = { command: undefined, hasLeft: false, isOver: false, skippedMs: 0 };
    this.#actions.set(id, { id, by, kind, saidAtMs, aheadMs, ...fresh });
    if (busy) return { rule: 'sets_overlap', detail: `${id} while ${busy.id} is under way` };
    if (by !== RECYCLER || at.stoppedBy === undefined) return undefined;
    return { rule: 'sets_while_stopped', detail: `${id}, stopped by ${at.stoppedBy}` };
  }

  /** The daemon asks its client to carry out what it said just before. */
  onCommand(command: SetsCommand, process: number): void {
    const kind = `${command.change.kind} ${command.change.marketId}`;
    const said = [...this.#actions.values()].findLast(
      (each) => each.command === undefined && !each.isOver && each.kind === kind,
    );
    if (said) said.command = keyOf(command, process);
  }

  onSent({ request, origin }: Flight): Fault | undefined {
    if (!TARGET.test(request.target)) return undefined;
    const action = this.#actionOf(origin);
    if (action === undefined)
      return { rule: 'sets_again', detail: `${request.target} leaves unasked` };
    const { id, hasLeft, isOver } = action;
    action.hasLeft = true;
    if (hasLeft) return { rule: 'sets_again', detail: `${id} leaves twice` };
    if (isOver) return { rule: 'sets_again', detail: `${id} leaves and was called over` };
    if (this.#isKept(id)) return undefined;
    return { rule: 'undurable', detail: `${id} left before it was on the disk` };
  }

  /** What was refused for want of credentials or budget may leave once more. */
  onAnswer({ request, origin, isDouble }: Flight, status: number): void {
    if (isDouble || !TARGET.test(request.target)) return;
    if (status < 400 || status >= 500) return;
    const action = this.#actionOf(origin);
    if (action) action.hasLeft = false;
  }

  #actionOf({ process, changing }: Flight['origin']): ChainAction | undefined {
    if (changing === undefined) return undefined;
    const key = keyOf(changing, process);
    return [...this.#actions.values()].find(({ command }) => command === key);
  }

  /** Another of those that nobody asked for, which may still take effect. */
  #busy(nowMs: number): ChainAction | undefined {
    return [...this.#actions.values()].find(
      ({ by, hasLeft, isOver, saidAtMs, skippedMs }) =>
        by === RECYCLER && hasLeft && !isOver && nowMs - saidAtMs + skippedMs < SHOWN_MS,
    );
  }
}

function keyOf({ requestId }: SetsCommand, process: number): string {
  return `${process}/${requestId}`;
}

function isEnd(state: SetsReport['state']): boolean {
  return state === 'confirmed' || state === 'refused' || state === 'absent';
}
