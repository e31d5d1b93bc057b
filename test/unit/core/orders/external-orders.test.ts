// Orders on a list that nobody can name, however many, against placements without an answer.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reconcile, type Verdict } from '../../../../src/core/orders/reconcile.ts';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { ownOrder } from '../../../support/own-orders.ts';

/** Sizes of placements, and of listed orders with whether an answer named them. */
const scenes = fc.record({
  sent: fc.array(fc.constantFrom(20, 30, 50), { maxLength: 6 }),
  listed: fc.array(fc.record({ size: fc.constantFrom(20, 30, 50), isNamed: fc.boolean() }), {
    maxLength: 8,
  }),
});

function verdictsOf(of: typeof scenes extends fc.Arbitrary<infer Scene> ? Scene : never) {
  const orders = of.sent.map((size, at) =>
    ownOrder({ state: 'unknown', orderHash: undefined, size, sentAtMs: unixMs(5_000 + at) }),
  );
  const named = new Set<OrderHash>();
  const reports = of.listed.map(({ size, isNamed }, at): OrderReport => {
    const { tokenId, side, price } = ownOrder();
    const hash = orderHash(`0x${(at + 1).toString(16)}`);
    if (isNamed) named.add(hash);
    const order = { orderHash: hash, tokenId, side, price, quantity: shares(size) };
    return { ...order, executed: shares(0), status: 'OPEN', createdAtMs: undefined };
  });
  const known = { notEnded: orders, byHash: () => undefined, isKnownHash: () => false };
  const verdicts = reconcile(known, {
    reports,
    askedAtMs: unixMs(10_000),
    isNamed: (hash) => named.has(hash),
    mayArriveUntilMs: (order) => order.sentAtMs + 35_000,
    slotUntilMs: (order) => order.sentAtMs + 35_000,
  });
  return { verdicts, named };
}

const found = (verdicts: readonly Verdict[]) =>
  verdicts.flatMap((each) => (each.kind === 'found' ? [each] : []));

it('each is one placement or nobody’s, no placement is two of them, and as many are found as can be', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { verdicts } = verdictsOf(scene);
      const pairs = found(verdicts);
      expect(new Set(pairs.map(({ order }) => order)).size).toBe(pairs.length);
      expect(new Set(pairs.map(({ report }) => report.orderHash)).size).toBe(pairs.length);
      expect(pairs.every(({ order, report }) => order.quantity === report.quantity)).toBe(true);
      const externalOrders = verdicts.filter(({ kind }) => kind === 'external');
      expect(pairs.length + externalOrders.length).toBe(scene.listed.length);
      for (const size of [20, 30, 50]) {
        const sent = scene.sent.filter((each) => each === size).length;
        const listed = scene.listed.filter((each) => each.size === size).length;
        const matched = pairs.filter(({ report }) => report.quantity === shares(size)).length;
        expect(matched).toBe(Math.min(sent, listed));
      }
    }),
  );
});

it('what an answer named is never left over where an external order like it was taken', () => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { verdicts, named } = verdictsOf(scene);
      const externals = found(verdicts).filter(({ report }) => !named.has(report.orderHash));
      const left = verdicts.flatMap((each) =>
        each.kind === 'external' && named.has(each.report.orderHash) ? [each.report.quantity] : [],
      );
      for (const { report } of externals) expect(left).not.toContain(report.quantity);
    }),
  );
});
