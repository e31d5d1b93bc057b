// What a market begins with is on the disk before anything of it trades, so that a later life does not
// take what came while nobody listened for what it begins with itself.

import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { OrderHash } from '../../../../src/domain/ids.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../../../src/domain/order.ts';
import type { LedgerRecord, StoredLife } from '../../../../src/domain/record.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  knowing,
  level,
  listing,
  MARKET,
  NO,
  reportOf,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { it, type Lives } from '../../../support/lives.ts';

type Placed = { readonly order: LimitOrder; readonly hash: OrderHash };

/** A life on an empty account that ends with a bid and an ask of 50 shares resting. */
function quotingLife() {
  const driver = new EngineDriver();
  driver.start();
  driver.healthyBook();
  driver.tick();
  const bid = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
  if (bid === undefined) throw new Error('there is a bid on YES');
  return { driver, bid };
}

/** Balances after a purchase of YES shares at 0.48 that has settled and shows. */
function bought(count: number, waits = 0): Balances {
  const cash = 10_000 - count * 0.48;
  return balances({
    cashBalance: usdc(cash),
    availableBalance: usdc(cash - waits * 0.48),
    usdcOnHold: usdc(waits * 0.48),
    positions: [position(count)],
  });
}

function position(count: number): Balances['positions'][number] {
  const shareAmount = shares(count);
  return { tokenId: YES, marketId: MARKET, shareAmount, onHoldShareAmount: shares(0) };
}

/** What the venue shows a life that begins. */
type Shown = { readonly account: Balances; readonly open?: readonly OrderReport[] };

function nextLife(life: StoredLife, nowMs: number, { account, open = [] }: Shown): EngineDriver {
  const driver = new EngineDriver();
  driver.nowMs = nowMs;
  driver.settings(settings());
  driver.restore(life);
  driver.tell({ kind: 'socketOpened' });
  driver.tell({ kind: 'authenticated' });
  driver.tick();
  driver.answerReads(open, account);
  driver.start(settings(), account);
  driver.healthyBook();
  driver.tick();
  return driver;
}

function stored({ ledger }: Lives, driver: EngineDriver): StoredLife {
  ledger.commit(driver.records);
  return ledger.load();
}

/** What an older version left: no word of a token that never traded. */
function withoutTokens(life: StoredLife): StoredLife {
  return { ...life, tokens: [] };
}

const view = (driver: EngineDriver) => {
  const [market] = driver.engine.view().markets;
  if (market === undefined) throw new Error('there is one market');
  return market;
};

const LATER_MS = 180_000;

describe('a market that never traded', () => {
  it('leaves what it began with, both tokens, before its first order leaves', ({ lives }) => {
    const { driver } = quotingLife();
    const tokens = stored(lives, driver).tokens.map(({ tokenId, settled }) => [tokenId, settled]);
    expect(tokens.toSorted()).toEqual([
      [YES, 0],
      [NO, 0],
    ]);
    expect(stored(lives, driver).flows).toMatchObject([
      { marketId: MARKET, start: { yes: 0, no: 0 } },
    ]);
    const kinds = driver.records.map(({ kind }) => kind);
    expect(kinds.indexOf('order')).toBeGreaterThan(kinds.indexOf('flows'));
    expect(kinds.indexOf('order')).toBeGreaterThan(kinds.lastIndexOf('token'));
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])(
    'asks to keep it in the very step in which both are known, balances %s its tokens',
    (_, at) => {
      const driver = new EngineDriver();
      driver.settings(settings());
      driver.tell({ kind: 'socketOpened' });
      driver.tell({ kind: 'authenticated' });
      driver.tick();
      const steps = [
        () => tellBalances(driver, balances({ positions: [position(7)] })),
        () => driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } }),
      ];
      for (const step of at === 0 ? steps : steps.toReversed()) {
        expect(driver.records.filter(({ kind }) => kind === 'flows')).toEqual([]);
        step();
      }
      const start = { yes: shares(7), no: shares(0) };
      expect(driver.records.filter(({ kind }) => kind === 'flows')).toMatchObject([
        { flows: { marketId: MARKET, start } },
      ]);
      expect(heldIn(driver.records)).toEqual([
        [YES, start.yes],
        [NO, start.no],
      ]);
    },
  );
});

/** Tokens on record, by their latest record. */
function heldIn(records: readonly LedgerRecord[]) {
  const tokens = records.flatMap((each) => (each.kind === 'token' ? [each.token] : []));
  return [...new Map(tokens.map(({ tokenId, settled }) => [tokenId, settled]))].toSorted();
}

function tellBalances(driver: EngineDriver, account: Balances): void {
  const askedAtMs = unixMs(driver.nowMs);
  for (const { requestId } of driver.take('readBalances')) {
    const outcome = { kind: 'ok', value: account } as const;
    driver.tell({ kind: 'balances', requestId, askedAtMs, outcome });
  }
}

/** What a start consists of, in any order and as often as it likes. */
const EVENTS: Readonly<Record<string, (driver: EngineDriver) => void>> = {
  settings: (driver) => driver.settings(settings()),
  catalogue: (driver) =>
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } }),
  balances: (driver) => tellBalances(driver, balances({ positions: [position(7)] })),
  socketOpened: (driver) => driver.tell({ kind: 'socketOpened' }),
  authenticated: (driver) => driver.tell({ kind: 'authenticated' }),
  books: (driver) => driver.healthyBook(),
  cancels: (driver) => void driver.answerCancels(),
  lists: (driver) => driver.answerReads([], balances({ positions: [position(7)] })),
  ticks: (driver) => driver.run(1_500),
  accepts: (driver) => void driver.acceptPlacements(),
};

/** Whatever came before, these let it place. */
const WAKES = ['catalogue', 'socketOpened', 'authenticated'];
const CLEARS = Array.from({ length: 6 }, () => ['lists', 'cancels', 'ticks']).flat();

it('is on the disk wherever a life ends that has an order there', () => {
  let placed = 0;
  const names = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 30 });
  fc.assert(
    fc.property(names, (events) => {
      const driver = new EngineDriver();
      driver.restore(knowing(balances({ positions: [position(7)] })));
      driver.settings(settings());
      for (const name of [...events, ...WAKES, ...CLEARS, 'books', 'ticks']) {
        EVENTS[name]?.(driver);
        const has = (kind: LedgerRecord['kind']) =>
          driver.records.some((each) => each.kind === kind);
        if (!has('order')) continue;
        placed += 1;
        expect(startsIn(driver.records)).toEqual([{ yes: shares(7), no: shares(0) }]);
        expect(heldIn(driver.records).map(([tokenId]) => tokenId)).toEqual([YES, NO]);
      }
    }),
    { numRuns: 100 },
  );
  expect(placed).toBeGreaterThan(50);
});

function startsIn(records: readonly LedgerRecord[]) {
  const starts = records.flatMap((each) => (each.kind === 'flows' ? [each.flows.start] : []));
  return [...new Set(starts.map((start) => JSON.stringify(start)))].map((text) => JSON.parse(text));
}

describe.each([
  ['a ledger', (life: StoredLife) => life],
  ['a ledger of before, which keeps no word of untraded tokens', withoutTokens],
])('after a crash before the first fill, with %s', (_, kept) => {
  function afterFill(lives: Lives, count: number, open: (bid: Placed) => readonly OrderReport[]) {
    const { driver, bid } = quotingLife();
    const account = bought(count);
    const reports = open(bid);
    const life = kept(stored(lives, driver));
    const shown = { account, open: reports };
    return { after: nextLife(life, driver.nowMs + LATER_MS, shown), account, reports };
  }

  it('a part that a list shows counts once, at its cost, though positions show it too', ({
    lives,
  }) => {
    const { after } = afterFill(lives, 20, ({ hash, order }) => [reportOf(hash, order, 20)]);
    // 20 at 0.48, worth 0.50.
    expect(view(after)).toMatchObject({ positionYes: '20', pnlUsdc: '0.400000', fills: 1 });
  });

  it('shares of an order that nobody lists are no gift: the market waits until they are explained', ({
    lives,
  }) => {
    const { after, account } = afterFill(lives, 50, () => []);
    expect(view(after).pnlUsdc).toBe('0.000000');
    expect(view(after).bidReason?.code).toBe('position_unproven');
    for (let passedMs = 0; passedMs < 200_000 && after.placements().length === 0; passedMs += 50) {
      after.healthyBook();
      after.answerReads([], account);
      after.answerCancels();
      after.tick();
    }
    expect(view(after).bidReason?.code).toBe('on_its_way');
    expect(after.reported('inventory.diverged')).toMatchObject([{ ours: '0', venues: '50' }]);
    // Nobody tells what they cost, so they are neither a gain nor a loss at the price of that moment.
    expect(view(after)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
  });

  it('shares that are explained before any price is known are no gift either', ({ lives }) => {
    const { driver } = quotingLife();
    const account = bought(50);
    const life = kept(stored(lives, driver));
    const after = new EngineDriver();
    after.nowMs = driver.nowMs + LATER_MS;
    after.settings(settings());
    after.restore(life);
    after.start(settings(), account);
    after.run(200_000, () => after.answerReads([], account));
    expect(after.reported('inventory.diverged')).toMatchObject([{ ours: '0', venues: '50' }]);
    after.healthyBook();
    after.tick();
    expect(view(after)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
  });

  it('they are no gift to a life that meets the first price after them', ({ lives }) => {
    const { driver } = quotingLife();
    const account = bought(50);
    const life = kept(stored(lives, driver));
    const second = new EngineDriver();
    second.nowMs = driver.nowMs + LATER_MS;
    second.settings(settings());
    second.restore(life);
    second.start(settings(), account);
    second.run(200_000, () => second.answerReads([], account));
    expect(second.reported('inventory.diverged')).toMatchObject([{ ours: '0', venues: '50' }]);
    const third = new EngineDriver();
    third.nowMs = second.nowMs + 1_000;
    third.settings(settings());
    third.restore(stored(lives, second));
    third.start(settings(), account);
    // Nothing was traded, and so nothing hangs on a price that is not known.
    expect(view(third)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
    third.healthyBook();
    third.run(1_000, () => third.answerReads([], account));
    expect(view(third)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
    const fourth = nextLife(stored(lives, third), third.nowMs + 1_000, { account });
    expect(view(fourth)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
  });

  it('nor are they on another tick size, which comes before the first price', ({ lives }) => {
    const { driver } = quotingLife();
    const account = bought(50);
    const after = new EngineDriver();
    after.nowMs = driver.nowMs + LATER_MS;
    after.settings(settings());
    after.restore(kept(stored(lives, driver)));
    after.start(settings(), account);
    after.run(200_000, () => after.answerReads([], account));
    const value = [listing('0.001')];
    after.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    after.tick();
    expect(view(after).tickSize).toBe('0.001');
    after.book(YES, [level(480, 500)], [level(520, 500)]);
    after.tick();
    expect(view(after)).toMatchObject({ positionYes: '50', pnlUsdc: '0.000000' });
  });

  it('does so, too, when the venue tells of the settlement late', ({ lives }) => {
    const { after } = afterFill(lives, 0, () => []);
    const trade = { tradeId: 't-1', tokenId: YES, marketId: MARKET, side: 'BUY' } as const;
    after.tell({ kind: 'tradeSettled', ...trade, price: usdc('0.48'), quantity: shares(50) });
    after.tick();
    expect(view(after)).toMatchObject({ positionYes: '50', pnlUsdc: '1.000000' });
  });
});
