// Losses against a strategy that goes on as if nothing had happened.

import { describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { LedgerRecord, PersistedState } from '../../../../src/domain/record.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../../../src/domain/risk.ts';
import type { Quote } from '../../../../src/strategy/index.ts';
import { EngineDriver, holding, level, NO, YES } from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

const BOTH = [bid(48, 100), ask(52, 100)];
const OFF = { sessionUsdc: 0, dayUsdc: 0, drawdownUsdc: 0, warnPart: 1, unmarkedMs: 0 };

function losing(change: Partial<RiskControls['loss']>): CoreSettings {
  const collar = { ...RISK_CONTROL_DEFAULTS.collar, tradesThrough: 0, fairThrough: 0 };
  return controlled({ loss: { ...RISK_CONTROL_DEFAULTS.loss, ...OFF, ...change }, collar });
}

/** Long of 100 YES for 48 USDC, at a middle of 0.50. */
function long(settings: CoreSettings, quotes: () => readonly Quote[] = () => BOTH): EngineDriver {
  const driver = new EngineDriver([wishing(quotes)]);
  driver.start(settings);
  driver.healthyBook();
  driver.run(100);
  const bought = driver.acceptPlacements().find(({ order }) => order.tokenId === YES);
  if (bought === undefined) throw new Error('a bid was placed');
  driver.update(bought.hash, bought.order, { status: 'MATCHED', filled: 100, remaining: 0 });
  driver.run(100);
  return driver;
}

function middleAt(driver: EngineDriver, middle: number): void {
  driver.book(YES, [level(middle - 2, 500)], [level(middle + 2, 500)]);
  driver.book(NO, [], []);
  driver.run(200);
}

/** Prices that stand for so long, while whoever reads is answered. */
function standing(driver: EngineDriver, forMs = 10_000): void {
  driver.run(forMs, () => driver.answerReads(driver.openReports(), holding(952, 100, 0)));
}

const codesOf = (driver: EngineDriver) =>
  driver.reported('control.tripped').map(({ control, raisedTo }) => `${control} ${raisedTo}`);

/** What the records of a run leave to the next one, as the ledger would. */
function leftBy(records: readonly LedgerRecord[]): PersistedState {
  const last = <Kind extends LedgerRecord['kind']>(kind: Kind) =>
    records.findLast((each): each is Extract<LedgerRecord, { kind: Kind }> => each.kind === kind);
  const tokens = new Map(
    records.flatMap((each) => (each.kind === 'token' ? [[each.token.tokenId, each.token]] : [])),
  );
  const flows = last('flows')?.flows;
  return {
    orders: [],
    tokens: [...tokens.values()],
    flows: flows ? [flows] : [],
    tradeIds: [],
    cashNano: undefined,
    halt: last('halt')?.halt,
    memories: {},
    latches: last('latches')?.latches ?? [],
    baselines: last('baselines')?.baselines,
  };
}

/** Another run that begins a minute later, with what the one before it left. */
function nextRun(before: EngineDriver, value: CoreSettings): EngineDriver {
  const after = new EngineDriver([wishing(() => BOTH)]);
  after.nowMs = before.nowMs + 60_000;
  after.settings(value);
  after.restore(leftBy(before.records));
  after.start(value);
  return after;
}

describe('a loss of the session', () => {
  it('are not measured by a book between two frames of one flush', () => {
    const driver = long(losing({ drawdownUsdc: 5, drawdownAction: 'killed' }));
    // A bid above the asks that it is about to take: a middle of 0.71 is nobody's.
    driver.bid(YES, level(90, 1));
    driver.tick();
    driver.bid(YES, level(90, 0));
    driver.run(500);
    expect(codesOf(driver)).toEqual([]);
  });

  it('are not measured by a stray order between two that are far apart, nor from it', () => {
    const driver = long(losing({ drawdownUsdc: 15, drawdownAction: 'killed' }));
    driver.book(YES, [level(10, 500)], [level(90, 500)]);
    standing(driver, 6_000);
    // Five shares beside our own quotes would move the middle by 0.195, or to nearly 0.90.
    for (const [cents, forMs] of [
      [49, 20_000],
      [79, 200],
      [89, 200],
    ] as const) {
      driver.bid(YES, level(cents, 5));
      standing(driver, forMs);
      driver.bid(YES, level(cents, 0));
      standing(driver, 6_000);
      expect(driver.engine.view().markets[0]?.mark).toBe('0.500000');
    }
    driver.book(YES, [level(10, 500)], [level(51, 5), level(90, 500)]);
    standing(driver, 20_000);
    expect(codesOf(driver)).toEqual([]);
    // Whoever asks for less than it was worth last says that it is worth no more than that.
    driver.book(YES, [level(10, 500)], [level(30, 500)]);
    driver.run(200);
    expect(driver.engine.view().markets[0]?.mark).toBe('0.300000');
    expect(codesOf(driver)).toEqual(['drawdown killed']);
  });

  it('are measured from what a market far apart was last worth for five seconds', () => {
    const driver = long(losing({ drawdownUsdc: 15, drawdownAction: 'killed' }));
    middleAt(driver, 60);
    standing(driver);
    driver.book(YES, [level(10, 500)], [level(90, 500)]);
    driver.run(200);
    expect(driver.engine.view().markets[0]?.mark).toBe('0.600000');
    driver.book(YES, [level(10, 500)], [level(46, 500)]);
    standing(driver, 6_000);
    expect(codesOf(driver)).toEqual([]);
    driver.book(YES, [level(10, 500)], [level(90, 500)]);
    driver.run(200);
    expect(driver.engine.view().markets[0]?.mark).toBe('0.460000');
    driver.book(YES, [level(10, 500)], [level(44, 500)]);
    driver.run(200);
    expect(codesOf(driver)).toEqual(['drawdown killed']);
  });

  it('does what is configured, and holds until an operator resumes', () => {
    const driver = long(losing({ sessionUsdc: 20, sessionAction: 'reduce-only' }));
    driver.placements();
    middleAt(driver, 30);
    expect(codesOf(driver)).toEqual([]);
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual(['session_loss reduce-only']);
    expect(driver.reported('control.tripped')[0]?.detail).toBe('28.00 USDC lost, 20 allowed');
    // Back in the money: what latched stays latched.
    middleAt(driver, 50);
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('session_loss');
    driver.operator('resume');
    driver.run(300);
    expect(driver.engine.view().markets[0]?.bidReason?.code).not.toBe('session_loss');
  });

  it('is measured anew from where the operator resumed', () => {
    const driver = long(losing({ sessionUsdc: 20, sessionAction: 'cancel' }));
    middleAt(driver, 20);
    expect(codesOf(driver)).toHaveLength(1);
    driver.operator('resume');
    driver.run(1_000);
    expect(codesOf(driver)).toHaveLength(1);
    middleAt(driver, 10);
    expect(codesOf(driver)).toHaveLength(1);
    middleAt(driver, 3);
    // 17 less than at the resume is within the limit, and 45 since the start is not asked for.
    expect(codesOf(driver)).toHaveLength(1);
  });

  it('is measured from the first known profit when an operator resumed before any price', () => {
    const settings = losing({ sessionUsdc: 20, sessionAction: 'reduce-only' });
    const before = long(settings);
    middleAt(before, 20);
    const after = nextRun(before, settings);
    after.operator('resume');
    after.run(1_000, () => after.answerReads([]));
    middleAt(after, 20);
    middleAt(after, 3);
    expect(codesOf(after)).toEqual([]);
  });

  it('near its limit does what the warning says, and comes back by itself', () => {
    const warned = { sessionUsdc: 40, sessionAction: 'killed', warnPart: 0.5 } as const;
    const driver = long(losing({ ...warned, warnAction: 'widen' }));
    middleAt(driver, 26);
    expect(codesOf(driver)).toEqual(['session_loss widen']);
    middleAt(driver, 28);
    expect(driver.reported('control.eased')).toEqual([]);
    middleAt(driver, 40);
    expect(driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
    middleAt(driver, 5);
    expect(codesOf(driver)).toEqual(['session_loss widen', 'session_loss killed']);
    expect(driver.engine.view().phase).toBe('halted');
  });
});

describe('what losses are measured from', () => {
  it.each([
    { sessionUsdc: 20, sessionAction: 'reduce-only' },
    { dayUsdc: 20, dayAction: 'reduce-only' },
    { drawdownUsdc: 20, drawdownAction: 'reduce-only' },
  ] as const)('is where an operator resumed from %o, however soon the run ends', (limit) => {
    const settings = losing(limit);
    const driver = long(settings);
    middleAt(driver, 20);
    expect(codesOf(driver)).toHaveLength(1);
    driver.operator('resume');
    driver.run(1_100);
    const after = nextRun(driver, settings);
    middleAt(after, 20);
    expect(codesOf(after)).toEqual([]);
    middleAt(after, 3);
    expect(codesOf(after)).toEqual([]);
  });

  it('is a peak of ten seconds as well, though the profit is back where it was', () => {
    const settings = losing({ drawdownUsdc: 40, drawdownAction: 'reduce-only' });
    const driver = long(settings);
    const held = (forMs: number) => driver.run(forMs, () => driver.answerReads([]));
    middleAt(driver, 50);
    held(12_000);
    middleAt(driver, 80);
    held(10_000);
    middleAt(driver, 50);
    held(12_000);
    const after = nextRun(driver, settings);
    middleAt(after, 50);
    expect(codesOf(after)).toEqual([]);
    middleAt(after, 30);
    expect(codesOf(after)).toEqual(['drawdown reduce-only']);
  });
});

describe('a loss that has only been warned of', () => {
  const warned = { warnPart: 0.5, warnAction: 'widen' } as const;

  it('is measured from where it was when an operator resumes from a pause', () => {
    const driver = long(losing({ ...warned, sessionUsdc: 40, sessionAction: 'reduce-only' }));
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual(['session_loss widen']);
    driver.operator('pause');
    driver.run(1_000, () => driver.answerCancels());
    driver.operator('resume');
    middleAt(driver, 5);
    expect(codesOf(driver)).toContain('session_loss reduce-only');
  });

  it('of the day and from the peak is, too, when another control is resumed from', () => {
    const limited = 'cancel' as const;
    const both = { dayUsdc: 40, dayAction: limited, drawdownUsdc: 40, drawdownAction: limited };
    const limits = { ...warned, ...both, sessionUsdc: 20, sessionAction: 'reduce-only' } as const;
    const driver = long(losing(limits));
    middleAt(driver, 20);
    expect(codesOf(driver)).toContain('session_loss reduce-only');
    driver.operator('resume');
    middleAt(driver, 5);
    expect(codesOf(driver)).toContain('day_loss cancel');
    expect(codesOf(driver)).toContain('drawdown cancel');
  });
});

describe('a warning that takes quotes away', () => {
  it('is no wall: whoever resumes has seen the loss, and may lose as much again', () => {
    const warned = { warnPart: 0.5, warnAction: 'cancel' } as const;
    const driver = long(losing({ ...warned, sessionUsdc: 40, sessionAction: 'reduce-only' }));
    middleAt(driver, 24);
    expect(codesOf(driver)).toEqual(['session_loss cancel']);
    driver.operator('resume');
    middleAt(driver, 24);
    expect(codesOf(driver)).toHaveLength(1);
    expect(driver.engine.view().markets[0]?.bidReason?.code).not.toBe('session_loss');
  });
});

describe('a loss whose warning does as much as the loss', () => {
  const warned = { sessionUsdc: 20, sessionAction: 'reduce-only', warnPart: 0.5 } as const;

  it('is lifted by an operator, and not by a price that comes back', () => {
    const driver = long(losing({ ...warned, warnAction: 'reduce-only' }));
    middleAt(driver, 36);
    expect(driver.engine.view().risk?.latches[0]?.clears).toContain('by itself');
    middleAt(driver, 3);
    expect(driver.engine.view().risk?.latches[0]?.clears).toContain('bookend resume');
    middleAt(driver, 50);
    driver.run(5_000);
    expect(driver.reported('control.eased')).toEqual([]);
    const detail = 'reduce-only: 45.00 USDC lost, 20 allowed';
    expect(driver.engine.view().markets[0]?.bidReason?.detail).toBe(detail);
  });

  it('stays that of an operator when the harder warning comes again', () => {
    const driver = long(losing({ ...warned, sessionAction: 'cancel', warnAction: 'reduce-only' }));
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual(['session_loss cancel']);
    middleAt(driver, 36);
    expect(codesOf(driver)).toEqual(['session_loss cancel', 'session_loss reduce-only']);
    middleAt(driver, 50);
    expect(driver.reported('control.eased')).toEqual([]);
  });

  it('of the day holds until the day ends', () => {
    const day = { dayUsdc: 20, dayAction: 'reduce-only', warnPart: 0.5 } as const;
    const driver = long(losing({ ...day, warnAction: 'reduce-only' }));
    middleAt(driver, 36);
    middleAt(driver, 20);
    middleAt(driver, 50);
    expect(driver.reported('control.eased')).toEqual([]);
    driver.nowMs += 86_400_000;
    middleAt(driver, 50);
    expect(driver.reported('control.eased')).toMatchObject([{ control: 'day_loss' }]);
  });
});

describe('a drawdown', () => {
  it('is measured from the highest profit, which was never a loss', () => {
    const driver = long(losing({ drawdownUsdc: 20, drawdownAction: 'cancel' }));
    middleAt(driver, 90);
    standing(driver);
    middleAt(driver, 75);
    expect(codesOf(driver)).toEqual([]);
    middleAt(driver, 65);
    expect(codesOf(driver)).toEqual(['drawdown cancel']);
    expect(Number(driver.engine.view().account.pnlUsdc)).toBeGreaterThan(0);
  });

  it('is not measured from a profit that stood for less than five seconds', () => {
    const driver = long(losing({ drawdownUsdc: 20, drawdownAction: 'cancel' }));
    middleAt(driver, 60);
    standing(driver);
    for (const middle of [90, 60, 90]) {
      middleAt(driver, middle);
      standing(driver, 3_000);
    }
    middleAt(driver, 50);
    expect(codesOf(driver)).toEqual([]);
    // At 0.60 or more it stood all the time: that is the peak.
    middleAt(driver, 39);
    expect(codesOf(driver)).toEqual(['drawdown cancel']);
  });

  it('knows its peak in the next run, and takes no missing price for a gain', () => {
    const settings = losing({ drawdownUsdc: 20, drawdownAction: 'cancel' });
    const before = long(settings);
    middleAt(before, 90);
    before.run(11_000, () => before.answerReads(before.openReports()));
    const after = nextRun(before, settings);
    expect(codesOf(after)).toEqual([]);
    // Nothing has a price yet: neither a profit of nothing nor a loss of everything.
    after.run(5_000, () => after.answerReads([]));
    expect(codesOf(after)).toEqual([]);
    middleAt(after, 80);
    expect(codesOf(after)).toEqual([]);
    middleAt(after, 65);
    expect(codesOf(after)).toEqual(['drawdown cancel']);
  });
});

describe('a loss of the day', () => {
  const settings = losing({ dayUsdc: 20, dayAction: 'reduce-only', dayStartsAtHour: 6 });
  /** 2023-11-14 22:13:20 UTC is where the driver's clock begins. */
  const TO_SIX_MS = (7 * 3_600 + 46 * 60 + 40) * 1_000;

  it('ends with the day, at its hour, and the next one begins where it ended', () => {
    const driver = long(settings);
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual(['day_loss reduce-only']);
    driver.nowMs = 1_700_000_000_000 + TO_SIX_MS - 1_000;
    middleAt(driver, 20);
    expect(driver.reported('control.eased')).toEqual([]);
    driver.nowMs += 2_000;
    middleAt(driver, 20);
    expect(driver.reported('control.eased')).toMatchObject([{ control: 'day_loss', by: 'itself' }]);
    middleAt(driver, 5);
    expect(codesOf(driver)).toHaveLength(1);
    expect(driver.engine.view().phase).toBe('quoting');
  });

  it('is not forgotten by a restart on the same day', () => {
    const before = long(settings);
    middleAt(before, 35);
    before.run(11_000, () => before.answerReads(before.openReports()));
    const after = nextRun(before, settings);
    middleAt(after, 26);
    expect(codesOf(after)).toEqual(['day_loss reduce-only']);
  });

  it('ends with the day though the clock of a previous run was days ahead', () => {
    const before = long(settings);
    before.nowMs += 5 * 86_400_000;
    middleAt(before, 50);
    before.run(2_000);
    before.nowMs = 1_700_000_000_000;
    const after = nextRun(before, settings);
    middleAt(after, 35);
    after.nowMs = 1_700_000_000_000 + TO_SIX_MS + 1_000;
    middleAt(after, 35);
    middleAt(after, 20);
    expect(codesOf(after)).toEqual([]);
    middleAt(after, 10);
    expect(codesOf(after)).toEqual(['day_loss reduce-only']);
  });

  it('goes on when the hour at which it begins is moved ahead, and ends at that', () => {
    const driver = long(settings);
    middleAt(driver, 35);
    driver.settings(losing({ ...settings.risk.loss, dayStartsAtHour: 23 }));
    driver.tick();
    driver.nowMs = 1_700_000_000_000 + TO_SIX_MS - 7 * 3_600_000 + 1_000;
    middleAt(driver, 35);
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual([]);
  });

  it('is measured from where it was when the hour at which it begins is moved, and moved back', () => {
    const driver = long(settings);
    middleAt(driver, 35);
    driver.settings(losing({ ...settings.risk.loss, dayStartsAtHour: 23 }));
    driver.run(500);
    driver.settings(settings);
    driver.run(500);
    middleAt(driver, 20);
    expect(codesOf(driver)).toEqual(['day_loss reduce-only']);
  });

  it('is not forgotten where the hour is moved back to one that is over, now or by the next run', () => {
    // By 20 o'clock a day has begun an hour ago, by 6 it would have sixteen hours ago.
    const late = losing({ ...settings.risk.loss, dayStartsAtHour: 20 });
    const late23 = losing({ ...settings.risk.loss, dayStartsAtHour: 23 });
    const reloaded = long(late23);
    middleAt(reloaded, 35);
    reloaded.settings(late);
    reloaded.run(500);
    middleAt(reloaded, 20);
    expect(codesOf(reloaded)).toEqual(['day_loss reduce-only']);
    const before = long(late23);
    middleAt(before, 35);
    before.run(11_000, () => before.answerReads(before.openReports()));
    const after = nextRun(before, late);
    middleAt(after, 26);
    expect(codesOf(after)).toEqual(['day_loss reduce-only']);
  });

  it('is measured from where it was after a run whose clock was a day behind', () => {
    const before = long(settings);
    middleAt(before, 35);
    before.run(11_000, () => before.answerReads(before.openReports()));
    before.nowMs -= 86_400_000;
    const behind = nextRun(before, settings);
    middleAt(behind, 34);
    behind.run(2_000);
    behind.nowMs += 86_400_000;
    const after = nextRun(behind, settings);
    middleAt(after, 26);
    expect(codesOf(after)).toEqual(['day_loss reduce-only']);
  });

  it('that had tripped holds in the next run', () => {
    const before = long(settings);
    middleAt(before, 20);
    const after = nextRun(before, settings);
    middleAt(after, 50);
    expect(after.engine.view().markets[0]?.bidReason?.code).toBe('day_loss');
    expect(placed(after).every(([what]) => what.startsWith('SELL') || what === 'BUY NO')).toBe(
      true,
    );
  });
});

describe('a position without a trusted price', () => {
  it('stops adding there after a while, is said, and ends when the price is back', () => {
    const unmarked = { unmarkedMs: 10_000, unmarkedAction: 'stop-adding' } as const;
    const driver = long(losing(unmarked));
    // Nobody offers any more: half a book says nothing of what 100 shares are worth.
    driver.book(YES, [level(48, 500)], []);
    driver.run(9_000, () => driver.answerReads(driver.openReports()));
    expect(codesOf(driver)).toEqual([]);
    driver.run(3_000, () => driver.answerReads(driver.openReports()));
    expect(codesOf(driver)).toEqual(['unmarked_position stop-adding']);
    middleAt(driver, 50);
    expect(driver.reported('control.eased')).toMatchObject([{ control: 'unmarked_position' }]);
  });

  it('is waited for in the next run as well, and no longer', () => {
    const settings = losing({ unmarkedMs: 10_000, unmarkedAction: 'stop-adding' });
    const before = long(settings);
    before.book(YES, [level(48, 500)], []);
    before.run(12_000, () => before.answerReads(before.openReports()));
    const after = nextRun(before, settings);
    after.settings({ ...settings, orders: { ...settings.orders, sizeTolerance: 0.2 } });
    after.run(1_000, () => after.answerReads([]));
    expect(after.reported('control.eased')).toEqual([]);
    middleAt(after, 50);
    expect(after.reported('control.eased')).toMatchObject([{ control: 'unmarked_position' }]);
  });

  it('that only an operator may lift is not lifted by the price', () => {
    const driver = long(losing({ unmarkedMs: 10_000, unmarkedAction: 'killed' }));
    driver.book(YES, [level(48, 500)], []);
    driver.run(12_000, () => driver.answerReads(driver.openReports()));
    expect(codesOf(driver)).toEqual(['unmarked_position killed']);
    middleAt(driver, 50);
    expect(driver.reported('control.eased')).toEqual([]);
  });

  it('is marked at the last trusted price, and at no other', () => {
    const driver = long(losing({}));
    const before = driver.engine.view().markets[0]?.pnlUsdc;
    driver.tell({ kind: 'bookUnreadable', tokenId: YES, detail: 'x' });
    driver.run(500);
    expect(driver.engine.view().markets[0]?.pnlUsdc).toBe(before);
  });
});
