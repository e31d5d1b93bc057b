// Pause and resume of a daemon that does not run: what it would find at its start is changed on the disk.

import type { SystemClock } from '../clock/system.ts';
import type { MarketId } from '../domain/ids.ts';
import { redacted } from '../domain/redact.ts';
import { nextAction } from '../journal/action-chain.ts';
import { clearLatch, type Latch, readLatch, reserveLatch } from '../journal/latch.ts';
import { type Ledger, openLedger } from '../journal/ledger/ledger.ts';
import { lockJournal } from '../journal/lock.ts';
import { KILL_FACT } from './kept-latch.ts';
import type { Recorded } from './operator-record.ts';

/** What a stopped daemon will do when it starts. */
export type StoppedControl = {
  /** What was there and is lifted: a kill, a pause. */
  readonly lifted: readonly string[];
  /** What only the running daemon can lift, since it knows what its losses were: a halt, a tripped control. */
  readonly stays: readonly string[];
  /** Those that were stopped one by one, which are resumed one by one. */
  readonly markets?: readonly MarketId[];
};

/**
 * Lifts the kill and the pause of a journal that nobody holds.
 * @throws {BotError} `journal.busy` when a daemon runs on it, `journal.write`, `journal.damaged`
 */
export async function resumeStopped(
  path: string,
  clock: SystemClock,
  by: string,
): Promise<StoppedControl> {
  return await withLedger(path, clock, async (ledger) => {
    const { pause, halt, latches, marketStops } = ledger.loadStops();
    const latch = await readLatch(path);
    const killed = latch !== undefined || (ledger.fact(KILL_FACT) ?? '') !== '';
    if (pause !== undefined) ledger.commit([{ kind: 'pause', pause: undefined }]);
    if (killed) {
      ledger.setFact(KILL_FACT, '');
      await clearLatch(path);
      await reserveLatch(path);
    }
    const lifted = [...(killed ? ['kill'] : []), ...(pause === undefined ? [] : ['pause'])];
    putOnRecord(ledger, clock, {
      ...{ by, action: 'resume', target: 'account', result: 'done' },
      detail: `no daemon ran; ${lifted.join(', ') || 'nothing'} lifted${whose(latch)}`,
    });
    return {
      lifted,
      stays: [...(halt === undefined ? [] : ['halt']), ...latches.map(({ control }) => control)],
      ...(marketStops.length === 0 ? {} : { markets: marketStops.map((each) => each.marketId) }),
    };
  });
}

/** A kill of an account without a daemon is on no other record than its latch. */
function whose(latch: Latch | undefined): string {
  return latch === undefined ? '' : ` (the kill of ${latch.by}, ${latch.at ?? 'undated'})`;
}

/**
 * Leaves word that the next start is to be paused.
 * @throws {BotError} `journal.busy` when a daemon runs on it, `journal.write`, `journal.damaged`
 */
export async function pauseStopped(path: string, clock: SystemClock, by: string): Promise<void> {
  await withLedger(path, clock, async (ledger) => {
    ledger.commit([{ kind: 'pause', pause: { by, sinceMs: clock.nowMs() } }]);
    putOnRecord(ledger, clock, { ...NO_DAEMON, by, action: 'pause', target: 'account' });
    await Promise.resolve();
  });
}

/** Where the journal of a stopped daemon is. */
type StoppedJournal = { readonly path: string; readonly clock: SystemClock };

/**
 * Leaves word that the next start is not to quote one market.
 * @returns `false` where the journal knows no such market, and nothing is done.
 * @throws {BotError} `journal.busy` when a daemon runs on it, `journal.write`, `journal.damaged`
 */
export async function pauseMarketStopped(
  { path, clock }: StoppedJournal,
  market: string,
  by: string,
): Promise<boolean> {
  return await withLedger(path, clock, async (ledger) => {
    const { orders, flows, marketStops = [] } = ledger.load();
    if (marketStops.some(({ marketId }) => marketId === market)) return true;
    const known = [...flows, ...orders].find(({ marketId }) => marketId === market);
    if (known === undefined) return false;
    const stop = { marketId: known.marketId, stop: 'pause', by, sinceMs: clock.nowMs() } as const;
    ledger.commit([{ kind: 'marketStops', stops: [...marketStops, stop] }]);
    putOnRecord(ledger, clock, { ...NO_DAEMON, by, action: 'pause', target: market });
    return await Promise.resolve(true);
  });
}

/**
 * Lifts the stop of one market.
 * @returns `false` where there was none.
 * @throws {BotError} `journal.busy` when a daemon runs on it, `journal.write`, `journal.damaged`
 */
export async function resumeMarketStopped(
  { path, clock }: StoppedJournal,
  market: string,
  by: string,
): Promise<boolean> {
  return await withLedger(path, clock, async (ledger) => {
    const { marketStops } = ledger.loadStops();
    const left = marketStops.filter(({ marketId }) => marketId !== market);
    if (left.length === marketStops.length) return false;
    ledger.commit([{ kind: 'marketStops', stops: left }]);
    putOnRecord(ledger, clock, { ...NO_DAEMON, by, action: 'resume', target: market });
    return await Promise.resolve(true);
  });
}

/**
 * Puts on record what was done without a daemon, by whoever holds the journal.
 * @throws {BotError} `journal.write`, `journal.damaged`
 */
export async function recordStopped(
  { path, clock }: StoppedJournal,
  { detail, ...recorded }: Recorded,
): Promise<void> {
  const ledger = await openLedger({ path, clock });
  try {
    putOnRecord(ledger, clock, { ...recorded, detail: `${NO_DAEMON.detail}; ${detail}` });
  } finally {
    ledger.close();
  }
}

const NO_DAEMON = { result: 'done', detail: 'no daemon ran' } as const;

function putOnRecord(ledger: Ledger, clock: SystemClock, action: Recorded): void {
  const [last] = ledger.actions(1);
  const told = { ...action, by: redacted(action.by), detail: redacted(action.detail) };
  const next = nextAction(last, { ...told, atMs: clock.nowMs() });
  ledger.commit([{ kind: 'action', action: next }]);
}

async function withLedger<Value>(
  path: string,
  clock: SystemClock,
  task: (ledger: Ledger) => Promise<Value>,
): Promise<Value> {
  const lock = await lockJournal({ journal: path, clock, onLost: () => {} });
  try {
    const ledger = await openLedger({ path, clock });
    try {
      return await task(ledger);
    } finally {
      ledger.close();
    }
  } finally {
    await lock.release();
  }
}
