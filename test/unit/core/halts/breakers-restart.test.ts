// Breakers of a daemon that dies again and again: each life counts on from what those before it did.

import { describe, expect } from 'vitest';
import { setBack } from '../../../../src/core/set-back.ts';
import { RISK_CONTROL_DEFAULTS, type RiskControls } from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { EngineDriver, MARKET, NOTHING_STORED, settings } from '../../../support/engine-driver.ts';
import { it, type Lives } from '../../../support/lives.ts';
import { controlled } from '../../../support/wished.ts';

const RATE = { orders: 4, intervalMs: 60_000, action: 'cancel', coolOffMs: 30_000 } as const;
const BURST: RiskControls['fillBurst'] = {
  ...RISK_CONTROL_DEFAULTS.fillBurst,
  ...{ marketFills: 3, marketShares: 0, accountFills: 0, accountShares: 0 },
  ...{ intervalMs: 60_000, action: 'cancel', coolOffMs: 30_000 },
};
const SETTINGS = controlled({ orderRate: RATE, fillBurst: BURST });

const WITHOUT_RATE = controlled({ orderRate: { ...RATE, orders: 0 }, fillBurst: BURST });

const tripped = ({ driver }: Life) =>
  driver.reported('control.tripped').map(({ control, marketId }) => [control, marketId]);

type Placed = ReturnType<EngineDriver['acceptPlacements']>;
type Life = { readonly driver: EngineDriver; readonly placed: Placed };

/** Twelve seconds of a life: what an earlier one left is cleared up, and a bid and an ask are placed. */
function lived(driver: EngineDriver, settings = SETTINGS): Life {
  const placed: Placed[number][] = [];
  driver.start(settings);
  driver.healthyBook();
  driver.run(12_000, () => {
    placed.push(...driver.acceptPlacements());
    driver.answerReads(driver.openReports());
  });
  return { driver, placed };
}

function next(lives: Lives, { driver }: Life, settings = SETTINGS): Life {
  return lived(lives.restored(driver, settings), settings);
}

/** The bid trades so many times. */
function fill({ driver, placed }: Life, times: number): void {
  const bid = placed.find(({ order }) => order.side === 'BUY');
  if (bid === undefined) throw new Error('a bid was placed');
  for (let filled = 1; filled <= times; filled += 1) {
    const change = { filled, remaining: 50 - filled };
    driver.update(bid.hash, bid.order, { status: 'PARTIALLY_FILLED', ...change });
  }
  driver.tick();
}

describe('a process that dies again and again', () => {
  it('is stopped by the rate of orders that all its lives have sent', ({ lives }) => {
    const first = lived(new EngineDriver());
    expect(first.placed).toHaveLength(2);
    expect(tripped(first)).toEqual([]);
    expect(tripped(next(lives, first))).toEqual([['order_rate', undefined]]);
  });

  it('is not held to what was longer ago than the interval', ({ lives }) => {
    const first = lived(new EngineDriver());
    first.driver.nowMs += 60_000;
    const second = next(lives, first);
    expect(second.placed).toHaveLength(2);
    expect(tripped(second)).toEqual([]);
  });

  it('counts no second time what a breaker that still holds has counted', ({ lives }) => {
    const second = next(lives, lived(new EngineDriver()));
    expect(tripped(second)).toHaveLength(1);
    const third = next(lives, second);
    third.driver.run(35_000, () => {
      third.driver.acceptPlacements();
      third.driver.answerReads(third.driver.openReports());
    });
    expect(third.driver.reported('control.eased')).toMatchObject([{ by: 'itself' }]);
    expect(tripped(third)).toEqual([]);
  });

  it('counts once what was refused in prose where others trade, and is looked for', ({ lives }) => {
    const driver = new EngineDriver();
    driver.start({ ...settings(), orders: { ...settings().orders, scope: 'own' } });
    driver.healthyBook();
    driver.tick();
    const refusal = { code: undefined, httpStatus: undefined, retryAfterMs: undefined };
    const sent = driver.answerPlacements({
      kind: 'refused',
      refusal: { ...refusal, message: 'no' },
    });
    driver.tick();
    lives.ledger.commit(driver.records);
    expect(lives.ledger.load().recent?.ordersAtMs).toHaveLength(sent.length);
    driver.operator('pause');
    driver.run(3_000, () => driver.answerReads([]));
    lives.ledger.commit(driver.records);
    expect(lives.ledger.load().recent?.ordersAtMs).toHaveLength(sent.length);
  });

  it('is stopped by the fills of all its lives in one market', ({ lives }) => {
    const first = lived(new EngineDriver(), WITHOUT_RATE);
    fill(first, 2);
    expect(tripped(first)).toEqual([]);
    const second = next(lives, first, WITHOUT_RATE);
    fill(second, 1);
    expect(tripped(second)).toEqual([['fill_burst', MARKET]]);
  });
});

it('what a clock that was ahead has dated one after the other did not happen at once', () => {
  const nowMs = unixMs(1_700_000_000_000);
  const later = (afterMs: number) => unixMs(nowMs + afterMs);
  const fill = { marketId: MARKET, quantity: shares(1), atMs: later(3_600_000) };
  const recent = { ordersAtMs: [later(3_540_000), later(-1)], fills: [fill] };
  expect(setBack({ ...NOTHING_STORED, recent }, nowMs).recent).toEqual({
    ordersAtMs: [later(-60_000), later(-3_600_001)],
    fills: [{ ...fill, atMs: nowMs }],
  });
});
