// What a guard asks of the ledger when no trader has told it anything: when, how often, and what holds a proof up.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Horizon, type HorizonUpdate } from '../../../src/guard/horizon.ts';
import { Learner, type LearnerOptions } from '../../../src/guard/learner.ts';
import { passOf } from './support.ts';

function learning(learn: LearnerOptions['learn'], over: Partial<LearnerOptions> = {}) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const horizon = new Horizon(clock, 45_000);
  const learnt: unknown[] = [];
  const failed: unknown[] = [];
  const learner = new Learner({
    ...{ horizon, timers: clock, learn, isNeeded: () => true },
    onLearnt: (known) => void learnt.push(known),
    onFailed: (trouble) => void failed.push(trouble),
    ...over,
  });
  const pass = async (ms: number) => await passOf(clock, ms, 100);
  return { clock, horizon, learner, learnt, failed, pass };
}

/** A ledger, and how often it was asked. */
function ledger(answer: () => Promise<HorizonUpdate>) {
  const asked = { times: 0 };
  return {
    asked,
    learn: async () => {
      asked.times += 1;
      return await answer();
    },
  };
}

describe('what a guard learns from the ledger', () => {
  it('is asked for three seconds after a death, once, and holds no proof up then', async () => {
    const { asked, learn } = ledger(async () => ({ slowestMs: 80_000 }));
    const { learner, learnt, pass, clock } = learning(learn);
    expect(learner.atLeastMs).toBe(605_000);
    learner.onDeath();
    learner.onDeath();
    await pass(2_900);
    expect(asked.times).toBe(0);
    await pass(100);
    expect(asked.times).toBe(1);
    expect(learner.atLeastMs).toBe(0);
    expect(learnt).toEqual([{ slowestMs: 80_000, proofAfterMs: 85_000 }]);
    learner.onDeath();
    expect(clock.pending).toBe(0);
  });

  it('is asked for again each ten seconds while it cannot be read, and holds the proof up', async () => {
    let isBroken = true;
    const { asked, learn } = ledger(async () => {
      if (isBroken) throw new Error('a disk');
      return {};
    });
    const { learner, failed, learnt, pass } = learning(learn);
    learner.onDeath();
    await pass(3_000);
    expect(failed).toEqual([{ detail: 'Error: a disk', proofAfterMs: 605_000 }]);
    expect(learner.atLeastMs).toBe(605_000);
    await pass(9_900);
    learner.onDeath();
    expect(asked.times).toBe(1);
    await pass(100);
    expect(asked.times).toBe(2);
    isBroken = false;
    await pass(10_000);
    expect([asked.times, learnt.length, learner.atLeastMs]).toEqual([3, 1, 0]);
  });

  it('is not asked for where there is no ledger, or a trader has told', async () => {
    const none = learning(undefined);
    none.learner.onDeath();
    expect([none.clock.pending, none.learner.atLeastMs]).toEqual([0, 0]);
    const { asked, learn } = ledger(async () => ({}));
    const told = learning(learn);
    told.learner.onDeath();
    told.horizon.onTold({});
    await told.pass(20_000);
    expect([asked.times, told.learner.atLeastMs]).toEqual([0, 0]);
    told.learner.onDeath();
    expect(told.clock.pending).toBe(0);
  });

  it('is asked for by a later death where nothing needed it before', async () => {
    let isNeeded = false;
    const { asked, learn } = ledger(async () => ({}));
    const { learner, pass } = learning(learn, { isNeeded: () => isNeeded });
    learner.onDeath();
    await pass(20_000);
    expect(asked.times).toBe(0);
    isNeeded = true;
    learner.onDeath();
    await pass(3_000);
    expect(asked.times).toBe(1);
  });

  it('is asked for once while it does not answer', async () => {
    const { asked, learn } = ledger(async () => await new Promise(() => {}));
    const { learner, pass, clock } = learning(learn);
    learner.onDeath();
    await pass(5_000);
    learner.onDeath();
    await pass(60_000);
    expect([asked.times, clock.pending]).toEqual([1, 0]);
  });
});
