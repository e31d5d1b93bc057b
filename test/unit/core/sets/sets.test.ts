import { describe, expect, it } from 'vitest';
import { marketId, outcomeId, type RequestId, tokenId } from '../../../../src/domain/ids.ts';
import type { SetsOutcome } from '../../../../src/domain/message.ts';
import type { PersistedState } from '../../../../src/domain/record.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  listing,
  MARKET,
  NO,
  NOTHING_STORED,
  settings,
  YES,
} from '../../../support/engine-driver.ts';

function started(cash = 1_000, yes = 0, no = 0): EngineDriver {
  const driver = new EngineDriver();
  driver.start(settings(), holding(cash, yes, no));
  return driver;
}

function request(driver: EngineDriver, action: 'split' | 'merge', size: number, id = 'w-1'): void {
  driver.sets({ id, by: 'test', action, marketId: MARKET, amount: shares(size) });
}

function answer(driver: EngineDriver, outcome: SetsOutcome): void {
  for (const { requestId } of driver.take('changeSets')) tell(driver, requestId, outcome);
}

function tell(driver: EngineDriver, requestId: RequestId, outcome: SetsOutcome): void {
  driver.tell({ kind: 'setsChanged', requestId, outcome });
}

const UNKNOWN = { kind: 'unknown', cause: 'timeout', detail: 'no answer' } as const;
const ACCEPTED = { kind: 'accepted', txHash: '0xabc' } as const;

function states(driver: EngineDriver): readonly string[] {
  return driver.reported('sets.changed').map((each) => each.state);
}

describe('a split', () => {
  it('is confirmed when cash and both positions show it, and is no profit', () => {
    const driver = started();
    driver.healthyBook();
    driver.tick();
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    driver.run(1_000, () => driver.answerReads([], holding(900, 100, 100)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
    const market = driver.engine.view().markets[0];
    expect(market).toMatchObject({ settledYes: '100', settledNo: '100', pnlUsdc: '0.000000' });
    expect(driver.reported('position.adopted')).toEqual([]);
  });

  it('after many others leaves what balances that lag still show of before them all', () => {
    const driver = started();
    driver.healthyBook();
    driver.tick();
    // Cash shows each at once, and positions none yet.
    for (let made = 1; made <= 12; made += 1) {
      request(driver, 'split', 10, `w-${made}`);
      answer(driver, ACCEPTED);
      driver.run(5_000, () => driver.answerReads([], holding(1_000 - 10 * made, 0, 0)));
    }
    expect(states(driver).filter((state) => state === 'confirmed')).toHaveLength(12);
    driver.run(20_000, () => driver.answerReads([], holding(880, 0, 0)));
    expect(driver.reported('position.differs')).toEqual([]);
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '120' });
  });

  it('is refused where it would bring more than the position limit beside what is held and bid for', () => {
    const driver = started(1_000, 300, 420);
    request(driver, 'split', 100);
    request(driver, 'split', 80, 'w-2');
    expect(driver.reported('sets.changed').map(({ state, detail }) => ({ state, detail }))).toEqual(
      [
        {
          state: 'refused',
          detail: 'max_position_shares leaves room for 80 beside what is held and bid for',
        },
        { state: 'sent', detail: '' },
      ],
    );
    const quoting = started(1_000, 400, 0);
    quoting.healthyBook();
    quoting.tick();
    const placed = quoting.take('placeOrders').flatMap(({ orders }) => orders);
    expect(placed.filter((each) => each.tokenId === YES && each.side === 'BUY')).not.toEqual([]);
    request(quoting, 'split', 100);
    expect(states(quoting)).toEqual(['refused']);
  });

  it('is confirmed by its cash alone, and positions that lag behind it are no difference', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    const shown = () => driver.engine.view().markets[0];
    driver.run(60_000, () => driver.answerReads([], holding(900, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
    expect(shown()).toMatchObject({ settledYes: '100', settledNo: '100', pnlUsdc: '0.000000' });
    driver.run(10_000, () => driver.answerReads([], holding(900, 100, 100)));
    expect(shown()).toMatchObject({ settledYes: '100', settledNo: '100' });
    expect(driver.reported('position.differs')).toEqual([]);
  });

  it.each([899, 901])('is not confirmed by cash of another amount, which leaves %d', (cash) => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    driver.run(60_000, () => driver.answerReads([], holding(cash, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted']);
  });

  it('whose answer was lost is never sent again, and is confirmed all the same', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, UNKNOWN);
    request(driver, 'split', 100);
    request(driver, 'split', 50, 'w-2');
    expect(driver.take('changeSets')).toEqual([]);
    driver.run(10_000, () => driver.answerReads([], holding(900, 100, 100)));
    expect(states(driver)).toEqual(['sent', 'unknown', 'refused', 'confirmed']);
  });

  it('that never took effect is absent only after all the time it could still take', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, UNKNOWN);
    driver.run(150_000, () => driver.answerReads([], holding(1_000, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'unknown']);
    driver.run(60_000, () => driver.answerReads([], holding(1_000, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'unknown', 'absent']);
  });

  it('that was accepted and reverted ends, and hides no other difference for ever', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    driver.run(200_000, () => driver.answerReads([], holding(1_000, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'absent']);
    driver.run(200_000, () => driver.answerReads([], holding(1_000, 30, 0)));
    expect(driver.reported('position.adopted')).toHaveLength(1);
  });

  it.each([
    ['was accepted', ACCEPTED],
    ['has no answer', UNKNOWN],
  ])('that %s and is never shown may be there, until cash says that it is not', (_, outcome) => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, outcome);
    const serve = (cash: number) => () => driver.answerReads([], holding(cash, 0, 0));
    for (let ms = 0; ms < 240_000 && !states(driver).includes('absent'); ms += 500) {
      driver.run(500, serve(899));
    }
    const shown = () => driver.engine.view().markets[0]?.positions;
    const unsure = { low: '0', expected: '0', high: '100' };
    expect(shown()).toMatchObject({ yes: unsure, no: unsure });
    driver.run(3_000, serve(1_000));
    expect(shown()).toMatchObject({ yes: { high: '0' }, no: { high: '0' } });
  });

  it('whose answer was lost needs its cash beside its shares', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, UNKNOWN);
    driver.run(60_000, () => driver.answerReads([], holding(1_000, 100, 100)));
    expect(states(driver)).toEqual(['sent', 'unknown']);
  });

  it('takes its cash out of what orders may use until it is confirmed', () => {
    const driver = started(60);
    request(driver, 'split', 50);
    driver.healthyBook();
    driver.run(200);
    expect(driver.take('placeOrders')).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('cash');
  });

  it.each([
    { size: 2_000, detail: 'it costs more than the free cash' },
    { size: 0, detail: 'the amount must be above zero' },
  ])('of $size is refused before it is sent', ({ size, detail }) => {
    const driver = started();
    request(driver, 'split', size);
    expect(driver.take('changeSets')).toEqual([]);
    expect(driver.reported('sets.changed')[0]).toMatchObject({ state: 'refused', detail });
  });
});

describe('a merge', () => {
  it('is confirmed when both positions shrank and the cash has come', () => {
    const driver = started(1_000, 80, 60);
    request(driver, 'merge', 60);
    answer(driver, ACCEPTED);
    driver.run(6_000, () => driver.answerReads([], holding(1_060, 20, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '20', settledNo: '0' });
  });

  it('of more sets than are free is refused before it is sent', () => {
    const driver = started(1_000, 80, 60);
    request(driver, 'merge', 61);
    expect(driver.take('changeSets')).toEqual([]);
    const [report] = driver.reported('sets.changed');
    expect(report?.detail).toBe('only 60 complete sets are free');
  });

  it('keeps its shares from being sold meanwhile', () => {
    const driver = started(1_000, 60, 60);
    request(driver, 'merge', 60);
    driver.healthyBook();
    driver.tick();
    const orders = driver.placements().flatMap((each) => each.orders);
    expect(orders.filter((each) => each.side === 'SELL')).toEqual([]);
  });
});

describe('a redeem', () => {
  const redeem = { id: 'r-1', by: 'test', action: 'redeem', amount: undefined } as const;

  it('waits for the resolution', () => {
    const driver = started(1_000, 80, 0);
    driver.sets({ ...redeem, marketId: MARKET });
    expect(driver.reported('sets.changed')[0]?.detail).toBe('the market is not resolved');
  });

  it('is confirmed when the winning shares became cash', () => {
    const driver = started(1_000, 80, 0);
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'RESOLVED' });
    driver.sets({ ...redeem, marketId: MARKET });
    answer(driver, ACCEPTED);
    driver.run(6_000, () => driver.answerReads([], holding(1_080, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
  });

  it('takes in what it paid, though positions show it long after cash does', () => {
    const driver = started(1_000, 80, 0);
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'RESOLVED' });
    driver.sets({ ...redeem, marketId: MARKET });
    answer(driver, ACCEPTED);
    driver.run(110_000, () => driver.answerReads([], holding(1_080, 80, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted']);
    driver.run(10_000, () => driver.answerReads([], holding(1_080, 0, 0)));
    expect(states(driver)).toEqual(['sent', 'accepted', 'confirmed']);
    expect(driver.reported('cash.adopted')).toEqual([]);
    const flows = driver.records.flatMap((each) => (each.kind === 'flows' ? [each.flows] : []));
    expect(flows.at(-1)).toMatchObject({ marketId: MARKET, cashNano: 80e9 });
  });

  it('of a market that is not ours is refused', () => {
    const driver = started();
    driver.sets({ ...redeem, marketId: marketId('m-9') });
    expect(driver.reported('sets.changed')[0]?.detail).toBe('the market is not one of ours');
  });
});

describe('time', () => {
  it('confirms nothing by a read that was asked for before the request', () => {
    const driver = started();
    driver.tick(6_000);
    const [read] = driver.take('readBalances');
    if (!read) throw new Error('balances are read on their period');
    const askedAtMs = unixMs(driver.nowMs);
    driver.tick();
    request(driver, 'split', 100);
    const outcome = { kind: 'ok', value: holding(900, 100, 100) } as const;
    driver.tell({ kind: 'balances', requestId: read.requestId, askedAtMs, outcome });
    expect(states(driver)).toEqual(['sent']);
  });
});

describe('when the time to show a chain action is over', () => {
  const OVER_MS = 200_000;

  it('cash that moved by just its cost confirms it, though a token shows other changes with it', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, UNKNOWN);
    driver.run(60_000, () => driver.answerReads([], holding(900, 120, 100)));
    expect(states(driver)).toEqual(['sent', 'unknown', 'confirmed']);
    const { positions } = driver.engine.view().markets[0] ?? {};
    expect(positions?.yes).toMatchObject({ low: '100', expected: '100', high: '120' });
    expect(positions?.no).toMatchObject({ low: '100', expected: '100', high: '100' });
    driver.run(OVER_MS, () => driver.answerReads([], holding(900, 120, 100)));
    // The token was quiet for as long as balances lag: the rest is an inferred fill.
    expect(driver.engine.view().markets[0]).toMatchObject({ settledYes: '120', settledNo: '100' });
  });

  it('a named transaction is confirmed by shares among others, and by no fewer', () => {
    const shown = (yes: number, no: number) => {
      const driver = started();
      request(driver, 'split', 100);
      answer(driver, ACCEPTED);
      driver.run(OVER_MS, () => driver.answerReads([], holding(870, yes, no)));
      return states(driver).at(-1);
    };
    expect(shown(130, 100)).toBe('confirmed');
    expect(shown(130, 90)).toBe('absent');
  });

  it.each([
    ['absent', 1_000],
    ['confirmed', 900],
  ])(
    'it is %s without its market, where the account has %d in cash, and takes no cash out of use',
    (state, cash) => {
      const driver = started();
      request(driver, 'split', 100);
      answer(driver, UNKNOWN);
      driver.settings(settings({ markets: [] }));
      driver.run(200_000, () => driver.answerReads([], holding(cash, 0, 0)));
      expect(states(driver)).toEqual(['sent', 'unknown', state]);
    },
  );

  it('it ends, whatever balances show, so that the next one may be asked for', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, UNKNOWN);
    driver.run(OVER_MS, () => driver.answerReads([], holding(955, 30, 10)));
    expect(states(driver)).toEqual(['sent', 'unknown', 'absent']);
  });
});

/** What a ledger kept of cash, shares and requests. */
function runOf({ records }: EngineDriver): PersistedState {
  const cash = records.flatMap((each) => (each.kind === 'cash' ? [each.cashNano] : [])).at(-1);
  const sets = records.flatMap((each) => (each.kind === 'sets' ? [each.requests] : [])).at(-1);
  const tokens = new Map(
    records.flatMap((each) => (each.kind === 'token' ? [[each.token.tokenId, each.token]] : [])),
  );
  return { ...NOTHING_STORED, cashNano: cash, sets: sets ?? [], tokens: [...tokens.values()] };
}

describe('a restart', () => {
  it('remembers that the cash has moved, and does not explain it a second time', () => {
    const driver = started();
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    driver.run(10_000, () => driver.answerReads([], holding(900, 0, 0)));
    const kept = runOf(driver);
    expect(kept.sets).toMatchObject([{ state: 'confirmed', isPaid: true }]);
    const later = new EngineDriver();
    later.restore(kept);
    later.start(settings(), holding(900, 0, 0));
    later.run(20_000, () => later.answerReads([], holding(900, 0, 0)));
    later.run(20_000, () => later.answerReads([], holding(900, 100, 100)));
    expect(later.engine.view().account.cashUsdc).toBe('900.000000');
    expect(later.engine.view().markets[0]).toMatchObject({
      settledYes: '100',
      pnlUsdc: '0.000000',
    });
    for (const event of ['position.differs', 'position.adopted', 'cash.adopted'] as const) {
      expect(later.reported(event)).toEqual([]);
    }
  });

  it('remembers what nothing had explained before it: that comes up again, and confirms nothing', () => {
    const laterOf = (cash: number, yes: number, no: number) => {
      const driver = started(1_000, 100, 100);
      driver.run(10_000, () => driver.answerReads([], holding(1_020, 100, 100)));
      request(driver, 'merge', 20);
      answer(driver, UNKNOWN);
      driver.run(1_000, () => driver.answerReads([], holding(1_020, 100, 100)));
      const later = new EngineDriver();
      later.restore(runOf(driver));
      later.start(settings(), holding(cash, yes, no));
      later.run(200_000, () => later.answerReads([], holding(cash, yes, no)));
      return states(later).at(-1);
    };
    expect(laterOf(1_020, 100, 100)).toBe('absent');
    expect(laterOf(1_040, 80, 80)).toBe('confirmed');
  });

  it('takes in what a redeem paid, though what nothing had explained before it was explained in time', () => {
    const driver = started(1_000, 100, 0);
    const resolve = (of: EngineDriver) =>
      of.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'RESOLVED' });
    resolve(driver);
    // Balances show a settlement of another market, and its frame comes when the redeem has left.
    driver.run(5_000, () => driver.answerReads([], holding(1_010, 100, 0)));
    driver.sets({ id: 'r-1', by: 'test', action: 'redeem', marketId: MARKET, amount: undefined });
    answer(driver, ACCEPTED);
    const sold = { side: 'SELL', price: usdc('0.5'), quantity: shares(20) } as const;
    const of = { tradeId: 't-9', tokenId: tokenId('0x99'), marketId: marketId('m-9') };
    driver.tell({ ...sold, ...of, kind: 'tradeSettled' });
    driver.run(1_000, () => driver.answerReads([], holding(1_010, 100, 0)));
    const later = new EngineDriver();
    later.restore(runOf(driver));
    later.start(settings(), holding(1_110, 0, 0));
    resolve(later);
    later.run(200_000, () => later.answerReads([], holding(1_110, 0, 0)));
    expect(states(later)).toEqual(['confirmed']);
    const flows = later.records.flatMap((each) => (each.kind === 'flows' ? [each.flows] : []));
    expect(flows.at(-1)).toMatchObject({ marketId: MARKET, cashNano: 100e9 });
  });

  it('remembers that nothing was held before it: balances that show it are not what it starts with', () => {
    const driver = new EngineDriver();
    const cash = usdc(1_000);
    driver.start(settings(), balances({ cashBalance: cash, availableBalance: cash }));
    request(driver, 'split', 100);
    answer(driver, ACCEPTED);
    const { records } = driver;
    const sets = records.flatMap((each) => (each.kind === 'sets' ? [each.requests] : [])).at(-1);
    const tokens = records.flatMap((each) => (each.kind === 'token' ? [each.token] : []));
    expect(tokens.slice(-2).map(({ tokenId, confirmed }) => [tokenId, confirmed])).toEqual([
      [YES, 0],
      [NO, 0],
    ]);
    const later = new EngineDriver();
    later.restore({ ...NOTHING_STORED, tokens, cashNano: 1_000e9, sets: sets ?? [] });
    later.start(settings(), holding(900, 100, 100));
    later.run(200_000, () => later.answerReads([], holding(900, 100, 100)));
    expect(states(later)).toEqual(['confirmed']);
    expect(later.engine.view().markets).toMatchObject([{ positionYes: '100', positionNo: '100' }]);
  });

  it('remembers what was under way: the same request is not sent again, another one waits', () => {
    const driver = started();
    request(driver, 'split', 100);
    const stored = driver.records.flatMap((each) => (each.kind === 'sets' ? [each.requests] : []));
    const later = new EngineDriver();
    later.restore({ ...NOTHING_STORED, sets: stored.at(-1) ?? [] });
    later.start(settings(), holding(900, 0, 0));
    request(later, 'split', 100);
    request(later, 'split', 50, 'w-2');
    expect(later.take('changeSets')).toEqual([]);
    expect(later.engine.view().sets).toMatchObject([
      { id: 'w-1', state: 'unknown' },
      { id: 'w-2', state: 'refused' },
    ]);
  });
});

describe('two chain actions that move the same cash', () => {
  const SECOND = marketId('m-2');
  const THIRD_TOKEN = tokenId('0x03');
  const FOURTH_TOKEN = tokenId('0x04');

  /** Two markets of one event, each with a split of 100 under way of which no answer came. */
  function splitting(): EngineDriver {
    const event = listing();
    const [first] = event.markets;
    if (first === undefined) throw new Error('a market is listed');
    const second = {
      ...first,
      id: SECOND,
      yes: { ...first.yes, id: outcomeId('o2-yes'), tokenId: THIRD_TOKEN },
      no: { ...first.no, id: outcomeId('o2-no'), tokenId: FOURTH_TOKEN },
    };
    const driver = started();
    const value = [{ ...event, markets: [first, second] }];
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value } });
    request(driver, 'split', 100);
    const amount = shares(100);
    driver.sets({ id: 'w-2', by: 'test', action: 'split', marketId: SECOND, amount });
    answer(driver, UNKNOWN);
    return driver;
  }

  const stored = (driver: EngineDriver) =>
    driver.records.flatMap((each) => (each.kind === 'sets' ? [each.requests] : [])).at(-1);

  it('are not both paid by one movement of it', () => {
    const driver = splitting();
    driver.run(10_000, () => driver.answerReads([], holding(900, 0, 0)));
    expect(stored(driver)).toMatchObject([{ isPaid: false }, { isPaid: false }]);
  });

  it('are both paid when it moved for both', () => {
    const driver = splitting();
    driver.run(10_000, () => driver.answerReads([], holding(800, 0, 0)));
    expect(stored(driver)).toMatchObject([{ isPaid: true }, { isPaid: true }]);
  });
});
