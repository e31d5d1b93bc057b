// The catalogue of the real venue at a start that goes on public reads alone.

import { BotError } from '../domain/errors.ts';
import type { Event } from '../domain/market.ts';
import type { Failure, ReadOutcome } from '../domain/message.ts';
import type { Timers } from '../domain/time.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Listing } from '../venue/http/events.ts';

export type FirstListing = {
  readonly read: () => Promise<ReadOutcome<Listing>>;
  /** What is asked for, for people. */
  readonly wanted: string;
  readonly baseUrl: string;
  readonly timers: Timers;
  readonly log: Pick<Log, 'warn'>;
  /** Of the events in the log: `dry_run` for `dry_run.skipped`. */
  readonly who: string;
};

/** It is tried so often, a second apart. */
const FIRST_TRIES = 10;
const FIRST_TRY_MS = 1_000;

/**
 * @throws {BotError} `venue.read` when the venue gives no catalogue, `catalogue.unknown` when it has nothing of what is wanted.
 */
export async function firstListing(first: FirstListing): Promise<readonly Event[]> {
  const { read, wanted, baseUrl, timers, log, who } = first;
  let outcome: ReadOutcome<Listing> = { kind: 'notSent', detail: 'nothing was asked' };
  for (let attempt = 0; attempt < FIRST_TRIES; attempt += 1) {
    outcome = await read();
    if (outcome.kind === 'ok') break;
    log.warn(`${who}.catalogue_failed`, { baseUrl, detail: failureText(outcome) });
    await new Promise<void>((resolve) => timers.after(FIRST_TRY_MS, resolve));
  }
  if (outcome.kind !== 'ok') {
    throw new BotError('venue.read', `${baseUrl}: ${failureText(outcome)}`);
  }
  const { events, skipped } = outcome.value;
  for (const each of skipped) log.warn(`${who}.skipped`, { ...each });
  if (events.length > 0) return events;
  throw new BotError('catalogue.unknown', `${wanted} at ${baseUrl}`);
}

export function failureText(failure: Failure): string {
  return failure.kind === 'refused'
    ? `${failure.refusal.code ?? failure.refusal.httpStatus}: ${failure.refusal.message}`
    : failure.detail;
}
