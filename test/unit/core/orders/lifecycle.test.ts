// Every interleaving of what the venue tells of one order with what we do to it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderLedger } from '../../../../src/core/orders/ledger.ts';
import { isCancellable, type OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { orderHash } from '../../../../src/domain/ids.ts';
import {
  isTerminal,
  type OrderState,
  type OrderStatus,
  type OrderUpdate,
} from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { ownOrder } from '../../../support/own-orders.ts';

const HASH = orderHash('0xabc');
const SIZE = 50;

type End = 'filled' | 'cancelled' | 'expired' | 'live';

/** What truly became of an order on the venue. */
type Truth = {
  readonly end: End;
  /** Total traded after each match, rising; the last is all of it where it was filled. */
  readonly matches: readonly number[];
  readonly answer: 'ack' | 'noAnswer';
  readonly cancelAnswer: 'told' | 'noAnswer';
  readonly wantsCancel: boolean;
};

const truths: fc.Arbitrary<Truth> = fc
  .record({
    end: fc.constantFrom<End>('filled', 'cancelled', 'expired', 'live'),
    parts: fc.uniqueArray(fc.integer({ min: 1, max: SIZE - 1 }), { maxLength: 3 }),
    answer: fc.constantFrom('ack' as const, 'noAnswer' as const),
    cancelAnswer: fc.constantFrom('told' as const, 'noAnswer' as const),
    wantsCancel: fc.boolean(),
  })
  .map(({ end, parts, ...rest }) => {
    const matches = [...parts].sort((a, b) => a - b);
    return { ...rest, end, matches: end === 'filled' ? [...matches, SIZE] : matches };
  });

type Run = { readonly ledger: OrderLedger; readonly order: OwnOrder; readonly seen: OrderState[] };

function born(): Run {
  const seen: OrderState[] = [];
  const ledger = new OrderLedger({
    onChanged: () => {},
    onMoved: (order) => seen.push(order.state),
    onExecuted: () => {},
    onReported: () => {},
    onEndUnreported: () => {},
    onAnomaly: () => {},
  });
  const order = ownOrder({ state: 'intended', orderHash: undefined, size: SIZE });
  ledger.add(order);
  ledger.signal(order, 'sent', unixMs(1));
  return { ledger, order, seen };
}

type Step = (lifecycle: Run) => void;

function told(status: OrderStatus, filled: number): Step {
  const remaining = shares(SIZE - filled);
  return ({ ledger, order }) => {
    const { tokenId, side, price } = order;
    const of = { orderHash: HASH, tokenId, marketId: undefined, side, price, status };
    const update: OrderUpdate = { ...of, filledQuantity: shares(filled), remaining };
    ledger.onUpdate(update, unixMs(2));
  };
}

/** The user channel speaks in the order in which things happened. */
function userChannel({ end, matches }: Truth): readonly Step[] {
  const last = matches.at(-1) ?? 0;
  const ends: Readonly<Record<End, readonly Step[]>> = {
    filled: [told('FILLED', SIZE)],
    cancelled: [told('CANCELLED', last)],
    expired: [told('EXPIRED', last)],
    live: [],
  };
  return [
    told('OPEN', 0),
    ...matches.map((filled) => told(filled === SIZE ? 'MATCHED' : 'PARTIALLY_FILLED', filled)),
    ...ends[end],
  ];
}

/** Its answer, or the list in which it is found when there was none. */
function placement({ answer }: Truth): readonly Step[] {
  if (answer === 'ack') return [({ ledger, order }) => ledger.onAccepted(order, HASH, unixMs(3))];
  return [
    ({ ledger, order }) => {
      if (order.state === 'sending') ledger.signal(order, 'noAnswer', unixMs(3));
    },
    ({ ledger, order }) => {
      if (order.state === 'unknown') ledger.onFound(order, HASH, unixMs(4));
    },
  ];
}

/** We cancel as soon as it can be named; the answer comes when it comes. */
function cancel({ end, cancelAnswer, wantsCancel }: Truth): readonly Step[] {
  if (!wantsCancel) return [];
  return [
    ({ ledger, order }) => {
      if (isCancellable(order)) ledger.signal(order, 'cancelSent', unixMs(5));
    },
    ({ ledger, order }) => {
      if (order.state !== 'cancelling') return;
      const isDone = end === 'cancelled' && cancelAnswer === 'told';
      const failed = cancelAnswer === 'told' ? 'cancelFailed' : 'noAnswer';
      ledger.signal(order, isDone ? 'cancelled' : failed, unixMs(6));
    },
  ];
}

/** Takes from the streams in turn as the numbers say, each stream in its own order. */
function interleave(streams: readonly (readonly Step[])[], picks: readonly number[]): Step[] {
  const left = streams.map((stream) => [...stream]);
  const steps: Step[] = [];
  for (let at = 0; left.some((stream) => stream.length > 0); at += 1) {
    const open = left.filter((stream) => stream.length > 0);
    const step = open[(picks[at % picks.length] ?? 0) % open.length]?.shift();
    if (step) steps.push(step);
  }
  return steps;
}

function lived(truth: Truth, picks: readonly number[]): Run {
  const lifecycle = born();
  for (const step of interleave([userChannel(truth), placement(truth), cancel(truth)], picks)) {
    step(lifecycle);
  }
  return lifecycle;
}

const picks = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 });

describe('an order, however the reports of it interleaves', () => {
  it('ends as it truly ended, with every share that traded counted once', () => {
    fc.assert(
      fc.property(truths, picks, (truth, order) => {
        const lifecycle = lived(truth, order);
        expect(lifecycle.order.executed).toBe(shares(truth.matches.at(-1) ?? 0));
        if (truth.end === 'live') expect(isTerminal(lifecycle.order.state)).toBe(false);
        else expect(lifecycle.order.state).toBe(truth.end);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never leaves an end, and counts no share less than before', () => {
    fc.assert(
      fc.property(truths, picks, (truth, order) => {
        const { seen } = lived(truth, order);
        const ended = seen.findIndex(isTerminal);
        if (ended !== -1) expect(ended).toBe(seen.length - 1);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is cancellable or ends, is found or waits: it is never live and out of reach', () => {
    fc.assert(
      fc.property(truths, picks, (truth, order) => {
        const { order: after } = lived(truth, order);
        if (truth.end !== 'live') return;
        expect(after.orderHash).toBe(HASH);
        expect(isCancellable(after)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a matched order', () => {
  it('waits for as much again as turns out to have settled of another one', () => {
    const lifecycle = born();
    const settles = (kind: 'settled' | 'unsettled', size: number) =>
      lifecycle.ledger.onSettlement(lifecycle.order, { kind, quantity: shares(size) }, unixMs(9));
    lifecycle.ledger.onAccepted(lifecycle.order, HASH, unixMs(3));
    told('MATCHED', SIZE)(lifecycle);
    settles('settled', 20);
    expect(lifecycle.order.state).toBe('settling');
    settles('unsettled', 20);
    settles('settled', 30);
    expect(lifecycle.order.state).toBe('settling');
    settles('settled', 20);
    expect(lifecycle.order.state).toBe('filled');
  });
});
