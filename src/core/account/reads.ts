// When the core reads from the venue: open orders, balances, settled trades and the catalogue, each on its period
// or as soon as something asks for it, and never twice at once.

import type { RequestId } from '../../domain/ids.ts';
import type { Failure, ReadOutcome } from '../../domain/message.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { askAgainInMs } from '../kernel/bounds.ts';
import type { Connection, KernelStores } from '../kernel/stores.ts';
import type { History } from './history.ts';

/** An extra read that something asked for still keeps this distance from the one before. */
const URGENT_GAP_MS = 250;
/**
 * The channel of the account tells of totals up to once a second, of our own orders too: a read for the sake of
 * those keeps this distance from the one before.
 */
const TOLD_GAP_MS = 2_000;
/** Pause after a failed read; the period of the read bounds it from above. */
const FAILED_PAUSE_MS = 1_000;
/** A market that closes may open again, which the catalogue alone says: its period bounds this from above. */
const CLOSED_PACE = { leastMs: 1_000, mostMs: Number.POSITIVE_INFINITY };
/** An answer that never comes would block its kind of read: after this long it is given up. */
const ANSWER_MS_MAX = 60_000;

const READ_KINDS = ['orders', 'balances', 'trades', 'catalogue'] as const;
/** A history that cannot be read is looked at again, in case that the venue has changed. */
const UNREADABLE_MS = 600_000;

const COMMANDS = {
  orders: 'readOpenOrders',
  balances: 'readBalances',
  trades: 'readTrades',
} as const;

type ReadKind = (typeof READ_KINDS)[number];

type Read = {
  dueAtMs: number;
  /** When the last one left. */
  lastAtMs: number;
  sentAtMs: UnixMs | undefined;
  requestId: RequestId | undefined;
};

type ReadingStores = KernelStores & { readonly history: Pick<History, 'isUnreadable'> };

export class Reads {
  readonly #reads: Record<ReadKind, Read> = {
    orders: fresh(),
    balances: fresh(),
    trades: fresh(),
    catalogue: fresh(),
  };

  /** When a market was last seen to close in the catalogue, or to be absent from it. */
  #closedAtMs = Number.NEGATIVE_INFINITY;

  /** A market that is wanted is not listed as open any more, or not at all. */
  onListedClosed(nowMs: UnixMs): void {
    this.#closedAtMs = nowMs;
    const read = this.#reads.catalogue;
    read.dueAtMs = Math.min(read.dueAtMs, nowMs + CLOSED_PACE.leastMs);
  }

  /** Asks for a read soon, ahead of its period. */
  hasten(kind: ReadKind, nowMs: UnixMs): void {
    const read = this.#reads[kind];
    read.dueAtMs = Math.min(read.dueAtMs, nowMs + URGENT_GAP_MS);
  }

  /** Asks for a read ahead of its period, and not for one after the other. */
  hastenAtPace(kind: ReadKind, nowMs: UnixMs): void {
    const read = this.#reads[kind];
    const atMs = Math.max(nowMs + URGENT_GAP_MS, read.lastAtMs + TOLD_GAP_MS);
    read.dueAtMs = Math.min(read.dueAtMs, atMs);
  }

  sendDue(stores: ReadingStores, kinds: readonly ReadKind[] = READ_KINDS): void {
    const timing = stores.settings?.timing;
    if (timing === undefined) return;
    const periods = {
      orders: timing.reconcileMs,
      balances: timing.balancesMs,
      trades: stores.history.isUnreadable ? UNREADABLE_MS : (timing.tradesMs ?? 0),
      catalogue: Math.min(timing.catalogueMs, this.#sinceClosedMs(stores.nowMs)),
    };
    for (const kind of kinds) {
      if (kind === 'trades' && (timing.tradesMs ?? 0) === 0) continue;
      this.#send(kind, periods[kind], stores);
    }
  }

  /** @returns Whether the answer belongs to a read of ours. */
  onAnswer(
    kind: ReadKind,
    requestId: RequestId | undefined,
    isOk: boolean,
    nowMs: UnixMs,
  ): boolean {
    const read = this.#reads[kind];
    if (requestId !== undefined && read.requestId !== requestId) return false;
    read.sentAtMs = undefined;
    read.requestId = undefined;
    if (!isOk) read.dueAtMs = Math.min(read.dueAtMs, nowMs + FAILED_PAUSE_MS);
    return true;
  }

  #sinceClosedMs(nowMs: UnixMs): number {
    return askAgainInMs(nowMs - this.#closedAtMs, CLOSED_PACE);
  }

  #send(kind: ReadKind, periodMs: number, stores: KernelStores): void {
    const read = this.#reads[kind];
    const { nowMs } = stores;
    const isUnderWay = read.sentAtMs !== undefined && nowMs - read.sentAtMs < ANSWER_MS_MAX;
    if (isUnderWay || nowMs < read.dueAtMs) return;
    read.sentAtMs = nowMs;
    read.lastAtMs = nowMs;
    read.dueAtMs = addMs(nowMs, periodMs);
    if (kind === 'catalogue') {
      stores.outbox.send({ kind: 'readCatalogue' });
      return;
    }
    const requestId = stores.outbox.nextRequestId();
    read.requestId = requestId;
    stores.outbox.send({ kind: COMMANDS[kind], requestId });
  }
}

function fresh(): Read {
  return { dueAtMs: 0, lastAtMs: 0, sentAtMs: undefined, requestId: undefined };
}

/** A dependency that is down is no answer, and neither is a connection that ends; garbage is one. */
const NO_ANSWER = new Set<string | undefined>([
  'internal_error',
  'service_unavailable',
  'maintenance',
  'timeout',
  'connection',
  'serverError',
]);

type Answering = { readonly connection: Connection };

/** Whether the venue answers is known by reads: they are asked all the time, and a failed one again soon. */
export function noteAnswer(
  { connection }: Answering,
  outcome: ReadOutcome<unknown>,
  askedAtMs: UnixMs,
): void {
  // One that never left says nothing of the venue.
  if (outcome.kind === 'notSent') return;
  connection.isAnswering = outcome.kind === 'ok' || !NO_ANSWER.has(failureWord(outcome));
  if (connection.isAnswering && askedAtMs > connection.answeredReadAtMs)
    connection.answeredReadAtMs = askedAtMs;
}

function failureWord(outcome: Exclude<Failure, { kind: 'notSent' }>): string | undefined {
  return outcome.kind === 'refused' ? outcome.refusal.code : outcome.cause;
}

export function reportFailedRead(
  stores: KernelStores,
  what: string,
  outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>,
): void {
  const detail =
    outcome.kind === 'refused'
      ? `${outcome.refusal.code ?? 'no code'} ${outcome.refusal.message}`
      : outcome.detail;
  stores.outbox.report({ event: 'venue.read_failed', what, detail });
}
