// A stop beside an order that has matched: it is off the book, and may rest again if its settlement fails.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import type { AccountOrder } from '../../../src/domain/input.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import {
  EngineDriver,
  listing,
  MARKET,
  reportOf,
  settings,
  YES,
} from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const patient = (proofDeadlineMs = 120_000) => ({
  ...settings(),
  timing: { ...settings().timing, proofDeadlineMs },
});

/** A bid matched whole three seconds ago. */
function matchedBid(proofDeadlineMs?: number, change = patient(proofDeadlineMs)) {
  const driver = new EngineDriver();
  driver.start(change);
  driver.healthyBook();
  driver.tick();
  const bid = driver.acceptPlacements().find(({ order }) => order.side === 'BUY');
  if (bid === undefined) throw new Error('a bid was placed');
  driver.update(bid.hash, bid.order, { status: 'MATCHED', remaining: 0 });
  driver.run(3_000);
  driver.acceptPlacements();
  return { driver, bid };
}

/** And then somebody stops the daemon. */
function matched(kind: AccountOrder['kind'], proofDeadlineMs?: number) {
  const scene = matchedBid(proofDeadlineMs);
  scene.driver.operator(kind);
  return scene;
}

function pass(driver: EngineDriver, forMs: number, open: readonly OrderReport[] = []): string[] {
  const cancelled: string[] = [];
  driver.run(forMs, () => {
    cancelled.push(...driver.answerCancels());
    driver.answerReads(open);
  });
  return cancelled;
}

const proofs = (driver: EngineDriver) => driver.reported('kill.confirmed');
const SETTLED = {
  kind: 'tradeSettled',
  tradeId: 't-1',
  tokenId: YES,
  marketId: MARKET,
  side: 'BUY',
  price: usdc('0.48'),
  quantity: shares(50),
} as const;
const FAILED = {
  kind: 'tradeFailed',
  reason: 'execution reverted',
  marketId: MARKET,
  side: 'BUY',
  quantity: shares(50),
} as const;

describe('a stop that ends the process', () => {
  it('is confirmed when what had matched has settled, and not before', () => {
    const { driver } = matched('shutdown');
    pass(driver, 5_000);
    expect(proofs(driver)).toEqual([]);
    driver.tell(SETTLED);
    pass(driver, 500);
    expect(proofs(driver)).toMatchObject([{ settling: 0 }]);
  });

  it('cancels what rests again since its settlement failed', () => {
    const { driver, bid } = matched('shutdown');
    pass(driver, 4_000);
    driver.tell(FAILED);
    const cancelled = pass(driver, 1_000, [reportOf(bid.hash, bid.order)]);
    expect(cancelled).toContain(bid.hash);
    expect(proofs(driver)).toEqual([]);
    pass(driver, 5_000);
    expect(proofs(driver)).toHaveLength(1);
  });

  it('waits for the chain also where the order was reported as filled before', () => {
    const { driver, bid } = matchedBid();
    driver.update(bid.hash, bid.order, { status: 'FILLED', filled: 50, remaining: 0 });
    driver.operator('shutdown');
    pass(driver, 5_000);
    expect(proofs(driver)).toEqual([]);
    driver.tell(SETTLED);
    pass(driver, 500);
    expect(proofs(driver)).toMatchObject([{ settling: 0 }]);
  });

  it.for([0, 3_000])(
    'waits for a match of the run before, of a market that left, %i ms after the start',
    (afterMs, { runs }) => {
      const driver = runs.restored(matchedBid().driver, { ...patient(), markets: [] });
      driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      pass(driver, afterMs);
      driver.operator('shutdown');
      pass(driver, 5_000);
      expect(proofs(driver)).toEqual([]);
      pass(driver, 10_000);
      expect(proofs(driver)).toHaveLength(1);
    },
  );

  it('waits for a match of the run before that is not in a catalogue yet', ({ runs }) => {
    const driver = runs.restored(matchedBid().driver, patient());
    driver.operator('shutdown');
    driver.run(5_000, () => {
      driver.take('readCatalogue');
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(proofs(driver)).toEqual([]);
  });

  it('waits for the list to show what has failed just now', () => {
    const { driver } = matched('shutdown');
    pass(driver, 4_000);
    driver.tell(FAILED);
    pass(driver, settings().timing.proofQuietMs - 100);
    expect(proofs(driver)).toEqual([]);
    pass(driver, 500);
    expect(proofs(driver)).toHaveLength(1);
  });

  it.for([
    { theirs: 50, waits: true },
    { theirs: 40, waits: false },
  ])('waits where a failure may be of somebody else’s order of $theirs shares: $waits', (row) => {
    const own = { ...patient(), orders: { ...settings().orders, scope: 'own' as const } };
    const { driver, bid } = matchedBid(undefined, own);
    const theirs = {
      ...reportOf(orderHash('0xf0f0'), bid.order),
      quantity: shares(row.theirs),
      executed: shares(row.theirs),
      status: 'MATCHED',
    } as const;
    driver.operator('pause');
    pass(driver, 6_000, [theirs]);
    driver.operator('shutdown');
    pass(driver, 500, [theirs]);
    driver.tell(FAILED);
    expect(driver.reported('trade.failed')).toMatchObject([{ reversed: !row.waits }]);
    pass(driver, 5_000, [theirs]);
    expect(proofs(driver)).toHaveLength(row.waits ? 0 : 1);
  });

  it('waits for settlements for eight seconds, and then says how many it leaves', () => {
    const { driver } = matched('shutdown');
    pass(driver, 7_000);
    expect(proofs(driver)).toEqual([]);
    pass(driver, 3_000);
    expect(proofs(driver)).toMatchObject([{ settling: 1 }]);
  });

  it('names what had matched long before it', () => {
    const before = matchedBid();
    before.driver.operator('pause');
    pass(before.driver, 70_000);
    before.driver.operator('shutdown');
    pass(before.driver, 3_000);
    expect(proofs(before.driver)).toMatchObject([{ unsettled: [before.bid.hash] }]);
  });

  it('names nothing that has settled', () => {
    const { driver } = matched('shutdown');
    driver.tell(SETTLED);
    pass(driver, 3_000);
    expect(proofs(driver)).toMatchObject([{ settling: 0, unsettled: [] }]);
  });

  it('says what it waits for when its deadline has passed', () => {
    const { driver } = matched('shutdown', 5_000);
    pass(driver, 6_000);
    const detail = '1 matched orders settle, and one that fails may rest again';
    expect(driver.reported('kill.unconfirmed')).toMatchObject([
      { stillOpen: 0, settling: 1, detail },
    ]);
  });
});

it('a kill is confirmed beside what settles, and names it: who runs on cancels what rests again', () => {
  const { driver, bid } = matched('kill');
  pass(driver, 3_000);
  expect(proofs(driver)).toMatchObject([{ settling: 1 }]);
  driver.tell(FAILED);
  expect(pass(driver, 3_000, [reportOf(bid.hash, bid.order)])).toContain(bid.hash);
});
