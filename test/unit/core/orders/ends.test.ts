import { describe, expect, it } from 'vitest';
import { Ends } from '../../../../src/core/orders/ends.ts';
import type { OwnOrder } from '../../../../src/core/orders/own-order.ts';
import { marketId } from '../../../../src/domain/ids.ts';
import { ownOrder } from '../../../support/own-orders.ts';

const HERE = marketId('m-1');
const THERE = marketId('m-2');

function begun() {
  const changed: OwnOrder[] = [];
  const ends = new Ends((order) => changed.push(order));
  const here = ownOrder({ state: 'absent', marketId: HERE });
  const there = ownOrder({ state: 'absent', marketId: THERE });
  for (const order of [here, there]) ends.onUnproven(order);
  const countedAt = (id: typeof HERE) => [...ends.mayHaveTradedOf(id)];
  return { ends, here, there, countedAt, changed };
}

describe('an order that ended and may have traded', () => {
  it('counts in its own market and in no other', () => {
    const { here, there, countedAt } = begun();
    expect(countedAt(HERE)).toEqual([here]);
    expect(countedAt(THERE)).toEqual([there]);
    expect(countedAt(marketId('m-3'))).toEqual([]);
  });

  it('counts once, whether its market or the user channel is to say how much', () => {
    const { ends, here, countedAt } = begun();
    ends.onUnseen(here);
    expect(countedAt(HERE)).toEqual([here]);
    ends.forgetUnseen(here);
    expect(countedAt(HERE)).toEqual([here]);
  });

  it('is kept anew each time that it begins or ceases to wait for its market', () => {
    const { ends, here, there, changed } = begun();
    expect(changed).toEqual([here, there]);
    ends.onProven(HERE);
    expect(changed).toEqual([here, there, here]);
    expect(ends.isUnproven(here)).toBe(false);
    ends.onTold(there);
    expect(changed).toEqual([here, there, here, there]);
    expect(ends.isUnproven(there)).toBe(false);
  });

  it('stays kept as it was when its market goes', () => {
    const { ends, here, there, countedAt, changed } = begun();
    expect([...ends.takeUnproven(HERE)]).toEqual([here]);
    expect(countedAt(HERE)).toEqual([]);
    expect(countedAt(THERE)).toEqual([there]);
    expect(changed).toHaveLength(2);
  });

  it("is nobody's loss of ours where it was somebody else's", () => {
    const { ends, countedAt } = begun();
    const marketOfHis = marketId('m-3');
    ends.onUnproven(ownOrder({ state: 'absent', marketId: marketOfHis, isOrphan: true }));
    ends.onUnproven(ownOrder({ state: 'absent', marketId: marketOfHis, isForeign: true }));
    expect(countedAt(marketOfHis)).toEqual([]);
  });
});
