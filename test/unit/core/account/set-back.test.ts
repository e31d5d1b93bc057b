// A clock that was ahead and is put back between two runs: what the first left lies in the future of the
// second, and is over all the same.

import { describe, expect, it } from 'vitest';
import { setBack } from '../../../../src/core/account/restore.ts';
import type { Balances } from '../../../../src/domain/message.ts';
import type { PersistedState } from '../../../../src/domain/record.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, settings, YES } from '../../../support/engine-driver.ts';
import { unanswered } from '../../../support/unanswered.ts';

const HOUR_MS = 3_600_000;
const NOTHING: PersistedState = {
  orders: [],
  tokens: [],
  flows: [],
  tradeIds: [],
  cashNano: 10_000e9,
  halt: undefined,
  memories: {},
};

function shown(count: number): Balances {
  const position = { tokenId: YES, marketId: MARKET, onHoldShareAmount: shares(0) };
  const cash = 10_000 - count * 0.48;
  return balances({
    cashBalance: usdc(cash),
    availableBalance: usdc(cash),
    positions: [{ ...position, shareAmount: shares(count) }],
  });
}

/** A run whose clock was an hour ahead: 50 had matched, and an order had no answer. */
function leftAhead(nowMs: number): PersistedState {
  const atMs = unixMs(nowMs + HOUR_MS);
  const quantity = shares(50);
  const matched = { side: 'BUY', cashNano: -24e9, quantity, original: quantity, atMs } as const;
  const token = {
    tokenId: YES,
    confirmed: shares(0),
    pending: [matched],
    changedAtMs: atMs,
    uncertain: [],
    unreported: [],
    shown: [],
  };
  const flows = { marketId: MARKET, cashNano: -24e9, fills: 1 };
  const start = { start: { yes: shares(0), no: shares(0) }, startValueNano: 0 };
  return {
    ...NOTHING,
    orders: [unanswered(nowMs + HOUR_MS)],
    tokens: [token],
    flows: [{ ...flows, ...start }],
  };
}

const view = (driver: EngineDriver) => {
  const [market] = driver.engine.view().markets;
  if (market === undefined) throw new Error('there is one market');
  return market;
};

describe('a run whose clock was an hour ahead', () => {
  function nextRun(account: Balances) {
    const driver = new EngineDriver();
    driver.settings(settings());
    driver.restore(leftAhead(driver.nowMs));
    driver.start(settings(), account);
    return driver;
  }

  it('leaves no match that positions can say nothing of for an hour', () => {
    const driver = nextRun(shown(0));
    driver.run(240_000, () => driver.answerReads([], shown(50)));
    expect(view(driver)).toMatchObject({ positionYes: '50', settledYes: '50' });
  });

  it('leaves no order that may arrive for an hour', () => {
    const driver = nextRun(shown(50));
    expect(driver.engine.view().ordersByState.unknown).toBe(1);
    driver.run(40_000, () => driver.answerReads([], shown(50)));
    expect(driver.engine.view().ordersByState.unknown).toBe(0);
  });
});

describe('what is set back', () => {
  const now = unixMs(1_700_000_000_000);
  const latch = {
    control: 'fill_burst',
    marketId: MARKET,
    level: 'reduce-only',
    detail: 'x',
  } as const;

  it('ends as long after now as it was to last', () => {
    const sinceMs = unixMs(now + HOUR_MS);
    const resumes = { kind: 'time', atMs: unixMs(sinceMs + 30_000) } as const;
    const { latches } = setBack({ ...NOTHING, latches: [{ ...latch, sinceMs, resumes }] }, now);
    expect(latches).toEqual([
      { ...latch, sinceMs: now, resumes: { kind: 'time', atMs: now + 30_000 } },
    ]);
  });

  it('is nothing of what has been', () => {
    const resumes = { kind: 'time', atMs: unixMs(now + 30_000) } as const;
    const stop = { marketId: MARKET, stop: 'kill', by: 'me', sinceMs: now } as const;
    const persisted: PersistedState = {
      ...leftAhead(now - 2 * HOUR_MS),
      sets: [],
      settlements: [],
      latches: [{ ...latch, sinceMs: unixMs(now - 1), resumes }],
      marketStops: [stop],
    };
    expect(setBack(persisted, now)).toEqual(persisted);
    const ahead = { ...persisted, marketStops: [{ ...stop, sinceMs: unixMs(now + 1) }] };
    expect(setBack(ahead, now)).toEqual(persisted);
  });
});
