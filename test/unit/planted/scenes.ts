// What the core and the client must do in a row of scenes. They pass as the program is, and each planted bug fails one.

import { expect } from 'vitest';
import { BATCH_ORDERS_MAX } from '../../../src/core/kernel/bounds.ts';
import { CapitalBook } from '../../../src/core/risk/capital.ts';
import { WriteBudget } from '../../../src/core/sending/budget.ts';
import { MassCancel } from '../../../src/core/session/mass-cancel.ts';
import { marketId, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
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

export const SCENES: readonly Scene[] = [
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
