// Strategies that a trader died in. The next one leaves out the market that was asked for, and tries it again at a
// pace that grows: one bad market costs the others no quote but those few seconds.

import type { UnixMs } from '../domain/time.ts';
import type { GuardLog } from './held.ts';
import type { StrategyCall } from './marks.ts';
import type { Suspension } from './protocol.ts';

type Suspect = StrategyCall & {
  readonly times: number;
  readonly diedAtMs: UnixMs;
  readonly pauseMs: number;
  readonly detail: string;
};

const PAUSE_MS_MIN = 60_000;
const PAUSE_MS_MAX = 3_600_000;
/** One that works for so many of its pauses is trusted again as if nothing had been. */
const FORGIVEN_PAUSES = 3;
/** A strategy that dies in so many places is asked for none of them. */
const PLACES_MAX = 3;
const SUSPECTS_MAX = 1_000;

export class Suspects {
  /** By what was called; the one that died last stands last. */
  readonly #suspects = new Map<string, Suspect>();

  readonly #log: GuardLog;

  constructor(log: GuardLog) {
    this.#log = log;
  }

  /** @returns For how long it is not asked. */
  onDeath(call: StrategyCall, diedAtMs: UnixMs, detail: string): number {
    const key = keyOf(call);
    const before = this.#suspects.get(key);
    const isForgiven = before === undefined || isOver(before, diedAtMs, FORGIVEN_PAUSES);
    const times = isForgiven ? 1 : before.times + 1;
    const pauseMs = Math.min(PAUSE_MS_MIN * 2 ** (times - 1), PAUSE_MS_MAX);
    this.#suspects.delete(key);
    this.#suspects.set(key, { ...call, times, diedAtMs, pauseMs, detail });
    this.#log.error('guard.strategy_suspended', { ...call, times, detail, forMs: pauseMs });
    const [oldest] = this.#suspects.keys();
    if (this.#suspects.size > SUSPECTS_MAX && oldest !== undefined) this.#suspects.delete(oldest);
    return pauseMs;
  }

  standing(nowMs: UnixMs): readonly Suspension[] {
    const standing = [...this.#suspects.values()].filter((each) => !isOver(each, nowMs, 1));
    const wide = [...new Set(standing.map(({ strategy }) => strategy))].filter(
      (name) => standing.filter(({ strategy }) => strategy === name).length >= PLACES_MAX,
    );
    const narrow = standing.filter(({ strategy }) => !wide.includes(strategy));
    return [
      ...wide.map((name) =>
        asWhole(
          standing.filter(({ strategy }) => strategy === name),
          nowMs,
        ),
      ),
      ...narrow.map((suspect) => suspensionOf(suspect, nowMs)),
    ];
  }
}

/** As long as the last of its places. */
function asWhole(suspects: readonly Suspect[], nowMs: UnixMs): Suspension {
  const parts = suspects.map((suspect) => suspensionOf(suspect, nowMs));
  const last = parts.reduce((one, other) => (other.forMs > one.forMs ? other : one));
  const times = parts.reduce((sum, part) => sum + part.times, 0);
  return { ...last, place: undefined, times };
}

function suspensionOf(suspect: Suspect, nowMs: UnixMs): Suspension {
  const { strategy, place, times, detail, diedAtMs, pauseMs } = suspect;
  return { strategy, place, times, detail, forMs: diedAtMs + pauseMs - nowMs };
}

function isOver({ diedAtMs, pauseMs }: Suspect, nowMs: UnixMs, pauses: number): boolean {
  return nowMs - diedAtMs >= pauseMs * pauses;
}

function keyOf({ strategy, place }: StrategyCall): string {
  return `${strategy}\n${place}`;
}
