// What the answer to a cancel says of the orders that it was about.

import { isNotCancellable } from '../../domain/cancel-batches.ts';
import type { CancelOutcome } from '../../domain/message.ts';

/** The venue's word about the orders of a request: what is not cancelled is refused. */
export function isAnswered(outcome: CancelOutcome): boolean {
  return outcome.kind === 'accepted' || isNotCancellable(outcome);
}

/**
 * Whether an answer refuses every order of a request; neither counts nor the refusal of a whole batch
 * say which of several it was.
 * @spec Endpoints › Cancelling
 */
export function isRefusal(outcome: CancelOutcome, named: number): boolean {
  if (outcome.kind !== 'accepted') return named === 1 && isNotCancellable(outcome);
  return named > 0 && outcome.cancelled === 0 && outcome.failed >= named;
}
