// Marks of what a run has reached, so that one in which nothing happened is noticed. No rules.

import type { Report } from '../../../src/domain/report.ts';
import type { Tally } from '../world/tally.ts';
import type { Rules } from './room.ts';

export class Marks implements Rules {
  readonly #marks: Tally;

  constructor({ marks }: { readonly marks: Tally }) {
    this.#marks = marks;
  }

  onReport(report: Report): void {
    this.#marks.add(report.event);
    const more = markOf(report);
    if (more !== undefined) this.#marks.add(more);
  }
}

function markOf(report: Report): string | undefined {
  switch (report.event) {
    case 'order.moved':
      return `move:${report.from} -> ${report.to}`;
    case 'phase.changed':
      return `phase:${report.to}`;
    case 'order.refused':
      return `refused:${report.code}`;
    case 'risk.refused':
      return `limit:${report.limit}`;
    case 'control.tripped':
      return `tripped:${report.control} ${report.raisedTo}`;
    case 'sets.changed':
      return `sets:${report.action} ${report.state}`;
    case 'kill.confirmed':
      return report.leftAlone > 0 ? 'kill:left others alone' : undefined;
    default:
      return undefined;
  }
}
