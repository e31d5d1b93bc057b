import { describe, expect, it } from 'vitest';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { reconcile } from '../../../../src/core/orders/reconcile.ts';
import { orderHash } from '../../../../src/domain/ids.ts';
import { isTerminal, type OrderReport } from '../../../../src/domain/order.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { ownOrder } from '../../../support/own-orders.ts';

function listed(order: OwnOrder, hash = order.orderHash): OrderReport {
  return {
    orderHash: hash ?? orderHash('0x77'),
    tokenId: order.tokenId,
    side: order.side,
    price: order.price,
    quantity: order.quantity,
    executed: order.executed,
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

function verdicts(
  orders: readonly OwnOrder[],
  reports: readonly OrderReport[],
  askedAtMs = 10_000,
  mayBeHeld = false,
) {
  const byHash = new Map(orders.map((each) => [each.orderHash, each]));
  const known = {
    notEnded: orders.filter((each) => !isTerminal(each.state)),
    byHash: (hash: OrderReport['orderHash']) => byHash.get(hash),
    isKnownHash: (hash: OrderReport['orderHash']) => byHash.has(hash),
  };
  const evidence = {
    reports,
    askedAtMs: unixMs(askedAtMs),
    mayArriveUntilMs: (order: OwnOrder) => order.sentAtMs + 35_000,
    slotUntilMs: (order: OwnOrder) => order.sentAtMs + 35_000,
    mayBeHeld: () => mayBeHeld,
  };
  return reconcile(known, evidence).map((each) => each.kind);
}

describe('an order missing from the list', () => {
  it('is not gone after one list, only after two', () => {
    expect(verdicts([ownOrder()], [])).toEqual(['missing']);
    expect(verdicts([ownOrder({ missingLists: 1 })], [])).toEqual(['absent']);
  });

  it('is no evidence when it was confirmed after the list was asked for', () => {
    expect(verdicts([ownOrder({ confirmedAtMs: unixMs(10_001) })], [])).toEqual([]);
  });

  it('is gone at once when its cancel was answered before', () => {
    const order = ownOrder({ state: 'cancelUnresolved', cancelAnsweredAtMs: unixMs(9_000) });
    expect(verdicts([order], [])).toEqual(['absent']);
  });

  it('confirms nothing while its cancel is unanswered', () => {
    expect(verdicts([ownOrder({ state: 'cancelling' })], [])).toEqual([]);
  });

  it('is gone after two lists when its settlement failed and it is nobody here who cancels it', () => {
    const failed = {
      state: 'cancelUnresolved',
      isOfOthers: true,
      failedAtMs: unixMs(9_000),
    } as const;
    expect(verdicts([ownOrder(failed)], [])).toEqual(['missing']);
    expect(verdicts([ownOrder({ ...failed, missingLists: 1 })], [])).toEqual(['absent']);
    expect(verdicts([ownOrder({ ...failed, failedAtMs: unixMs(10_500) })], [])).toEqual([]);
    expect(verdicts([ownOrder({ ...failed, isOfOthers: false })], [])).toEqual([]);
  });

  it('is absent as an unknown placement only after two lists of when it can no longer arrive', () => {
    const of = { state: 'unknown', orderHash: undefined, sentAtMs: unixMs(5_000) } as const;
    expect(verdicts([ownOrder(of)], [], 39_000)).toEqual([]);
    expect(verdicts([ownOrder(of)], [], 40_001)).toEqual(['missing']);
    expect(verdicts([ownOrder({ ...of, missingLists: 1 })], [], 39_000)).toEqual([]);
    expect(verdicts([ownOrder({ ...of, missingLists: 1 })], [], 40_001)).toEqual(['absent']);
  });
});

describe('an order on the list', () => {
  it.each(['cancelled', 'expired', 'absent'] as const)(
    'that was %s with us before the list was asked for is a zombie',
    (state) => {
      const order = ownOrder({ state, stateSinceMs: unixMs(5_000) });
      expect(verdicts([order], [listed(order)])).toEqual(['zombie']);
      const justEnded = ownOrder({ state, stateSinceMs: unixMs(10_500) });
      expect(verdicts([justEnded], [listed(justEnded)])).toEqual(['seen']);
    },
  );

  it('that nobody here sent is an external order', () => {
    expect(verdicts([], [listed(ownOrder())])).toEqual(['external']);
  });

  it('is not judged while a placement like any is waiting for its answer', () => {
    const waiting = ownOrder({ state: 'sending', orderHash: undefined, price: 30 });
    expect(verdicts([waiting], [listed(ownOrder())])).toEqual([]);
  });

  it('waits for no placement that left after a list had shown it', () => {
    const report = listed(ownOrder(), orderHash('0x99'));
    const judged = (sentAtMs: number, shownSinceMs: number | undefined) => {
      const waiting = ownOrder({
        state: 'sending',
        orderHash: undefined,
        price: 30,
        sentAtMs: unixMs(sentAtMs),
      });
      const known = { notEnded: [waiting], byHash: () => undefined, isKnownHash: () => false };
      const list = {
        reports: [report],
        askedAtMs: unixMs(10_000),
        mayArriveUntilMs: () => 35_000,
        slotUntilMs: () => 35_000,
      };
      const since = shownSinceMs === undefined ? undefined : unixMs(shownSinceMs);
      return reconcile(known, { ...list, shownSinceMs: () => since }).map(({ kind }) => kind);
    };
    expect(judged(9_000, undefined)).toEqual([]);
    expect(judged(9_000, 9_500)).toEqual([]);
    expect(judged(9_000, 5_000)).toEqual(['external']);
  });

  it('is an unknown placement of the same token, side, price and quantity', () => {
    const unknown = ownOrder({ state: 'unknown', orderHash: undefined });
    expect(verdicts([unknown], [listed(unknown, orderHash('0x99'))])).toEqual(['found']);
    const other = ownOrder({ state: 'unknown', orderHash: undefined, size: 51 });
    expect(verdicts([other], [listed(ownOrder(), orderHash('0x99'))])).toEqual(['external']);
  });

  it('takes one of two identical unknown placements, never both', () => {
    const duplicates = [1, 2].map(() => ownOrder({ state: 'unknown', orderHash: undefined }));
    const [first] = duplicates;
    if (!first) throw new Error('there are two');
    expect(verdicts(duplicates, [listed(first, orderHash('0x99'))])).toEqual(['found']);
    const both = [listed(first, orderHash('0x98')), listed(first, orderHash('0x99'))];
    expect(verdicts(duplicates, both)).toEqual(['found', 'found']);
    const three = [...both, listed(first, orderHash('0x97'))];
    expect(verdicts(duplicates, three)).toEqual(['found', 'found', 'external']);
  });

  it('is the placement that was sent when it came into being, and not one like it', () => {
    const sent = { sentAtMs: unixMs(8_000), datedByMs: 0, state: 'unknown' } as const;
    const unknown = ownOrder({ ...sent, orderHash: undefined });
    // The network had delivered an earlier placement like it twice: that rests under its own hash.
    const twice = { ...listed(unknown, orderHash('0x98')), createdAtMs: unixMs(2_000) };
    const its = { ...listed(unknown, orderHash('0x99')), createdAtMs: unixMs(8_020) };
    expect(verdicts([unknown], [twice, its])).toEqual(['external', 'found']);
    expect(verdicts([unknown], [its, twice])).toEqual(['found', 'external']);
  });

  it('is no placement of a previous run where it came into being long before that left', () => {
    const unknown = ownOrder({ state: 'unknown', orderHash: undefined, sentAtMs: unixMs(300_000) });
    const born = (createdAtMs: number) => ({
      ...listed(unknown, orderHash('0x99')),
      createdAtMs: unixMs(createdAtMs),
    });
    const known = { notEnded: [unknown], byHash: () => undefined, isKnownHash: () => false };
    const judged = (createdAtMs: number, clockOffsetMs: number | undefined) =>
      reconcile(known, {
        reports: [born(createdAtMs)],
        askedAtMs: unixMs(310_000),
        clockOffsetMs,
        mayArriveUntilMs: (order: OwnOrder) => order.sentAtMs + 35_000,
        slotUntilMs: (order: OwnOrder) => order.sentAtMs + 35_000,
      }).map((each) => each.kind);
    expect(judged(170_000, 0)).toEqual(['external']);
    expect(judged(190_000, 0)).toEqual(['found']);
    // The venue's clock is behind by a minute, or nobody knows by how much.
    expect(judged(170_000, -60_000)).toEqual(['found']);
    expect(judged(1_000, undefined)).toEqual(['found']);
  });

  it('is no placement like it where its hash is of one of ours that ended', () => {
    const unknown = ownOrder({ state: 'unknown', orderHash: undefined });
    const report = listed(unknown, orderHash('0x99'));
    const known = { notEnded: [unknown], byHash: () => undefined, isKnownHash: () => true };
    const list = {
      reports: [report],
      askedAtMs: unixMs(10_000),
      mayArriveUntilMs: () => 35_000,
      slotUntilMs: () => 35_000,
    };
    expect(reconcile(known, list)).toEqual([{ kind: 'external', report }]);
  });

  it('is the older one of two identical placements that had left by then', () => {
    const sent = { datedByMs: 0, state: 'unknown', orderHash: undefined } as const;
    const older = ownOrder({ ...sent, sentAtMs: unixMs(2_800) });
    const newer = ownOrder({ ...sent, sentAtMs: unixMs(5_200) });
    const late = { ...listed(older, orderHash('0x99')), createdAtMs: unixMs(9_000) };
    const known = { notEnded: [newer, older], byHash: () => undefined, isKnownHash: () => false };
    const mayArriveUntilMs = (order: OwnOrder) => order.sentAtMs + 35_000;
    const found = reconcile(known, {
      reports: [late],
      askedAtMs: unixMs(10_000),
      mayArriveUntilMs,
      slotUntilMs: mayArriveUntilMs,
    });
    expect(found).toEqual([{ kind: 'found', order: older, report: late }]);
  });
});
