// Why a request came to nothing, in words for people.

import type { CancelOutcome, ReadOutcome } from '../../domain/message.ts';

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
