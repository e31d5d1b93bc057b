// How a trader ended, in the words of logs and metrics.

import type { DeathReason } from '../domain/supervision.ts';
import type { LifeEnd } from './life.ts';

/** Exit codes of a trader that ended by itself. */
export const TRADER_EXIT = { failed: 1, usage: 2, refused: 3, unproven: 4 } as const;

export function describeEnd(end: LifeEnd): {
  readonly reason: DeathReason;
  readonly detail: string;
} {
  if (end.kind === 'silent') return { reason: 'silent', detail: `no sign for ${end.forMs} ms` };
  const { code, signal } = end.exit;
  if (signal !== null) return { reason: 'signal', detail: signal };
  if (code === TRADER_EXIT.failed || code === TRADER_EXIT.unproven) {
    return { reason: 'failed', detail: `exit ${code}` };
  }
  return { reason: code === TRADER_EXIT.refused ? 'refused' : 'exit', detail: `exit ${code}` };
}

export function crashLoopText(
  settings: Readonly<Record<'restartsMax' | 'restartWindowMs', number>>,
): string {
  const { restartsMax, restartWindowMs } = settings;
  return `more than ${restartsMax} deaths within ${Math.round(restartWindowMs / 1_000)} s`;
}
