// The answer to a batch names orders and not which of them is whose, as where a venue counts from one. They
// are ours: what is like a placement of the batch is that, and what is like none is cancelled.

import { describe, expect } from 'vitest';
import { type OrderHash, orderHash } from '../../../../src/domain/ids.ts';
import type { PlaceOutcome } from '../../../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { EngineDriver, listing, reportOf, settings, YES } from '../../../support/engine-driver.ts';
import { ListedAccount, toldBook } from '../../../support/listed-account.ts';
import { it } from '../../../support/runs.ts';

const BID = orderHash('0xb1d0');
const ASK = orderHash('0xa5c0');
const EXTERNAL = orderHash('0x5747');

type Scope = 'account' | 'own';
const SCOPES: readonly Scope[] = ['account', 'own'];

const scoped = (scope: Scope) => ({
  ...settings(),
  orders: { ...settings().orders, scope },
});
const states = ({ engine }: EngineDriver) => engine.view().ordersByState;

function answered(scope: Scope = 'own', batchOrderIds: readonly OrderHash[] = [BID, ASK]) {
  const driver = new EngineDriver();
  driver.start(scoped(scope));
  driver.healthyBook();
  driver.tick();
  const [write] = driver.placements();
  const bid = write?.orders.find((order) => order.side === 'BUY' && order.tokenId === YES);
  const ask = write?.orders.find((order) => order !== bid);
  if (!write || !bid || !ask) throw new Error('a bid and an ask were placed');
  const outcome: PlaceOutcome = {
    kind: 'unknown',
    cause: 'unreadable',
    detail: 'x',
    batchOrderIds,
  };
  const outcomes = write.orders.map(({ intentId }) => ({ intentId, outcome }));
  driver.tell({ kind: 'placed', requestId: write.requestId, outcomes });
  const account = new ListedAccount(driver, 'silent');
  return { driver, account, bid, ask };
}

const capped = (hash: OrderHash, order: LimitOrder): OrderReport => ({
  ...reportOf(hash, order),
  quantity: shares(20),
});

function begin(driver: EngineDriver, open: readonly OrderReport[]): ListedAccount {
  const account = new ListedAccount(driver, 'silent');
  account.open = [...open];
  driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  account.run(4_000);
  return account;
}

describe('orders that the answer to a batch names', () => {
  it.for(SCOPES)('are the placements that they are like, one to one, %s', (scope) => {
    const { driver, account, bid, ask } = answered(scope);
    account.open = [reportOf(ASK, ask), reportOf(BID, bid)];
    account.run(1_000);
    expect(states(driver)).toMatchObject({ unknown: 0, resting: 2 });
    expect(account.cancelled).toEqual([]);
    expect(driver.reported('order.external')).toEqual([]);
  });

  it.for(SCOPES)('go before an order of somebody else that is like them, %s', (scope) => {
    const { driver, account, bid } = answered(scope);
    account.open = [reportOf(EXTERNAL, bid), reportOf(BID, bid)];
    driver.run(500, () => driver.answerReads(account.open));
    expect(driver.reported('order.moved').map((each) => each.orderHash)).toContain(BID);
    expect(driver.reported('order.external')).toMatchObject([{ orderHash: EXTERNAL }]);
  });

  it('leave an order of somebody else alone that is like them', () => {
    const { account, bid, ask } = answered();
    account.open = [reportOf(BID, bid), reportOf(ASK, ask), reportOf(EXTERNAL, bid)];
    account.run(20_000);
    expect(account.cancelled).toEqual([]);
  });

  it.for(SCOPES)('are cancelled where they are like none, %s', (scope) => {
    const { driver, account, bid } = answered(scope);
    account.open = [capped(BID, bid)];
    account.run(3_000);
    expect(account.cancelled).toEqual([BID]);
    expect(driver.engine.view().ordersOfOthers).toBe(0);
  });

  it('are cancelled by a kill before any list shows them', () => {
    const { driver, account } = answered();
    driver.operator('kill');
    driver.run(100);
    const named = driver.take('cancelOrders').flatMap(({ orderHashes }) => orderHashes);
    expect(named).toEqual(expect.arrayContaining([BID, ASK]));
    expect(account.cancelled).toEqual([]);
  });

  it.for(SCOPES)('have their trades counted where no list shows them, %s', (scope) => {
    const { driver, bid } = answered(scope);
    driver.update(BID, bid, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.run(10_000, () => driver.answerReads([]));
    expect(driver.engine.view().markets[0]?.positionYes).toBe('50');
  });

  it('are ours for a guard', () => {
    const { driver, bid } = answered();
    driver.tick();
    const price = ticks(tickGrid('0.001'), bid.price * 10);
    expect(toldBook(driver).among([{ ...capped(BID, bid), price }])).toHaveLength(1);
  });

  it.for(SCOPES)('are ours for a next run of the own scope, %s before', (scope, { runs }) => {
    const { driver, bid } = answered(scope);
    driver.tick();
    const after = runs.restored(driver, scoped('own'));
    expect(begin(after, [capped(BID, bid)]).cancelled).toContain(BID);
  });
});
