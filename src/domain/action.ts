// What operators do, as it is on record.

import type { UnixMs } from './time.ts';

/** What an operator did, or what came of it, as it is on record. */
export type OperatorAction = {
  readonly atMs: UnixMs;
  /** Who: a door and an address with its role, a signal, a command with its user and process, or `bookend`. */
  readonly by: string;
  /** One word: `kill`, `pause`, `resume`, `shutdown`, `reload`, `edit`, `sets`, … */
  readonly action: string;
  /** `account`, the id of a market, or a file. */
  readonly target: string;
  /** One word: `done`, `refused`, `confirmed`, `not_confirmed`, … */
  readonly result: string;
  readonly detail: string;
};

/** One link of the record: what it says, its number, and a checksum over that and the link before it. */
export type StoredAction = OperatorAction & { readonly number: number; readonly link: string };

/** What the record has of earlier runs, and what no other report says; or that it is not what was recorded. */
export type ActionReport =
  | ({ readonly event: 'operator.recorded' } & Omit<OperatorAction, 'atMs'>)
  | { readonly event: 'operator.record_damaged'; readonly detail: string };
