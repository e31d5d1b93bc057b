// What the venue says of a market that is over: who won, and whether there is anything to claim.

import { describe, expect, it } from 'vitest';
import type { Balances, Resolution } from '../../../../src/domain/message.ts';
import { RECYCLER_DEFAULTS } from '../../../../src/domain/sets.ts';
import { EngineDriver, holding, NO, settings, YES } from '../../../support/engine-driver.ts';

const NOTHING_SAID: Resolution = { winner: undefined, isClaimable: undefined };

function resolved(account: Balances): EngineDriver {
  const driver = new EngineDriver();
  const base = settings();
  const sets = { ...RECYCLER_DEFAULTS, mode: 'on', pauseMs: 30_000 } as const;
  driver.start({ ...base, markets: base.markets.map((each) => ({ ...each, sets })) }, account);
  driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'resolved', word: 'RESOLVED' });
  return driver;
}

/** Runs on, says this whenever it is asked; how often it was, and what was redeemed. */
function run(
  driver: EngineDriver,
  durationMs: number,
  of: { readonly account: Balances; readonly says: Resolution | 'failure' | 'silence' },
) {
  let asked = 0;
  let redeems = 0;
  driver.run(durationMs, () => {
    redeems += driver.take('changeSets').length;
    const questions = driver.take('readResolution');
    asked += questions.length;
    for (const { requestId, marketId } of of.says === 'silence' ? [] : questions) {
      const failed = { kind: 'unknown', cause: 'timeout', detail: 'late' } as const;
      const outcome = of.says === 'failure' ? failed : ({ kind: 'ok', value: of.says } as const);
      driver.tell({ kind: 'resolutionRead', requestId, marketId, outcome } as never);
    }
    driver.answerReads([], of.account);
  });
  return { asked, redeems };
}

const reason = (driver: EngineDriver) => driver.engine.view().markets[0]?.sets?.reason?.code;

describe('a market that is over, with shares held', () => {
  it('is redeemed once the venue lists it as claimable', () => {
    const account = holding(1_000, 80, 30);
    const driver = resolved(account);
    expect(run(driver, 3_000, { account, says: { winner: YES, isClaimable: true } })).toEqual({
      asked: 1,
      redeems: 1,
    });
  });

  it.each([
    { says: { winner: undefined, isClaimable: false }, what: 'lists nothing to claim' },
    { says: { winner: NO, isClaimable: undefined }, what: 'names the other outcome as the winner' },
    { says: { winner: NO, isClaimable: true }, what: 'lists it, and names the other outcome' },
  ])('sends no redeem for losing shares where the venue $what', ({ says }) => {
    const account = holding(1_000, 80, 0);
    const driver = resolved(account);
    expect(run(driver, 30_000, { account, says })).toEqual({ asked: 1, redeems: 0 });
    expect(reason(driver)).toBe('nothing_claimable');
  });

  it('is asked about again ever more slowly, for an index may lag', () => {
    const account = holding(1_000, 80, 0);
    const driver = resolved(account);
    const says = { winner: undefined, isClaimable: false };
    expect(run(driver, 59_000, { account, says }).asked).toBe(1);
    expect(run(driver, 5_000, { account, says }).asked).toBe(1);
    expect(run(driver, 110_000, { account, says }).asked).toBe(0);
    const late = run(driver, 15_000, { account, says: { winner: YES, isClaimable: true } });
    expect(late).toEqual({ asked: 1, redeems: 1 });
  });

  it.each(['silence', 'failure', NOTHING_SAID] as const)(
    'is redeemed as ever where the venue says nothing that is understood: %o',
    (says) => {
      const account = holding(1_000, 80, 0);
      const driver = resolved(account);
      expect(run(driver, 20_000, { account, says }).redeems).toBe(1);
    },
  );

  it('waits for the answer before it redeems', () => {
    const account = holding(1_000, 80, 0);
    const driver = resolved(account);
    expect(run(driver, 10_000, { account, says: 'silence' }).redeems).toBe(0);
    expect(reason(driver)).toBe('resolution_asked');
  });

  it('is valued by the winner as soon as it is named, without a redeem', () => {
    const account = holding(1_000, 80, 0);
    const flowsOf = (winner: Resolution['winner']) => {
      const driver = resolved(account);
      run(driver, 2_000, { account, says: { winner, isClaimable: false } });
      return driver.records.flatMap((each) => (each.kind === 'flows' ? [each.flows] : [])).at(-1);
    };
    expect(flowsOf(YES)).toMatchObject({ startValueNano: 80e9 });
    expect(flowsOf(NO)).toMatchObject({ startValueNano: 0 });
  });

  it('of nothing held is asked about by nobody', () => {
    const account = holding(1_000, 0, 0);
    const driver = resolved(account);
    expect(run(driver, 10_000, { account, says: NOTHING_SAID }).asked).toBe(0);
  });
});
