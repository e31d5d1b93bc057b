// Own orders traded more often than the setting allows, as the daemon itself has counted them.

import type { Report } from '../../../../src/domain/report.ts';
import type { Room } from '../room.ts';
import type { Cause, Due, Place } from './cause.ts';
import { CauseCount } from './tally.ts';

const CONTROL = 'fill_burst';
const ACCOUNT = 'account';

export class BurstCause implements Cause {
  readonly #room: Room;
  readonly #count = new CauseCount();

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#count.clear();
  }

  /** A market that comes or goes counts anew. */
  onSettings(): void {
    this.#count.clear();
  }

  /** By the machine's clock: what it is set ahead by has left the interval. */
  onReport(report: Report, simulatedMs: number): void {
    const { settings, hostMs = () => simulatedMs } = this.#room;
    const limit = settings.risk.fillBurst;
    if (report.event !== 'order.filled' || limit === undefined) return;
    const at = { hostMs: hostMs(), intervalMs: limit.intervalMs };
    this.#add(report.marketId, { ...at, limit: limit.marketFills });
    this.#add(ACCOUNT, { ...at, limit: limit.accountFills });
  }

  onMoved({ control, where }: Place): void {
    if (control === CONTROL) this.#count.onMoved(where);
  }

  due(): readonly Due[] {
    return [...this.#count.reached()].map(([where, detail]) => ({
      control: CONTROL,
      where,
      detail: `own orders traded ${detail}`,
    }));
  }

  #add(where: string, at: Parameters<CauseCount['add']>[1]): void {
    if (!this.#room.levels.isOn({ control: CONTROL, where })) this.#count.add(where, at);
  }
}
