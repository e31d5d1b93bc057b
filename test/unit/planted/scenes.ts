// What the core and the client must do in a row of scenes. They pass as the program is, and each planted bug fails one.

import { expect } from 'vitest';
import { JournalWriter } from '../../../src/app/journal-writer.ts';
import { lastArrivalMs } from '../../../src/app/power-cut.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { BATCH_ORDERS_MAX } from '../../../src/core/kernel/bounds.ts';
import { CapitalBook } from '../../../src/core/risk/risk-book.ts';
import { WriteBudget } from '../../../src/core/sending/budget.ts';
import { MassCancel } from '../../../src/core/session/mass-cancel.ts';
import { marketId, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { Subscriptions } from '../../../src/venue/ws/subscriptions.ts';

export type Scene = { readonly name: string; readonly run: () => void };

const START_MS = 1_700_000_000_000;
const RAIN = marketId('rain');
const TIMING = { proofQuietMs: 500, proofDeadlineMs: 60_000 };
const REFUSED: CancelOutcome = {
  kind: 'refused',
  refusal: { code: 'invalid_request', message: 'no', httpStatus: 400, retryAfterMs: undefined },
};
const DONE: CancelOutcome = { kind: 'accepted', cancelled: 0, failed: 0 };

/** What a kill comes to in ten seconds in which every list is empty. */
function killed(answer: CancelOutcome, mayStillArriveUntilMs?: number): 'confirmed' | 'running' {
  const cancel = new MassCancel(unixMs(START_MS), TIMING);
  let requests = 0;
  for (let atMs = START_MS; atMs < START_MS + 10_000; atMs += 50) {
    const nowMs = unixMs(atMs);
    const step = cancel.next(nowMs);
    if (step === 'wait') continue;
    requests += 1;
    const id = requestId(requests);
    cancel.onSent({ requestId: id });
    if (step === 'cancel') {
      cancel.onCancelled(id, answer, nowMs);
      continue;
    }
    const at = { nowMs, askedAtMs: nowMs, mayStillArriveUntilMs };
    const result = cancel.onOpenOrders(id, { kind: 'ok', value: [] }, at);
    if (result?.kind === 'confirmed') return 'confirmed';
  }
  return 'running';
}

/** Tokens that the frames of a channel name, and the most that one of them does. */
function named(frames: readonly string[], channel: string | undefined) {
  const asked = frames
    .map((frame) => JSON.parse(frame) as { channel?: string; markets: readonly string[] })
    .filter((frame) => frame.channel === channel);
  return {
    tokens: asked.flatMap(({ markets }) => markets),
    most: Math.max(...asked.map(({ markets }) => markets.length)),
  };
}

/** A ledger that keeps what it is told in order, and whose disk follows when it is told to. */
function followedWriter(scope: 'account' | 'own' = 'account') {
  let written: LedgerRecord[] = [];
  let synced: readonly LedgerRecord[] = [];
  let done: ((fault: Error | undefined) => void) | undefined;
  let begun: readonly LedgerRecord[] = [];
  const clock = new VirtualClock();
  const write = (records: readonly LedgerRecord[]): void => {
    written = [...written, ...records];
  };
  const commit = (records: readonly LedgerRecord[]): void => {
    write(records);
    synced = written;
  };
  const follow = (fault?: Error): void => {
    const told = done;
    done = undefined;
    if (fault === undefined && told !== undefined) synced = begun;
    told?.(fault);
  };
  const sync = (told: (fault: Error | undefined) => void): void => {
    done = told;
    begun = written;
  };
  const early = { write, sync };
  const writer = new JournalWriter({ store: { commit }, early, clock, onFault: () => undefined });
  writer.setScope(scope);
  const told = { written: () => written, synced: () => synced };
  return { writer, clock, follow, ...told };
}

const cash = (cashNano: number): LedgerRecord => ({
  kind: 'cash',
  cashNano,
  atMs: unixMs(START_MS),
});

export const SCENES: readonly Scene[] = [
  {
    name: 'intents follow their orders to the disk, those written meanwhile too',
    run: () => {
      const { writer, follow, synced } = followedWriter();
      writer.keep(cash(1));
      expect(writer.commit()).toBe(true);
      expect(synced()).toEqual([]);
      writer.onTurn();
      writer.keep({ kind: 'memory', key: 'k', memory: 2 });
      writer.onTurn();
      follow();
      follow();
      expect(synced()).toHaveLength(2);
    },
  },
  {
    name: 'nothing is placed on a disk that has refused intents, until it has them and their latest word',
    run: () => {
      const { writer, clock, follow, written } = followedWriter();
      writer.keep(cash(1));
      writer.keep({ kind: 'memory', key: 'k', memory: 1 });
      writer.onTurn();
      writer.keep(cash(2));
      follow(new Error('I/O error'));
      expect(writer.commit()).toBe(false);
      clock.advance(1_000);
      writer.onTurn();
      expect(writer.commit()).toBe(true);
      expect(written().slice(2)).toEqual([cash(2), { kind: 'memory', key: 'k', memory: 1 }]);
    },
  },
  {
    name: 'nothing is placed on a disk that does not follow for three seconds',
    run: () => {
      const { writer, clock } = followedWriter();
      writer.keep(cash(1));
      writer.onTurn();
      clock.advance(3_000);
      expect(writer.commit()).toBe(false);
    },
  },
  {
    name: 'own orders and stops wait for the disk',
    run: () => {
      const own = followedWriter('own');
      own.writer.keep(cash(1));
      expect(own.writer.commit()).toBe(true);
      expect(own.synced()).toHaveLength(1);
      const { writer, synced } = followedWriter();
      writer.keep({ kind: 'halt', halt: { limit: 'a', detail: 'b', sinceMs: unixMs(1) } });
      writer.onTurn();
      expect(synced()).toHaveLength(1);
    },
  },
  {
    name: 'what was sent before a power cut may arrive until it is too old by the clock of the boot',
    run: () => {
      expect(lastArrivalMs(unixMs(START_MS), 45_000)).toBe(START_MS + 47_000);
    },
  },
  {
    name: 'subscription frames name every token once, in both channels, with a full frame and a rest',
    run: () => {
      for (const count of [1, 200, 450]) {
        const tokens = Array.from({ length: count }, (_, at) => tokenId(`0x${at.toString(16)}`));
        const wanted = new Subscriptions({ tokensPerFrame: 200, unsubscribeEndsTrades: true });
        const frames = wanted.replace(tokens, 50);
        for (const channel of [undefined, 'trades']) {
          const { tokens: asked, most } = named(frames, channel);
          expect(asked).toEqual(tokens);
          expect(most).toBe(Math.min(count, 200));
        }
        expect(named(wanted.all(), undefined).tokens).toEqual(tokens);
      }
    },
  },
  {
    name: 'capital is what markets hold and spent now, however often they are looked at',
    run: () => {
      const capital = new CapitalBook();
      capital.set(RAIN, { holdNano: 30, spentNano: 20 });
      capital.set(RAIN, { holdNano: 40, spentNano: 25 });
      capital.set(marketId('vote'), { holdNano: 1, spentNano: 2 });
      expect(capital.holdNano).toBe(41);
      // Cash that an order holds is cash of the account: it is in there already.
      expect(capital.totalNano(1_000)).toBe(1_027);
    },
  },
  {
    name: 'no window of 10 s of the venue has more writes than the budget, nor a batch more orders than 15',
    run: () => {
      const budget = new WriteBudget(3, 300);
      for (const id of [1, 2, 3]) budget.onSent(requestId(id), unixMs(START_MS));
      for (const id of [1, 2, 3]) budget.onAnswered(requestId(id));
      expect(budget.mayWrite(unixMs(START_MS + 10_000))).toBe(false);
      expect(budget.mayWrite(unixMs(START_MS + 11_000))).toBe(true);
      expect(BATCH_ORDERS_MAX).toBe(15);
    },
  },
  {
    name: 'a kill is confirmed by empty lists only behind an accepted cancel of everything',
    run: () => {
      expect(killed(DONE)).toBe('confirmed');
      expect(killed(REFUSED)).toBe('running');
    },
  },
  {
    name: 'a kill is not confirmed while a placement without an answer may still arrive',
    run: () => {
      expect(killed(DONE, START_MS + 5_000)).toBe('confirmed');
      expect(killed(DONE, START_MS + 60_000)).toBe('running');
    },
  },
];
