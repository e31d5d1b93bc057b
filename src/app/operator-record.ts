// Puts on record what operators do and what comes of it: who, when, what and with which result, each a link of a
// chain in the ledger. What the core says of an order is taken from its reports; the rest is told here.

import type { OperatorAction, StoredAction } from '../domain/action.ts';
import type { LedgerRecord } from '../domain/record.ts';
import { redacted } from '../domain/redact.ts';
import type { Report } from '../domain/report.ts';
import { RECYCLER } from '../domain/sets.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { actionsFault, nextAction } from '../journal/action-chain.ts';

export type OperatorRecordOptions = {
  readonly clock: Clock;
  /** The latest of the ledger, oldest first. */
  readonly before: readonly StoredAction[];
  readonly keep: (record: LedgerRecord) => void;
  /** What no report of the core says, for log and console. */
  readonly tell: (report: Report, atMs: UnixMs) => void;
};

export type Recorded = Omit<OperatorAction, 'atMs'>;

/** Of earlier runs a console shows these. */
const SHOWN_MAX = 50;
/** As many as a start reads, and holds against each other. */
export const READ_MAX = 10_000;
/** What the daemon says of its own work. */
const ITSELF = 'bookend';

export class OperatorRecord {
  readonly #options: OperatorRecordOptions;
  #last: StoredAction | undefined;

  constructor(options: OperatorRecordOptions) {
    this.#options = options;
    this.#last = options.before.at(-1);
  }

  /** What earlier runs have left, and whether it is still what was recorded. */
  begin(): void {
    const { before, tell, clock } = this.#options;
    for (const { atMs, by, action, target, result, detail } of before.slice(-SHOWN_MAX)) {
      tell({ event: 'operator.recorded', by, action, target, result, detail }, atMs);
    }
    const fault = actionsFault(before);
    if (fault === undefined) return;
    tell({ event: 'operator.record_damaged', detail: fault }, clock.nowMs());
    this.#add({ by: ITSELF, action: 'check', target: 'record', result: 'damaged', detail: fault });
  }

  /** What only this process knows of. */
  add(recorded: Recorded): void {
    this.#add(recorded);
    const { tell, clock } = this.#options;
    tell({ event: 'operator.recorded', ...recorded }, clock.nowMs());
  }

  onReport(report: Report): void {
    const recorded = recordedOf(report);
    if (recorded !== undefined) this.#add(recorded);
  }

  #add({ by, action, target, result, detail }: Recorded): void {
    const { clock, keep } = this.#options;
    const told = { by: redacted(by), detail: redacted(detail), action, target, result };
    this.#last = nextAction(this.#last, { ...told, atMs: clock.nowMs() });
    keep({ kind: 'action', action: this.#last });
  }
}

function recordedOf(report: Report): Recorded | undefined {
  switch (report.event) {
    case 'operator.order':
      return {
        ...{ by: report.by, action: report.order, target: 'account' },
        ...{ result: report.accepted ? 'done' : 'refused', detail: '' },
      };
    case 'operator.market_order':
      return {
        ...{ by: report.by, action: report.order, target: report.marketId },
        ...{ result: report.accepted ? 'done' : 'refused', detail: '' },
      };
    case 'sets.changed':
      // What the recycler does is no act of an operator.
      if (report.by === RECYCLER) return undefined;
      return {
        ...{ by: report.by, action: report.action, target: report.marketId },
        ...{ result: report.state, detail: `${report.amount} ${report.detail}`.trim() },
      };
    case 'kill.confirmed':
      return proof('account', 'confirmed', `${report.cancelled} cancelled`);
    case 'kill.unconfirmed':
      return proof('account', 'not_confirmed', report.detail);
    case 'market.kill_confirmed':
      return proof(report.marketId, 'confirmed', '');
    default:
      return undefined;
  }
}

function proof(target: string, result: string, detail: string): Recorded {
  return { by: ITSELF, action: 'kill', target, result, detail };
}
