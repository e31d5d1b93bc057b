// The operators' record as a chain: each link has a checksum over what it says and the link before it. A row that
// was changed, or taken out of the middle, fits no longer.

import { hash } from 'node:crypto';
import type { OperatorAction, StoredAction } from '../domain/action.ts';

/** The first link follows this. */
const BEGINNING = '';
/** As much of a field as is kept: what an operator or a venue says may be of any length. */
const FIELD_LENGTH_MAX = 500;

/** The next link; fields are cut to a length that is kept, and have no character that a ledger gives back as another. */
export function nextAction(before: StoredAction | undefined, action: OperatorAction): StoredAction {
  const cut = (text: string): string =>
    text
      .slice(0, FIELD_LENGTH_MAX)
      .replaceAll('\0', ' ')
      .replaceAll(/\p{Cs}/gu, '\ufffd');
  const { atMs, by, target, result, detail } = action;
  const kept = {
    ...{ number: (before?.number ?? 0) + 1, atMs, by: cut(by), action: cut(action.action) },
    ...{ target: cut(target), result: cut(result), detail: cut(detail) },
  };
  return { ...kept, link: linkOf(before?.link ?? BEGINNING, kept) };
}

/**
 * What does not fit, in words; `undefined` where everything does.
 * @param actions - In their order; the first of them is taken as it is where older ones are not among them.
 */
export function actionsFault(actions: readonly StoredAction[]): string | undefined {
  let before: StoredAction | undefined;
  for (const action of actions) {
    const { number, link } = action;
    const expected = (before?.number ?? number - 1) + 1;
    if (number !== expected) return `number ${expected} is missing`;
    const isAnchored = before !== undefined || number === 1;
    if (isAnchored && link !== linkOf(before?.link ?? BEGINNING, action)) {
      return `number ${number} is not what was recorded, or the one before it is not`;
    }
    before = action;
  }
  return undefined;
}

function linkOf(before: string, action: Omit<StoredAction, 'link'>): string {
  const { number, atMs, by, target, result, detail } = action;
  const said = [before, number, atMs, by, action.action, target, result, detail];
  return hash('sha256', JSON.stringify(said));
}
