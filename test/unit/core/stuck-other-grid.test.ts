// The tick size changed between two runs, and the venue refuses to cancel what the first one left.

import { expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  NO,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

it.for(['account', 'own'] as const)(
  'what rests on the old tick size counts in limits, and what it trades is a fill, %s',
  (scope, { runs }) => {
    const value = {
      ...settings(),
      orders: { ...settings().orders, scope },
      risk: { ...settings().risk, maxPositionShares: 60 },
    };
    const first = new EngineDriver();
    first.start(value);
    first.healthyBook();
    first.tick();
    const quotes = first.acceptPlacements();
    const bid = quotes.find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
    if (bid === undefined) throw new Error('a bid was placed');
    const driver = runs.restored(first, value);
    const relist = () =>
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
    relist();
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    const price = ticks(tickGrid('0.001'), bid.order.price * 10);
    const stuck = { ...reportOf(bid.hash, bid.order), price, ticksPerUnit: 1_000 } as const;
    const held = balances({ availableBalance: usdc(9_976), usdcOnHold: usdc(24) });
    const open = [stuck];
    const bought: number[] = [];
    driver.run(260_000, () => {
      if (driver.nowMs % 1_000 === 0) {
        driver.book(YES, [level(470, 500)], [level(520, 500)]);
        driver.book(NO);
      }
      if (driver.take('readCatalogue').length > 0) relist();
      driver.answerCancels([bid.hash]);
      for (const { requestId, orders } of driver.placements()) {
        const outcomes = orders.map((order) => {
          if (order.side === 'BUY' && order.tokenId === YES) bought.push(order.quantity);
          const hash = orderHash(`0xbb${open.length}`);
          open.push({ ...reportOf(hash, order), price: order.price, ticksPerUnit: 1_000 });
          const { intentId } = order;
          return { intentId, outcome: { kind: 'accepted', orderHash: hash } } as const;
        });
        driver.tell({ kind: 'placed', requestId, outcomes });
      }
      driver.answerReads(open, held);
    });
    expect(bought).toEqual([]);
    driver.update(
      bid.hash,
      { ...bid.order, price },
      { status: 'MATCHED', filled: 50, remaining: 0 },
    );
    expect(driver.reported('order.filled')).toMatchObject([{ quantity: '50', price: '0.480' }]);
    expect(driver.engine.view().markets[0]?.positionYes).toBe('50');
  },
);
