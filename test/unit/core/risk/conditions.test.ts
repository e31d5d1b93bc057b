// Controls that watch a condition: blindness, a clock, and a venue that does not agree with us.

import { describe, expect, it } from 'vitest';
import type { VenueCommand } from '../../../../src/domain/command.ts';
import { marketId, orderHash } from '../../../../src/domain/ids.ts';
import type { CoreSettings, RiskLimits } from '../../../../src/domain/input.ts';
import { type ControlName, RISK_CONTROL_DEFAULTS } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import {
  balances,
  EngineDriver,
  holding,
  knowing,
  MARKET,
  NO,
  NOTHING_STORED,
  reportOf,
  YES,
} from '../../../support/engine-driver.ts';
import { ask, bid, controlled, placed, wishing } from '../../../support/wanted.ts';

function quoting(change: Partial<RiskLimits> = {}): EngineDriver {
  const driver = new EngineDriver([wishing(() => [bid(48, 50), ask(52, 50)])]);
  driver.start(controlled(change));
  driver.healthyBook();
  driver.run(100);
  return driver;
}

/** What changes nothing that a control measures. */
function retolerated(from: CoreSettings): CoreSettings {
  return { ...from, orders: { ...from.orders, sizeTolerance: 0.2 } };
}

const tripped = (driver: EngineDriver) =>
  driver.reported('control.tripped').map(({ control, raisedTo }) => `${control} ${raisedTo}`);
const eased = (driver: EngineDriver) =>
  driver.reported('control.eased').map(({ control }) => control);
/** As operators see it. */
const shown = (driver: EngineDriver, name: ControlName) =>
  driver.engine.view().risk?.controls.find(({ control }) => control === name);

/** `DELETE /orders` of everything. */
function isOfAccount(command: VenueCommand): boolean {
  return command.kind === 'cancelAll' && command.scope.kind === 'account';
}

describe('an account whose own events cannot be seen', () => {
  it('is swept when orders may rest, also those whose hash was never learned', () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    driver.tell({ kind: 'authRefused', detail: 'x' });
    driver.run(4_900, () => driver.answerReads([]));
    expect(driver.take('cancelAll')).toEqual([]);
    driver.run(200);
    expect(driver.take('cancelAll')).toHaveLength(1);
    expect(tripped(driver)).toEqual(['blind_account cancel']);
    expect(placed(driver)).toEqual([]);
  });

  it('ends no order that was accepted while the last list of the sweep was in flight', () => {
    const driver = quoting();
    driver.tell({ kind: 'socketLost', reason: 'x' });
    driver.run(5_650, () => {
      driver.answerReads([]);
      driver.answerCancels();
    });
    while (!driver.sent.some(({ kind }) => kind === 'readOpenOrders')) driver.tick();
    const askedAtMs = unixMs(driver.nowMs);
    driver.tick(500);
    driver.acceptPlacements();
    for (const { requestId } of driver.take('readOpenOrders')) {
      const outcome = { kind: 'ok', value: [] } as const;
      driver.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
    }
    expect(driver.engine.view()).toMatchObject({ ordersByState: { resting: 2, absent: 0 } });
    let isSwept = false;
    driver.run(4_000, () => {
      driver.answerReads(isSwept ? [] : driver.openReports());
      isSwept ||= driver.sent.some(({ kind }) => kind === 'cancelAll');
      driver.answerCancels();
    });
    expect(isSwept).toBe(true);
    expect(driver.reported('order.external')).toEqual([]);
    expect(driver.reported('account.swept')).toHaveLength(1);
  });

  it('is quoted again when it can be seen, without being called killed', () => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'socketLost', reason: 'x' });
    let isSwept = false;
    driver.run(8_000, () => {
      // No cancel by hash is answered, and both orders rest until everything is cancelled.
      for (const { requestId } of driver.take('cancelOrders')) {
        const outcome = { kind: 'unknown', cause: 'timeout', detail: 'x' } as const;
        driver.tell({ kind: 'cancelled', requestId, outcome });
      }
      isSwept ||= driver.sent.some(isOfAccount);
      driver.answerCancels();
      driver.answerReads(isSwept ? [] : driver.openReports());
    });
    expect(driver.reported('account.swept')).toHaveLength(1);
    expect(driver.reported('kill.confirmed')).toEqual([]);
    expect(placed(driver)).toEqual([]);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.healthyBook();
    driver.run(1_000, () => driver.answerReads([]));
    expect(eased(driver)).toEqual(['blind_account']);
  });

  it.each([
    ['at once where the sweep cancelled no more than was ours', 2, 2],
    ['at once where it cancelled more than that, too', 3, 2],
  ] as const)('is quoted again %s', (_, cancelled, quotes) => {
    const driver = quoting();
    driver.acceptPlacements();
    driver.tell({ kind: 'socketLost', reason: 'x' });
    let open = driver.openReports();
    driver.run(8_000, () => {
      driver.take('cancelOrders');
      for (const { requestId } of driver.take('cancelAll')) {
        const outcome = {
          kind: 'accepted',
          cancelled: open.length && cancelled,
          failed: 0,
        } as const;
        driver.tell({ kind: 'cancelled', requestId, outcome });
        open = [];
      }
      driver.answerReads(open);
    });
    expect(driver.reported('account.swept')).toMatchObject([{ cancelled }]);
    driver.tell({ kind: 'socketOpened' });
    driver.tell({ kind: 'authenticated' });
    driver.healthyBook();
    driver.run(12_000, () => driver.answerReads([]));
    expect(placed(driver)).toHaveLength(quotes);
  });

  it('with nothing that may rest is left alone', () => {
    const driver = new EngineDriver([wishing(() => [])]);
    driver.start(controlled());
    driver.healthyBook();
    driver.tell({ kind: 'authRefused', detail: 'x' });
    driver.run(20_000, () => driver.answerReads([]));
    expect(driver.take('cancelAll')).toEqual([]);
  });

  it("stays paused, where an operator paused it, after the sweep's proof", () => {
    const driver = quoting();
    driver.answerPlacements({ kind: 'unknown', cause: 'timeout', detail: 'x' });
    driver.operator('pause');
    driver.tell({ kind: 'authRefused', detail: 'x' });
    // The placement without an answer may still arrive, and the proof waits for it.
    driver.run(45_000, () => {
      driver.answerCancels();
      driver.answerReads([]);
    });
    expect(driver.reported('account.swept')).toHaveLength(1);
    driver.tell({ kind: 'authenticated' });
    driver.run(1_000, () => driver.answerReads([]));
    expect(driver.engine.view().phase).toBe('paused');
  });
});

describe('a control that a condition lifts', () => {
  const { loss, divergence, clock } = RISK_CONTROL_DEFAULTS;
  const SWITCHED_OFF: readonly (readonly [ControlName, Partial<RiskLimits>])[] = [
    ['session_loss', { loss: { ...loss, sessionUsdc: 0 } }],
    ['day_loss', { loss: { ...loss, dayUsdc: 0 } }],
    ['drawdown', { loss: { ...loss, drawdownUsdc: 0 } }],
    ['unmarked_position', { loss: { ...loss, unmarkedMs: 0 } }],
    ['blind_account', { blind: { forMs: 0 } }],
    ['cash_divergence', { divergence: { ...divergence, cashUsdc: 0 } }],
    ['order_divergence', { divergence: { ...divergence, forMs: 0 } }],
    ['clock_offset', { clock: { ...clock, offsetMsMax: 0 } }],
  ];

  it.each(SWITCHED_OFF)('%s holds on through a reload that does not switch it off', (name, off) => {
    const far = { ...clock, offsetMsMax: 3_000 };
    const on = controlled({ loss: { ...loss, sessionUsdc: 20 }, clock: far });
    const driver = new EngineDriver();
    driver.settings(on);
    const ofMarket = name === 'unmarked_position';
    const resumes = { kind: 'condition', text: 'x' } as const;
    const latch = { control: name, level: 'cancel', detail: 'x', resumes } as const;
    const scope = ofMarket ? MARKET : undefined;
    const sinceMs = unixMs(driver.nowMs);
    driver.restore({ ...NOTHING_STORED, latches: [{ ...latch, marketId: scope, sinceMs }] });
    driver.settings(retolerated(on));
    expect(eased(driver)).toEqual([]);
    driver.settings({ ...on, risk: { ...on.risk, ...off } });
    expect(eased(driver)).toEqual([name]);
  });

  it('of an account whose losses cannot be measured is not what positions without a price are', () => {
    const own = controlled({ loss: { ...loss, unmarkedMs: 0 } });
    const driver = new EngineDriver();
    driver.settings(own);
    const resumes = { kind: 'condition', text: 'x' } as const;
    const latch = { control: 'unmarked_position', level: 'cancel', detail: 'x', resumes } as const;
    const latches = [{ ...latch, marketId: undefined, sinceMs: unixMs(driver.nowMs) }];
    driver.restore({ ...NOTHING_STORED, latches });
    driver.settings(retolerated(own));
    expect(eased(driver)).toEqual([]);
  });

  it('lets go with the settings when its market is quoted no more', () => {
    const own = controlled();
    const driver = new EngineDriver();
    driver.settings(own);
    const resumes = { kind: 'condition', text: 'x' } as const;
    const latch = { control: 'position_uncertain', level: 'cancel', detail: 'x' } as const;
    const sinceMs = unixMs(driver.nowMs);
    const latches = [{ ...latch, marketId: marketId('m-9'), resumes, sinceMs }];
    driver.restore({ ...NOTHING_STORED, latches });
    driver.start(own);
    driver.settings(retolerated(own));
    expect(eased(driver)).toEqual(['position_uncertain']);
  });

  it('lets go once the venue lists its market no more, whatever is held there', () => {
    const driver = new EngineDriver();
    driver.settings(controlled());
    const resumes = { kind: 'condition', text: 'x' } as const;
    const latch = { control: 'unmarked_position', level: 'cancel', detail: 'x', resumes } as const;
    const account = holding(1_000, 100, 0);
    const latches = [{ ...latch, marketId: MARKET, sinceMs: unixMs(driver.nowMs) }];
    driver.restore({ ...knowing(account), latches });
    driver.start(controlled(), account);
    expect(eased(driver)).toEqual([]);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [] } });
    driver.run(1_100);
    expect(driver.engine.view()).toMatchObject({ markets: [], risk: { latches: [] } });
    expect(eased(driver)).toEqual(['unmarked_position']);
  });
});

describe('a clock', () => {
  const { clock } = RISK_CONTROL_DEFAULTS;
  const offset = (driver: EngineDriver, offsetMs: number) => {
    driver.tell({ kind: 'clockOffset', offsetMs, roundTripMs: 20 });
    driver.run(200, () => driver.answerReads(driver.openReports()));
  };

  it('too far off stops what adds until it is put right', () => {
    const driver = quoting({
      clock: { ...clock, offsetMsMax: 3_000, driftMsMax: 0 },
    });
    const live = driver.acceptPlacements();
    offset(driver, -3_500);
    expect(tripped(driver)).toEqual(['clock_offset cancel']);
    expect(driver.answerCancels()).toHaveLength(live.length);
    driver.tick();
    expect(driver.engine.view().markets[0]?.bidReason?.code).toBe('clock_offset');
    offset(driver, -2_900);
    expect(eased(driver)).toEqual(['clock_offset']);
    expect(placed(driver)).toHaveLength(2);
  });

  it("an hour off stops nothing: requests carry the venue's time", () => {
    const driver = quoting({ clock: RISK_CONTROL_DEFAULTS.clock });
    const live = driver.acceptPlacements();
    offset(driver, 3_600_000);
    expect(live).toHaveLength(2);
    expect(tripped(driver)).toEqual([]);
    expect(driver.answerCancels()).toEqual([]);
  });

  it('that nobody minds any more lets go, once the settings say so', () => {
    const driver = quoting({ clock: { ...clock, offsetMsMax: 3_000, driftMsMax: 0 } });
    offset(driver, -3_500);
    expect(tripped(driver)).toEqual(['clock_offset cancel']);
    driver.settings(controlled({ clock: { ...clock, offsetMsMax: 0 } }));
    offset(driver, -3_500);
    expect(eased(driver)).toEqual(['clock_offset']);
    expect(tripped(driver)).toHaveLength(1);
  });

  it('too far off is that under any other settings, without another measurement', () => {
    const own = controlled({ clock: { ...clock, offsetMsMax: 3_000, driftMsMax: 0 } });
    const driver = quoting(own.risk);
    driver.acceptPlacements();
    offset(driver, -3_500);
    driver.answerCancels();
    driver.settings(retolerated(own));
    driver.run(5_000, () => driver.answerReads([]));
    expect(eased(driver)).toEqual([]);
    expect(placed(driver)).toEqual([]);
    // A bound that it is within lets go at once, and one that it is beyond holds at once.
    driver.settings(controlled({ clock: { ...clock, offsetMsMax: 4_000, driftMsMax: 0 } }));
    expect(eased(driver)).toEqual(['clock_offset']);
    driver.settings(own);
    expect(tripped(driver)).toEqual(['clock_offset cancel', 'clock_offset cancel']);
  });

  it('too far off in the run before is measured before anything lets go', () => {
    const own = controlled({ clock: { ...clock, offsetMsMax: 3_000, driftMsMax: 0 } });
    const before = quoting(own.risk);
    offset(before, -3_500);
    const latches = before.records.flatMap((each) =>
      each.kind === 'latches' ? [each.latches] : [],
    );
    const driver = new EngineDriver([wishing(() => [bid(48, 50), ask(52, 50)])]);
    driver.settings(own);
    driver.restore({ ...NOTHING_STORED, latches: latches.at(-1) ?? [] });
    driver.start(retolerated(own));
    driver.healthyBook();
    driver.run(2_000, () => driver.answerReads([]));
    expect(placed(driver)).toEqual([]);
    offset(driver, -100);
    expect(eased(driver)).toEqual(['clock_offset']);
    expect(placed(driver)).toHaveLength(2);
  });

  it('that moves stops them for a while, wherever it stands', () => {
    const driver = quoting({ clock: { ...clock, driftMsMax: 1_000 } });
    offset(driver, 100);
    expect(tripped(driver)).toEqual([]);
    offset(driver, 1_200);
    expect(tripped(driver)).toEqual(['clock_drift cancel']);
    expect(shown(driver, 'clock_drift')).toMatchObject({
      ...{ value: '1.1', limit: '1', unit: 'seconds', level: 'cancel' },
    });
    driver.run(31_000, () => driver.answerReads([]));
    expect(eased(driver)).toEqual(['clock_drift']);
  });
});

describe('a venue that does not agree', () => {
  const limit = { cashUsdc: 5, forMs: 20_000, action: 'cancel' } as const;

  it('about cash is given its time in spite of a clock that is set ahead', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    const other = balances({ cashBalance: usdc(9_940), availableBalance: usdc(9_900) });
    const wait = (durationMs: number, account = other) =>
      driver.run(durationMs, () => driver.answerReads(driver.openReports(), account));
    wait(8_000);
    driver.tick(21_000);
    wait(6_000);
    expect(tripped(driver)).toEqual([]);
    wait(12_000);
    expect(tripped(driver)).toEqual(['cash_divergence cancel']);
    // It agrees for a moment, and the clock says that it was for long.
    wait(6_000, balances());
    driver.tick(40_000);
    wait(10_000, balances());
    expect(eased(driver)).toEqual([]);
    wait(25_000, balances());
    expect(eased(driver)).toEqual(['cash_divergence']);
  });

  it('about cash, for long enough, stops what adds until it does', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    const other = balances({ cashBalance: usdc(9_940), availableBalance: usdc(9_900) });
    driver.run(19_000, () => driver.answerReads(driver.openReports(), other));
    expect(tripped(driver)).toEqual([]);
    driver.run(12_000, () => driver.answerReads(driver.openReports(), other));
    expect(tripped(driver)).toEqual(['cash_divergence cancel']);
    expect(driver.reported('control.tripped')[0]?.detail).toContain('-60.00 USDC');
    // What surprised is forgotten after five minutes, and cash has to agree for half a minute then.
    driver.run(340_000, () => {
      driver.answerCancels();
      driver.answerReads([], other);
    });
    expect(eased(driver)).toEqual(['cash_divergence']);
  });

  it('about cash does not under any other settings either, unless nobody asks', () => {
    const own = controlled({ divergence: limit });
    const driver = quoting(own.risk);
    driver.acceptPlacements();
    const other = balances({ cashBalance: usdc(9_940), availableBalance: usdc(9_900) });
    driver.run(31_000, () => driver.answerReads(driver.openReports(), other));
    driver.run(2_000, () => {
      driver.answerCancels();
      driver.answerReads([], other);
    });
    placed(driver);
    driver.settings(retolerated(own));
    driver.run(40_000, () => driver.answerReads([], other));
    expect(eased(driver)).toEqual([]);
    expect(placed(driver)).toEqual([]);
    driver.settings(controlled({ divergence: { ...limit, cashUsdc: 0 } }));
    expect(eased(driver)).toEqual(['cash_divergence']);
  });

  it('about cash holds on while a settlement that comes before its frame hides it', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    const other = balances({ cashBalance: usdc(9_940), availableBalance: usdc(9_900) });
    driver.run(31_000, () => driver.answerReads(driver.openReports(), other));
    expect(tripped(driver)).toEqual(['cash_divergence cancel']);
    // Sixty more show for as long as frames are late, and are gone.
    const hidden = balances({ cashBalance: usdc(10_000), availableBalance: usdc(9_960) });
    driver.run(15_000, () => driver.answerReads([], hidden));
    driver.run(15_000, () => driver.answerReads([], other));
    expect(eased(driver)).toEqual([]);
  });

  it('about less cash than is asked for trips nothing', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    const other = balances({ cashBalance: usdc(9_996), availableBalance: usdc(9_996) });
    driver.run(60_000, () => driver.answerReads(driver.openReports(), other));
    expect(tripped(driver)).toEqual([]);
  });

  it('about the cash of a chain action waits for its proof, and no longer', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    driver.sets({ id: 'w-1', by: 'test', action: 'split', marketId: MARKET, amount: shares(60) });
    const [asked] = driver.take('changeSets');
    if (asked === undefined) throw new Error('a split was sent');
    const outcome = { kind: 'accepted', txHash: '0xabc' } as const;
    driver.tell({ kind: 'setsChanged', requestId: asked.requestId, outcome });
    const after = balances({ cashBalance: usdc(9_940), availableBalance: usdc(9_900) });
    const held = (size: number) => ({
      ...after,
      positions: [YES, NO].map((tokenId) => {
        const none = { onHoldShareAmount: shares(0) };
        return { tokenId, marketId: MARKET, shareAmount: shares(size), ...none };
      }),
    });
    driver.run(120_000, () => driver.answerReads(driver.openReports(), after));
    expect(shown(driver, 'cash_divergence')?.value).toBe('0.000000');
    // What was confirmed is forgotten with its proof, and so it is no divergence minutes later.
    driver.run(400_000, () => driver.answerReads(driver.openReports(), held(60)));
    expect(driver.reported('sets.changed').at(-1)?.state).toBe('confirmed');
    expect(tripped(driver)).toEqual([]);
  });

  it('about more than the cash of a chain action is not excused by it', () => {
    const driver = quoting({ divergence: limit });
    driver.acceptPlacements();
    driver.sets({ id: 'w-1', by: 'test', action: 'split', marketId: MARKET, amount: shares(60) });
    const other = balances({ cashBalance: usdc(9_910), availableBalance: usdc(9_900) });
    driver.run(30_000, () => driver.answerReads(driver.openReports(), other));
    expect(tripped(driver)).toEqual(['cash_divergence cancel']);
    expect(driver.reported('control.tripped')[0]?.detail).toContain('-30.00 USDC');
  });

  it('about an order that no cancel removes', () => {
    const driver = quoting({ divergence: limit });
    const live = driver.acceptPlacements();
    const [own] = live;
    if (own === undefined) throw new Error('orders were placed');
    const external = reportOf(orderHash('0x5747'), own.order);
    const wait = (durationMs: number) =>
      driver.run(durationMs, () => {
        driver.answerReads([...driver.openReports(), external]);
        for (const { requestId } of driver.take('cancelOrders')) {
          const outcome = { kind: 'accepted', cancelled: 0, failed: 1 } as const;
          driver.tell({ kind: 'cancelled', requestId, outcome });
        }
      });
    wait(10_000);
    // No time in which a cancel could have removed it.
    driver.tick(60_000);
    wait(5_000);
    expect(tripped(driver)).not.toContain('order_divergence cancel');
    wait(16_000);
    expect(tripped(driver)).toContain('order_divergence cancel');
    const row = shown(driver, 'order_divergence');
    expect(row).toMatchObject({ limit: '20', unit: 'seconds', level: 'cancel' });
    expect(Number(row?.value)).toBeGreaterThanOrEqual(20);
  });
});

describe('a position that was too uncertain in the previous run', () => {
  const latch = {
    ...({ control: 'position_uncertain', marketId: MARKET, level: 'stop-adding' } as const),
    ...{ detail: 'x', resumes: { kind: 'condition', text: 'x' } as const },
  } as const;
  const QUOTES = [bid(48, 50), ask(52, 50)];

  function nextRun(uncertain: number): EngineDriver {
    const driver = new EngineDriver([wishing(() => QUOTES)]);
    const own = controlled({ maxUncertainShares: 20 });
    const sinceMs = unixMs(driver.nowMs - 5_000);
    const item = { cause: 'order_end', side: 'BUY', quantity: shares(uncertain) } as const;
    const token = {
      ...{ tokenId: YES, confirmed: shares(0), changedAtMs: sinceMs },
      ...{ pending: [], unreported: [], shown: [] },
      uncertain: uncertain > 0 ? [{ ...item, cashNano: -uncertain * 0.48e9, sinceMs }] : [],
    };
    driver.settings(own);
    driver.restore({ ...NOTHING_STORED, tokens: [token], latches: [{ ...latch, sinceMs }] });
    driver.start(own);
    driver.healthyBook();
    driver.run(1_100);
    return driver;
  }

  it('is added to again where nothing is uncertain any more', () => {
    const driver = nextRun(0);
    expect(eased(driver)).toEqual(['position_uncertain']);
    expect(placed(driver)).toHaveLength(2);
  });

  it('is not where it still is, and no key switches that off', () => {
    const driver = nextRun(60);
    expect(eased(driver)).toEqual([]);
    expect(placed(driver)).toEqual([]);
    expect(shown(driver, 'position_uncertain')).toMatchObject({ value: '60', limit: '20' });
    const { divergence: _, ...risk } = controlled({ maxUncertainShares: 20 }).risk;
    driver.settings({ ...controlled(), risk });
    driver.run(1_100);
    expect(eased(driver)).toEqual([]);
    expect(placed(driver)).toEqual([]);
  });
});

describe('a control of a previous run that is switched off by now', () => {
  const CONDITIONS = [
    ['cash_divergence', undefined],
    ['blind_account', undefined],
    ['order_divergence', undefined],
  ] as const;

  it.each(CONDITIONS)('%s lets go, though settings come before that run', (control, market) => {
    const driver = new EngineDriver([wishing(() => [bid(48, 50), ask(52, 50)])]);
    const { clock, blind, divergence, ...risk } = controlled({}).risk;
    const off = { ...controlled({}), risk };
    const latch = {
      ...{ control, marketId: market, level: 'cancel' as const, detail: 'x' },
      ...{
        sinceMs: unixMs(driver.nowMs - 1_000),
        resumes: { kind: 'condition', text: 'x' } as const,
      },
    };
    driver.settings(off);
    driver.restore({ ...NOTHING_STORED, latches: [latch] });
    driver.start(off);
    driver.healthyBook();
    driver.run(100);
    expect(eased(driver)).toEqual([control]);
    expect(placed(driver)).toHaveLength(2);
  });
});
