// The rule `control_silent`: where a control has to trip, the daemon says within a stated time that it
// did, or is stopped by something stronger. Causes are judged by the venue's side and by what the network
// carried; that a control holds, by the daemon's own words.

import type { CoreSettings } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { ExchangeEvent } from '../../../src/paper/exchange/events.ts';
import type { PlaceCommand } from '../world/network.ts';
import { BlindnessCause } from './causes/blindness.ts';
import { BurstCause } from './causes/bursts.ts';
import { CashCause } from './causes/cash.ts';
import type { Cause, Due, Place } from './causes/cause.ts';
import { ClockCause } from './causes/clock.ts';
import { ExternalOrderCause } from './causes/external-orders.ts';
import { FailureCause } from './causes/failures.ts';
import { RefusalCause } from './causes/refusals.ts';
import { UnmarkedCause } from './causes/unmarked.ts';
import { UnreadCause } from './causes/unread.ts';
import type { Room, Rules } from './room.ts';

/** A busy machine lets ticks wait for seconds, and a slow disk lets it stand still for longer. */
const SAID_MS = 20_000;
const LOOK_MS = 1_000;
const OF_ONE_SIDE = /^(bid|ask): /;

export class SilenceRules implements Rules {
  readonly #room: Room;
  readonly #causes: readonly Cause[];
  /** What has to be on. */
  #dueKeys: ReadonlySet<string> = new Set();
  /** Since when what has to be on is not. */
  readonly #missingSinceMs = new Map<string, number>();
  #isQuoting = false;
  #lookedAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#causes = [
      new BlindnessCause(room),
      new ClockCause(room),
      new FailureCause(room),
      new RefusalCause(room),
      new BurstCause(room),
      new CashCause(room),
      new ExternalOrderCause(room),
      new UnmarkedCause(room),
      new UnreadCause(room),
    ];
  }

  onProcessStarts(): void {
    this.#missingSinceMs.clear();
    this.#isQuoting = false;
    for (const cause of this.#causes) cause.onProcessStarts?.(this.#room.nowMs());
  }

  onSettings(settings: CoreSettings): void {
    this.#missingSinceMs.clear();
    for (const cause of this.#causes) cause.onSettings?.(settings);
  }

  onMessage(message: VenueMessage): void {
    for (const cause of this.#causes) cause.onMessage?.(message, this.#room.nowMs());
  }

  onEvent(event: ExchangeEvent): void {
    for (const cause of this.#causes) cause.onEvent?.(event, this.#room.nowMs());
  }

  onPlacing(placing: PlaceCommand): void {
    for (const cause of this.#causes) cause.onPlacing?.(placing);
  }

  /** Every other phase is stronger than a control: nothing is quoted in it. */
  onReport(report: Report): void {
    for (const cause of this.#causes) cause.onReport?.(report, this.#room.nowMs());
    if (report.event === 'phase.changed') this.#isQuoting = report.to === 'quoting';
    const place = placeOf(report);
    if (place === undefined) return;
    // It has just spoken; an operator who eases it at once has heard it, and it has as long to say so again.
    this.#missingSinceMs.delete(keyOf(place));
    for (const cause of this.#causes) cause.onMoved?.(place);
  }

  check(nowMs: number): void {
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = nowMs;
    const missing = this.#isQuoting && this.#room.processes.isAlive ? this.#missing(nowMs) : [];
    const keys = new Set(missing.map(keyOf));
    for (const key of this.#missingSinceMs.keys()) {
      if (!keys.has(key)) this.#missingSinceMs.delete(key);
    }
    for (const due of missing) this.#checkSaid(due, nowMs);
  }

  #checkSaid(due: Due, nowMs: number): void {
    const key = keyOf(due);
    const sinceMs = this.#missingSinceMs.get(key) ?? nowMs;
    this.#missingSinceMs.set(key, sinceMs);
    if (nowMs - sinceMs <= SAID_MS) return;
    this.#room.violate('control_silent', `${due.control} of ${due.where}: ${due.detail}`);
  }

  #missing(nowMs: number): readonly Due[] {
    const { levels, marks } = this.#room;
    const due = this.#causes.flatMap((cause) => [...cause.due(nowMs)]);
    for (const each of due) {
      if (!this.#dueKeys.has(keyOf(each))) marks.add(`must trip:${each.control}`);
    }
    this.#dueKeys = new Set(due.map(keyOf));
    return due.filter((each) => !levels.isOn(each));
  }
}

/** Of one side of a market the report says which in its first word. */
function placeOf(report: Report): Place | undefined {
  if (report.event !== 'control.tripped' && report.event !== 'control.eased') return undefined;
  const { control, marketId } = report;
  const [, side] = (report.event === 'control.tripped' && OF_ONE_SIDE.exec(report.detail)) || [];
  const where = marketId ?? 'account';
  return { control, where: side === undefined ? where : `${where} ${side}` };
}

function keyOf({ control, where }: Place): string {
  return `${control} ${where}`;
}
