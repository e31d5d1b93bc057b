// Which cancels go together, and which refusals say something of the orders that a cancel names.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CancelBatches,
  isAboutOrders,
  isNotCancellable,
} from '../../../src/domain/cancel-batches.ts';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import { unixMs } from '../../../src/domain/time.ts';

const AT = unixMs(1_000_000);

function hashes(count: number, from = 0): readonly OrderHash[] {
  return Array.from({ length: count }, (_, at) => orderHash(`0xaa${(from + at).toString(16)}`));
}

/** Rounds until all but the stuck are cancelled, on a venue that refuses every batch with one of them. */
function roundsUntilCancelled(names: readonly OrderHash[], stuck: ReadonlySet<OrderHash>): number {
  const batches = new CancelBatches(100);
  let left = names;
  for (let round = 1; ; round += 1) {
    const cancelled = new Set<OrderHash>();
    for (const batch of batches.group(left, AT)) {
      if (batch.some((hash) => stuck.has(hash))) batches.onRefused(batch, AT);
      else for (const hash of batch) cancelled.add(hash);
    }
    left = left.filter((hash) => !cancelled.has(hash));
    if (left.length === stuck.size || round > 1_000) return round;
  }
}

describe('cancels by name', () => {
  it('go in full batches as long as nothing is refused', () => {
    const batches = new CancelBatches(100);
    const sizes = batches.group(hashes(250), AT).map(({ length }) => length);
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('go in halves where a batch was refused, and others do not join them', () => {
    const batches = new CancelBatches(100);
    batches.onRefused(hashes(10), AT);
    const sizes = batches.group(hashes(12), AT).map(({ length }) => length);
    expect(sizes).toEqual([2, 5, 5]);
  });

  it('reach all but one stuck order of a hundred in eight rounds', () => {
    const names = hashes(100);
    const [stuck] = names.slice(61);
    expect(roundsUntilCancelled(names, new Set(stuck ? [stuck] : []))).toBeLessThanOrEqual(8);
  });

  it('reach every order that can be cancelled, however many cannot, 40 requests at a time', () => {
    const stuck = fc.uniqueArray(fc.nat(1_999), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), stuck, (count, places) => {
        const names = hashes(count);
        const held = new Set(places.flatMap((at) => names[at] ?? []));
        expect(roundsUntilCancelled(names, held)).toBeLessThan(200);
      }),
      { numRuns: 20 },
    );
  });

  it('are never more than 40 requests, and what was left out comes first the next time', () => {
    const batches = new CancelBatches(100);
    const names = hashes(60);
    for (const hash of names) batches.onRefused([hash], AT);
    const later = unixMs(AT + 1_000);
    const first = batches.group(names, later);
    expect(first).toHaveLength(40);
    for (const batch of first) batches.onRefused(batch, later);
    const asked = new Set(first.flat());
    const next = batches.group(names, later).flat();
    expect(next.slice(0, 20).every((hash) => !asked.has(hash))).toBe(true);
  });

  it('go in full batches again two minutes after the last refusal', () => {
    const batches = new CancelBatches(100);
    const names = hashes(100);
    batches.onRefused(names, AT);
    expect(batches.group(names, unixMs(AT + 119_999))).toHaveLength(2);
    expect(batches.group(names, unixMs(AT + 120_000))).toHaveLength(1);
  });
});

function refused(code: string | undefined, httpStatus: number, retryAfterMs?: number) {
  const refusal = { code, message: 'no', httpStatus, retryAfterMs };
  return { kind: 'refused', refusal } as const satisfies CancelOutcome;
}

describe('a refused cancel', () => {
  it.each([
    ['order_not_cancellable', 409, true, true],
    ['order_not_found', 404, true, true],
    [undefined, 409, true, true],
    [undefined, 400, true, false],
    ['invalid_request', 400, true, false],
    ['something_new', 422, true, false],
    ['rate_limited', 429, false, false],
    [undefined, 429, false, false],
    ['expired_timestamp', 401, false, false],
    [undefined, 401, false, false],
    ['account_restricted', 403, false, false],
    ['maintenance', 409, false, false],
    [undefined, 503, false, false],
  ] as const)('with %s and %s is about its orders: %s, and final for one: %s', (...row) => {
    const [code, status, isAbout, isFinal] = row;
    expect(isAboutOrders(refused(code, status))).toBe(isAbout);
    expect(isNotCancellable(refused(code, status))).toBe(isFinal);
  });

  it('that names a time to come back is about time', () => {
    expect(isAboutOrders(refused('order_not_cancellable', 409, 1_000))).toBe(false);
  });

  it('is no answer that was lost, and no request that never left', () => {
    expect(isAboutOrders({ kind: 'unknown', cause: 'timeout', detail: 'none' })).toBe(false);
    expect(isAboutOrders({ kind: 'notSent', detail: 'stopped' })).toBe(false);
    expect(isAboutOrders({ kind: 'accepted', cancelled: 0, failed: 1 })).toBe(false);
  });
});
