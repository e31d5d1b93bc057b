// What a tripped control promises: nothing that makes a position larger is placed while it holds, and
// nothing at all at the last rung. What holds is what the daemon said; what adds says the venue.

import type { MarketId } from '../../../src/domain/ids.ts';
import type { Report } from '../../../src/domain/report.ts';
import { RISK_LEVELS, type RiskAction, type StoredLatch } from '../../../src/domain/risk.ts';

type Eased = Extract<Report, { readonly event: 'control.eased' }>;

export type Latched = {
  readonly control: string;
  readonly marketId: MarketId | undefined;
  readonly level: RiskAction;
  readonly sinceMs: number;
  /** It ends by itself not before the machine's clock shows this; `undefined` where only an operator or a condition lifts it. */
  readonly untilMs?: number | undefined;
  readonly isOperators?: boolean;
};

/** A side that was refused too often rests by itself: no level of a market, and nothing lifts it. */
const OF_ONE_SIDE = /^(bid|ask): /;
const BY_ITSELF = /^ends by itself in (\d+) s$/;
const BY_OPERATOR = /^bookend resume/;
/** What is said of a time is whole seconds. */
const EARLY_MS = 1_500;

/** By the world's clock, and by the machine's, which is all that the daemon has to end something by. */
type At = { readonly nowMs: number; readonly hostMs: number };

export class Levels {
  readonly #latches = new Map<string, Latched>();

  get size(): number {
    return this.#latches.size;
  }

  /**
   * @param kept - Those on the disk; a process without a memory has none. They are dated by the machine's
   *   clock, which was set ahead, time and again perhaps: what was seen to begin began when it was seen. One that
   *   is to begin yet, since the clock was put right, lasts from now on as long as it was to.
   */
  onProcessStarts(kept: readonly StoredLatch[], { nowMs, hostMs }: At): void {
    const seen = new Map(this.#latches);
    this.#latches.clear();
    for (const { resumes, ...latch } of kept) {
      const aheadMs = Math.max(0, latch.sinceMs - hostMs);
      this.#latches.set(keyOf(latch), {
        ...latch,
        sinceMs: seen.get(keyOf(latch))?.sinceMs ?? nowMs,
        untilMs: resumes.kind === 'time' ? resumes.atMs - aheadMs : undefined,
        isOperators: resumes.kind === 'operator',
      });
    }
  }

  /** Whether a control holds the account, or a market. */
  isOn({ control, where }: { readonly control: string; readonly where: string }): boolean {
    return this.#latches.has(`${control} ${where}`);
  }

  /** What a condition may lift, of the whole account. */
  isPassing(control: string): boolean {
    const latch = this.#latches.get(`${control} account`);
    return latch !== undefined && latch.isOperators !== true && latch.untilMs === undefined;
  }

  /** @returns What is wrong with letting go. */
  onReport(report: Report, { nowMs, hostMs }: At): string | undefined {
    if (report.event === 'control.eased') return this.#onEased(report, { nowMs, hostMs });
    if (report.event !== 'control.tripped' || OF_ONE_SIDE.test(report.detail)) return undefined;
    const { control, marketId, raisedTo: level, clears } = report;
    const [, seconds] = BY_ITSELF.exec(clears) ?? [];
    this.#latches.set(keyOf(report), {
      // It trips again where it becomes harder, or holds longer, and holds on meanwhile.
      ...{ control, marketId, level, sinceMs: this.#latches.get(keyOf(report))?.sinceMs ?? nowMs },
      untilMs: seconds === undefined ? undefined : hostMs + Number(seconds) * 1_000,
      isOperators: BY_OPERATOR.test(clears),
    });
    return undefined;
  }

  #onEased(report: Eased, { nowMs, hostMs }: At): string | undefined {
    const latch = this.#latches.get(keyOf(report));
    this.#latches.delete(keyOf(report));
    if (latch === undefined || report.by !== 'itself') return undefined;
    const { control, isOperators, untilMs, sinceMs } = latch;
    const after = `${control} ends by itself after ${nowMs - sinceMs} ms`;
    if (isOperators) return `${after}, and only an operator may lift it`;
    const earlyMs = (untilMs ?? hostMs) - hostMs;
    return earlyMs > EARLY_MS ? `${after}, ${earlyMs} ms too early` : undefined;
  }

  /** The hardest that holds a market, of those that tripped before this moment. */
  binding(marketId: MarketId, nowMs: number): Latched | undefined {
    let hardest: Latched | undefined;
    for (const latch of this.#latches.values()) {
      const isOther = latch.marketId !== undefined && latch.marketId !== marketId;
      if (isOther || latch.sinceMs >= nowMs) continue;
      if (hardest === undefined || rungOf(latch) > rungOf(hardest)) hardest = latch;
    }
    return hardest;
  }
}

export function stopsAdding(latch: Pick<Latched, 'level'>): boolean {
  return rungOf(latch) >= RISK_LEVELS.indexOf('stop-adding');
}

function rungOf({ level }: Pick<Latched, 'level'>): number {
  return RISK_LEVELS.indexOf(level);
}

function keyOf(of: Pick<Latched, 'control' | 'marketId'>): string {
  return `${of.control} ${of.marketId ?? 'account'}`;
}
