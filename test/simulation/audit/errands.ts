// Splits, merges and redeems: each is on the disk before it leaves and leaves once, those that nobody
// asked for go one at a time, and none is decided on while the daemon is stopped.

import type { Report } from '../../../src/domain/report.ts';
import { RECYCLER } from '../../../src/domain/sets.ts';
import type { Flight } from '../world/network.ts';

type SetsReport = Extract<Report, { readonly event: 'sets.changed' }>;
type Errand = {
  readonly id: string;
  readonly by: string;
  readonly kind: string;
  readonly saidAtMs: number;
  hasLeft: boolean;
  isOver: boolean;
};
type Fault = { readonly rule: string; readonly detail: string };

const TARGET = /\/positions\/(split|merge|redeem)$/;
/** Positions show it by then, or it never took effect. */
const SHOWN_MS = 195_000;

export class Errands {
  readonly #isKept: (id: string) => boolean;
  /** By id; as many as a run has. */
  readonly #errands = new Map<string, Errand>();

  constructor(isKept: (id: string) => boolean) {
    this.#isKept = isKept;
  }

  /** Lives without the memory of those before them know nothing of these. */
  forget(): void {
    this.#errands.clear();
  }

  get isUnderWay(): boolean {
    return [...this.#errands.values()].some(({ hasLeft, isOver }) => hasLeft && !isOver);
  }

  onReport(
    report: SetsReport,
    at: { readonly nowMs: number; readonly stoppedBy: string | undefined },
  ): Fault | undefined {
    const { id, by, action, marketId, state } = report;
    const known = this.#errands.get(id);
    if (known !== undefined) known.isOver = isEnd(state);
    if (state !== 'sent') return undefined;
    if (known !== undefined) return { rule: 'sets_again', detail: `${id} is sent twice` };
    const busy = by === RECYCLER ? this.#busy(at.nowMs) : undefined;
    const kind = `${action} ${marketId}`;
    this.#errands.set(id, { id, by, kind, saidAtMs: at.nowMs, hasLeft: false, isOver: false });
    if (busy) return { rule: 'sets_overlap', detail: `${id} while ${busy.id} is under way` };
    if (by !== RECYCLER || at.stoppedBy === undefined) return undefined;
    return { rule: 'sets_while_stopped', detail: `${id}, stopped by ${at.stoppedBy}` };
  }

  onSent({ request }: Flight): Fault | undefined {
    const [, action] = TARGET.exec(request.target) ?? [];
    if (action === undefined) return undefined;
    const { marketId }: { readonly marketId?: string } = JSON.parse(request.body);
    const kind = `${action} ${marketId ?? ''}`;
    const errand = [...this.#errands.values()].find((each) => !each.hasLeft && each.kind === kind);
    if (errand === undefined) return { rule: 'sets_again', detail: `${kind} leaves unasked` };
    errand.hasLeft = true;
    if (this.#isKept(errand.id)) return undefined;
    return { rule: 'undurable', detail: `${errand.id} left before it was on the disk` };
  }

  /** What was refused for want of credentials or budget may leave once more. */
  onAnswer({ request }: Flight, status: number): void {
    const [, action] = TARGET.exec(request.target) ?? [];
    if (action === undefined || status < 400 || status >= 500) return;
    const latest = [...this.#errands.values()].findLast(
      ({ kind, hasLeft }) => hasLeft && kind.startsWith(action),
    );
    if (latest) latest.hasLeft = false;
  }

  /** Another of those that nobody asked for, which may still take effect. */
  #busy(nowMs: number): Errand | undefined {
    return [...this.#errands.values()].find(
      ({ by, hasLeft, isOver, saidAtMs }) =>
        by === RECYCLER && hasLeft && !isOver && nowMs - saidAtMs < SHOWN_MS,
    );
  }
}

function isEnd(state: SetsReport['state']): boolean {
  return state === 'proven' || state === 'refused' || state === 'absent';
}
