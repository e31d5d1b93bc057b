// Settlements failed more often than the setting allows, as the network told it.

import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Room } from '../room.ts';
import type { Cause, Due, Place } from './cause.ts';
import { CauseCount } from './tally.ts';

const ACCOUNT = 'account';

export class FailureCause implements Cause {
  readonly #room: Room;
  readonly #count = new CauseCount();

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#count.clear();
  }

  onMessage(message: VenueMessage): void {
    const { settings, levels, nowMs, hostMs = nowMs } = this.#room;
    const limit = settings.risk.settlements;
    if (message.kind !== 'tradeFailed' || limit === undefined) return;
    if (levels.isOn({ control: 'settlement_failures', where: ACCOUNT })) return;
    const { intervalMs, failures } = limit;
    this.#count.add(ACCOUNT, { hostMs: hostMs(), intervalMs, limit: failures });
  }

  onMoved({ control }: Place): void {
    if (control === 'settlement_failures') this.#count.onMoved(ACCOUNT);
  }

  due(): readonly Due[] {
    return [...this.#count.reached()].map(([where, detail]) => ({
      control: 'settlement_failures',
      where,
      detail: `settlements failed ${detail}`,
    }));
  }
}
