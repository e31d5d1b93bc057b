// What is said of an answer that is not what was asked for.

import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';

/** Why it failed, with the venue's own code or the cause of the silence. */
export function failureText(
  outcome: Exclude<CancelOutcome | ReadOutcome<unknown>, { kind: 'accepted' } | { kind: 'ok' }>,
): string {
  switch (outcome.kind) {
    case 'refused':
      return `refused: ${outcome.refusal.code ?? 'no code'} ${outcome.refusal.message}`;
    case 'unknown':
      return `unknown: ${outcome.cause} ${outcome.detail}`;
    case 'notSent':
      return `not sent: ${outcome.detail}`;
  }
}
