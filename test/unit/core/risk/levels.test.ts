import { describe, expect, it } from 'vitest';
import type { RiskAction, StoredLatch } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import type { Quote, Strategy, Take } from '../../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../../strategies/ladder.ts';
import {
  balances,
  EngineDriver,
  GRID,
  knowing,
  MARKET,
  NOTHING_STORED,
  settings,
  YES,
} from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

/** A run that begins with a latch of the one before it, long of so many YES. */
function latched(
  level: RiskAction,
  of: { readonly quotes: readonly Quote[]; readonly held?: number; readonly change?: object },
): EngineDriver {
  const driver = new EngineDriver([wishing(() => of.quotes)]);
  const latch: StoredLatch = { ...dayLoss(level, driver.nowMs), ...of.change };
  driver.settings(settings());
  const shown = account(of.held ?? 0);
  driver.restore({ ...knowing(shown), latches: [latch] });
  driver.start(settings(), shown);
  driver.healthyBook();
  driver.run(200);
  return driver;
}

function dayLoss(level: RiskAction, nowMs: number): StoredLatch {
  return {
    control: 'day_loss',
    marketId: undefined,
    level,
    detail: 'lost 300.00 USDC',
    sinceMs: unixMs(nowMs - 1_000),
    resumes: { kind: 'operator' },
  };
}

function account(held: number) {
  const position = {
    tokenId: YES,
    marketId: MARKET,
    shareAmount: shares(held),
    onHoldShareAmount: shares(0),
  };
  return balances({ cashBalance: usdc(10_000), positions: held > 0 ? [position] : [] });
}

const BOTH = [bid(48, 50), ask(52, 50)];

describe('the level widen', () => {
  it('moves both sides back and lets everything else go on', () => {
    expect(placed(latched('widen', { quotes: BOTH })).toSorted()).toEqual([
      ['BUY NO', 46, 50],
      ['BUY YES', 46, 50],
    ]);
  });
});

describe('the level stop-adding', () => {
  it('sends nothing from a flat position', () => {
    const driver = latched('stop-adding', { quotes: BOTH });
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('stop_adding');
  });

  it('sends what leads towards zero, and no further than the worst case allows', () => {
    expect(placed(latched('stop-adding', { quotes: BOTH, held: 100 }))).toEqual([
      ['SELL YES', 52, 50],
    ]);
  });
});

describe('a small position', () => {
  // Sold above its value, it would lose less in the worst case however far beyond zero it went.
  const far = (level: RiskAction) => {
    const driver = latched(level, { quotes: [ask(95, 80)], held: 5 });
    return placed(driver);
  };

  it('becomes no larger one of the other side, whatever the level', () => {
    expect(far('stop-adding')).toEqual([['SELL YES', 95, 5]]);
    expect(far('cancel')).toEqual([['SELL YES', 95, 5]]);
    expect(far('reduce-only')).toEqual([['SELL YES', 95, 5]]);
  });

  it('may become one as large', () => {
    const quotes = [ask(52, 100)];
    expect(placed(latched('stop-adding', { quotes, held: 50 }))).toEqual([
      ['SELL YES', 52, 50],
      ['BUY NO', 48, 50],
    ]);
  });

  it('pulls what would carry it there from the level cancel on', () => {
    const control = { intervalMs: 3_600_000, failures: 1, coolOffMs: 600_000 } as const;
    const driver = new EngineDriver([wishing(() => [ask(52, 80)])]);
    driver.start(controlled({ settlements: { ...control, action: 'cancel' } }), account(5));
    driver.healthyBook();
    driver.run(1_500, () => driver.answerReads([], account(5)));
    const sent = driver.acceptPlacements();
    const failed = { reason: 'reverted', marketId: undefined, side: 'BUY' } as const;
    driver.tell({ kind: 'tradeFailed', ...failed, quantity: shares(500) });
    const pulled: string[] = [];
    driver.run(1_500, () => {
      pulled.push(...driver.answerCancels());
      driver.answerReads(driver.openReports(), account(5));
    });
    const sizes = sent.map(({ order, hash }) => [order.quantity / 1e6, pulled.includes(hash)]);
    expect(sizes).toEqual([
      [5, false],
      [75, true],
    ]);
    expect(placed(driver)).toEqual([]);
  });
});

describe('the level reduce-only', () => {
  it('sends no more than the position itself, whatever is wanted', () => {
    const quotes = [bid(48, 50), ask(52, 80), ask(53, 80)];
    expect(placed(latched('reduce-only', { quotes, held: 100 }))).toEqual([
      ['SELL YES', 52, 80],
      ['SELL YES', 53, 20],
    ]);
  });

  it('places nothing from a flat position, and says why', () => {
    const driver = latched('reduce-only', { quotes: BOTH });
    expect(placed(driver)).toEqual([]);
    expect(driver.engine.view().markets[0]?.askReason).toMatchObject({
      code: 'day_loss',
      detail: 'reduce-only: lost 300.00 USDC',
      clears: 'bookend resume, after the cause is understood',
    });
  });

  it('names itself where what is left is less than the venue takes: a share at 0.52 is worth half a dollar', () => {
    const driver = latched('reduce-only', { quotes: BOTH, held: 1 });
    expect(placed(driver)).toEqual([]);
    driver.run(10_000);
    expect(driver.engine.view().markets[0]?.askReason?.code).toBe('day_loss');
  });

  it('counts what rests already: two halves of a position are not sold three times', () => {
    const quotes = [ask(52, 50)];
    const driver = latched('reduce-only', { quotes, held: 50 });
    driver.acceptPlacements();
    driver.run(2_000, () => driver.answerReads(driver.openReports(), account(50)));
    expect(placed(driver)).toEqual([]);
  });
});

describe('the level cancel', () => {
  it('leaves the side that leads towards zero, and says why the other is empty', () => {
    const after = latched('cancel', { quotes: BOTH, held: 100 });
    expect(placed(after)).toEqual([['SELL YES', 52, 50]]);
    expect(after.engine.view().markets[0]?.bidReason?.code).toBe('day_loss');
  });
});

describe('the level killed', () => {
  it('halts the account, cancels everything and waits for an operator', () => {
    const driver = latched('killed', { quotes: BOTH, held: 100 });
    expect(driver.engine.view().phase).toBe('halted');
    expect(placed(driver)).toEqual([]);
    driver.run(3_000, () => {
      driver.answerReads([], account(100));
      driver.answerCancels();
    });
    expect(placed(driver)).toEqual([]);
    driver.operator('resume');
    driver.run(3_000, () => {
      driver.answerReads([], account(100));
      driver.answerCancels();
    });
    expect(driver.engine.view().phase).toBe('quoting');
    expect(placed(driver)).toHaveLength(2);
  });

  it('of one market leaves the others alone', () => {
    const driver = latched('killed', { quotes: BOTH, change: { marketId: MARKET } });
    expect(driver.engine.view().phase).toBe('quoting');
    expect(placed(driver)).toEqual([]);
  });
});

describe('takes', () => {
  const take = (side: 'BUY' | 'SELL', price: number) =>
    ({ leg: 'yes', side, price: ticks(GRID, price), quantity: shares(20) }) as const;

  function taking(of: Take): EngineDriver {
    const targetQuotes = { quotes: [], reasons: [], takes: [of] };
    const taker = { ...ladder, takes: true, quote: () => targetQuotes } as Strategy;
    const own = settings();
    const markets = own.markets.map((choice) => ({ ...choice, takerFeeRate: 0.01 }));
    const driver = new EngineDriver([taker]);
    driver.settings({ ...own, markets });
    driver.restore({ ...knowing(account(100)), latches: [dayLoss('reduce-only', driver.nowMs)] });
    driver.start({ ...own, markets }, account(100));
    driver.healthyBook();
    driver.run(200);
    return driver;
  }

  it('are held by a level as quotes are: what adds is refused, what reduces goes', () => {
    const adding = taking(take('BUY', 55));
    expect(placed(adding)).toEqual([]);
    expect(adding.reported('risk.refused')[0]?.limit).toBe('reduce_only');
    expect(placed(taking(take('SELL', 45)))).toEqual([['SELL YES', 45, 20]]);
  });
});

describe('a latch', () => {
  it('is lifted by an operator, reported, and forgotten by the ledger', () => {
    const driver = latched('reduce-only', { quotes: BOTH });
    driver.operator('resume');
    driver.run(200);
    expect(placed(driver)).toHaveLength(2);
    expect(driver.reported('control.eased')).toMatchObject([{ control: 'day_loss', by: 'test' }]);
    const kept = driver.records.filter((record) => record.kind === 'latches');
    expect(kept.at(-1)).toMatchObject({ latches: [] });
  });

  it('that ends by itself lifts nothing of an operator', () => {
    const driver = latched('reduce-only', {
      quotes: BOTH,
      change: { resumes: { kind: 'time', atMs: unixMs(1_700_000_010_000) } },
    });
    driver.operator('pause');
    driver.run(10_000, () => driver.answerReads([], account(0)));
    expect(driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
    expect(driver.engine.view().phase).toBe('paused');
    expect(placed(driver)).toEqual([]);
  });
});

describe("an operator's pause", () => {
  it('outlives a restart', () => {
    const before = latched('widen', { quotes: BOTH });
    before.operator('pause');
    const [record] = before.records.filter((each) => each.kind === 'pause');
    if (record?.kind !== 'pause') throw new Error('the pause was kept');
    const driver = new EngineDriver([wishing(() => BOTH)]);
    driver.settings(settings());
    driver.restore({ ...NOTHING_STORED, pause: record.pause });
    driver.start();
    driver.healthyBook();
    driver.run(1_000);
    expect(driver.engine.view().phase).toBe('paused');
    expect(driver.engine.view().phaseReason).toBe('paused by test');
    expect(placed(driver)).toEqual([]);
    driver.operator('resume');
    driver.run(3_000, () => {
      driver.answerReads([]);
      driver.answerCancels();
    });
    expect(placed(driver)).toHaveLength(2);
    expect(driver.records.filter((each) => each.kind === 'pause')).toMatchObject([{}]);
  });
});
