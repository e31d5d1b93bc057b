// How a trader ended, in the words of logs and metrics.

import type { DeathReason } from '../domain/supervision.ts';
import type { UnixMs } from '../domain/time.ts';
import { TAKE_OVER_MS_MAX } from './protocol.ts';
import type { Silent } from './silence.ts';
import type { RunEnd, TraderRun } from './trader-run.ts';

/** Exit codes of a trader that ended by itself. */
export const TRADER_EXIT = { done: 0, failed: 1, usage: 2, refused: 3, unconfirmed: 4 } as const;

export type Circumstances = {
  readonly isFirst: boolean;
  readonly isStopping: boolean;
  /** It had asked to take over, so that it may have placed orders. */
  readonly hasGone: boolean;
  readonly isLeaving: boolean;
  /** A kill, or another stop, is not on the disk. */
  readonly hasHeld: boolean;
};

/** The exit code of an end that is no death. */
export function goodEnd(code: number | null, of: Circumstances): number | undefined {
  const { isFirst, isStopping, hasGone, isLeaving, hasHeld } = of;
  // A strategy or a library may end the process with any code: who ends in good order says so first.
  if (hasGone && !isLeaving) return undefined;
  if (code === 0) return code;
  if (code === TRADER_EXIT.unconfirmed && isStopping) return code;
  // It stopped in good order, and says so that its kill, or another stop, is not on the disk.
  if (code === TRADER_EXIT.failed && isStopping && hasHeld) return code;
  // The first run is told what is wrong by whoever started it; one before this worked, and a file may be amid an edit.
  if (isRefused(code) && isFirst) return code;
  if (code === TRADER_EXIT.failed && isFirst && !hasGone) return code;
  // A signal that came before it listened, when nothing had been placed.
  return isStopping && isFirst && !hasGone ? 0 : undefined;
}

/**
 * What ended by itself without asking to take over has placed nothing. One that was killed may have
 * taken over all the same, unreported by a guard that was stopped.
 */
export function mayHaveTraded(
  traderRun: Pick<TraderRun, 'hasGone' | 'startedAtMs'>,
  end: RunEnd,
  diedAtMs: UnixMs,
): boolean {
  if (traderRun.hasGone) return true;
  const isByItself = end.kind === 'exited' && end.exit.code !== null;
  return !isByItself && diedAtMs - traderRun.startedAtMs >= TAKE_OVER_MS_MAX;
}

/** One that somebody has stopped, or that the machine did not let run, has not died of what it was doing. */
export function mayBlame(end: RunEnd): boolean {
  return end.kind === 'exited' || (end.why !== 'stopped' && end.why !== 'starved');
}

export function describeEnd(
  end: RunEnd,
  { hasGone }: Pick<TraderRun, 'hasGone'>,
): {
  readonly reason: DeathReason;
  readonly detail: string;
} {
  if (end.kind === 'silent') return describeSilence(end);
  const { code, signal, notStarted } = end.exit;
  if (signal !== null) return { reason: 'signal', detail: signal };
  if (notStarted !== undefined) return { reason: 'refused', detail: `not started: ${notStarted}` };
  if (code === TRADER_EXIT.failed || code === TRADER_EXIT.unconfirmed) {
    return { reason: 'failed', detail: `exit ${code}` };
  }
  // Whoever traded had read all that it needs: that is a strategy or a library that ends the process.
  const isRefusal = code === TRADER_EXIT.refused || (isRefused(code) && !hasGone);
  return { reason: isRefusal ? 'refused' : 'exit', detail: `exit ${code}` };
}

/** By the venue, or by what it has to read, as a strategy or credentials. */
function isRefused(code: number | null): code is 2 | 3 {
  return code === TRADER_EXIT.refused || code === TRADER_EXIT.usage;
}

const SILENT_TEXTS: Readonly<Record<Silent | 'starved', string>> = {
  blocked: 'its event loop is blocked',
  asleep: 'it waits for something, and its event loop with it',
  stopped: 'it is stopped',
  starved: 'the machine gave it no processor, or its disk did not answer',
  silent: 'the machine does not say why',
};

/** One that could not run is no crash, and one that could and said nothing is. */
function describeSilence({ forMs, givenMs, why }: Extract<RunEnd, { kind: 'silent' }>): {
  readonly reason: DeathReason;
  readonly detail: string;
} {
  const detail = `no sign for ${forMs} ms, of which it could run ${Math.round(givenMs)}: ${SILENT_TEXTS[why]}`;
  return { reason: why === 'starved' ? 'starved' : 'silent', detail };
}

export function crashLoopText(
  settings: Readonly<Record<'restartsMax' | 'restartWindowMs', number>>,
): string {
  const { restartsMax, restartWindowMs } = settings;
  return `more than ${restartsMax} deaths within ${Math.round(restartWindowMs / 1_000)} s`;
}
