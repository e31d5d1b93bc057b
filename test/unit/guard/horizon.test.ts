// For how long a guard that stays down watches for what its trader had sent, on virtual time.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Horizon, type HorizonUpdate } from '../../../src/guard/horizon.ts';
import { Book, GuardWorld } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;
const NOTHING = { isWhole: false, live: [], ended: [] };

function late(said: object) {
  return { kind: 'orders', scope: 'account', update: NOTHING, ...said };
}

/** Over a horizon of 45 s. */
async function trading(): Promise<GuardWorld> {
  const world = new GuardWorld({ onDeath: 'stay' });
  await world.trade();
  return world;
}

describe('a guard whose trader had a clock that ran ahead of the venue', () => {
  it('watches as much longer before it says confirmed, and cancels what lands then', async () => {
    const world = await trading();
    world.trader.say(late({ aheadMs: 20_000 }));
    world.trader.end(KILLED);
    await world.pass(50_000);
    expect(world.events).not.toContain('guard.confirmed');
    world.book.open.add('0x0f');
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    await world.pass(15_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('hears of it in the last words of a trader that is dead already', async () => {
    const world = await trading();
    const last = world.trader;
    last.end(KILLED);
    await world.pass(100);
    last.say(late({ aheadMs: 20_000 }));
    await world.pass(60_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(6_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches no longer than ever once all that was dated so is over', async () => {
    const world = await trading();
    world.trader.say(late({ aheadMs: 20_000 }));
    await world.pass(190_000);
    world.trader.end(KILLED);
    await world.pass(46_000);
    expect(world.events).toContain('guard.confirmed');
  });
});

/** The trader of a new guard is dead before it has told anything; the ledger of a run before says so much. */
function untold(learn: () => Promise<HorizonUpdate>, settings: object = { onDeath: 'stay' }) {
  const world = new GuardWorld(settings, new Book(), learn, true);
  world.trader.end(KILLED);
  return world;
}

async function fails(): Promise<never> {
  return await Promise.reject(new Error('partial'));
}

describe('a guard that no trader has told anything', () => {
  it('watches for what a host before it dated ahead, by the ledger, and cancels what lands', async () => {
    const world = untold(async () => ({ aheadMs: 20_000 }));
    await world.pass(60_000);
    expect(world.events).not.toContain('guard.confirmed');
    world.book.open.add('0x0f');
    await world.pass(1_000);
    expect(world.book.open.size).toBe(0);
    await world.pass(5_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches as long as the slowest acceptance of the ledger', async () => {
    const world = untold(async () => ({ slowestMs: 60_000 }));
    await world.pass(64_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches as configured where the ledger knows of nothing', async () => {
    const world = untold(async () => ({}));
    await world.pass(44_500);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(1_500);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches the longest where the ledger cannot be read, and says so', async () => {
    const world = untold(fails);
    await world.pass(5_000);
    expect(world.events).toContain('guard.ledger_unread');
    await world.pass(599_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(3_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches the longest where the ledger never answers', async () => {
    const world = untold(async () => await new Promise<never>(() => {}));
    await world.pass(604_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches no longer than needed once the ledger can be read again', async () => {
    let isPartial = true;
    const world = untold(async () => (isPartial ? await fails() : { aheadMs: 10_000 }));
    await world.pass(30_000);
    isPartial = false;
    await world.pass(24_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(3_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('looks at a ledger that cannot be read every ten seconds', async () => {
    let isPartial = true;
    const world = untold(async () => (isPartial ? await fails() : { aheadMs: 10_000 }));
    await world.pass(44_000);
    isPartial = false;
    await world.pass(10_500);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(3_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('takes a clock that was as far ahead as the venue takes a date for possible, beyond any horizon', () => {
    const horizon = new Horizon(new VirtualClock({ startMs: 1_000_000 }), 900_000);
    expect(horizon.longestMs).toBe(930_000);
  });

  it('asks a ledger that does not answer once, however many die meanwhile', async () => {
    let reads = 0;
    const hung = async () => {
      reads += 1;
      return await new Promise<never>(() => {});
    };
    const world = untold(hung, { onDeath: 'restart', restartsMax: 9 });
    for (let deaths = 0; deaths < 4; deaths += 1) {
      await world.pass(2_500);
      await world.trade(0);
      world.trader.end(KILLED);
    }
    await world.pass(20_000);
    expect(reads).toBe(1);
  });

  it('asks no ledger while a next run takes over, which tells it', async () => {
    let reads = 0;
    const world = untold(
      async () => {
        reads += 1;
        return {};
      },
      { onDeath: 'restart' },
    );
    await world.pass(200);
    world.trader.say(late({ aheadMs: 20_000 }));
    await world.trade();
    await world.pass(10_000);
    world.trader.end(KILLED);
    world.supervisor.stop('SIGTERM');
    await world.pass(50_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(16_000);
    expect(world.events).toContain('guard.confirmed');
    expect(reads).toBe(0);
  });

  it('asks the ledger after a later death, where the run between told nothing either', async () => {
    let reads = 0;
    const learn = async () => {
      reads += 1;
      return { aheadMs: 20_000 };
    };
    const world = untold(learn, { onDeath: 'restart' });
    await world.pass(200);
    await world.trade();
    await world.pass(10_000);
    expect(reads).toBe(0);
    world.trader.end(KILLED);
    world.supervisor.stop('SIGTERM');
    await world.pass(64_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
    expect(reads).toBe(1);
  });
});

describe('a guard whose trader was configured anew while it lived', () => {
  it('watches as long as is configured now', async () => {
    const world = await trading();
    world.trader.say(late({ horizonMs: 90_000 }));
    world.trader.end(KILLED);
    await world.pass(89_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('watches as long as before for what was sent before the time became shorter', async () => {
    const world = await trading();
    world.trader.say(late({ horizonMs: 30_000 }));
    world.trader.end(KILLED);
    await world.pass(44_000);
    expect(world.events).not.toContain('guard.confirmed');
    await world.pass(2_000);
    expect(world.events).toContain('guard.confirmed');
  });

  it('takes nothing that is no number for news', async () => {
    const world = await trading();
    world.trader.say(late({ horizonMs: null, aheadMs: '90000', slowestMs: {} }));
    world.trader.end(KILLED);
    await world.pass(46_000);
    expect(world.events).toContain('guard.confirmed');
  });
});

describe('a horizon', () => {
  it('becomes shorter again when what was sent before is over', () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const horizon = new Horizon(clock, 60_000);
    horizon.onTold({ horizonMs: 30_000 });
    clock.advance(179_000);
    expect(horizon.ms).toBe(60_000);
    clock.advance(2_000);
    expect(horizon.ms).toBe(30_000);
  });

  it('is bounded however often it is told less, and forgets no longer one', () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const horizon = new Horizon(clock, 45_000);
    for (let left = 1_000; left > 0; left -= 1) horizon.onTold({ aheadMs: left * 1_000 });
    expect(horizon.ms).toBe(1_045_000);
    clock.advance(1_100_000);
    expect(horizon.ms).toBe(1_045_000);
    clock.advance(2_000_000);
    expect(horizon.ms).toBe(45_000);
  });

  it('is the slowest acceptance and some seconds where that is more', () => {
    const horizon = new Horizon(new VirtualClock({ startMs: 1_000_000 }), 45_000);
    horizon.onTold({ slowestMs: 41_000, aheadMs: 500 });
    expect(horizon.ms).toBe(46_000);
    horizon.onTold({ slowestMs: 30_000 });
    expect(horizon.ms).toBe(46_000);
  });
});

describe('a clock that is put right step by step', () => {
  it('is remembered as long as what was sent by it may arrive, in sixteen steps at the most', () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const horizon = new Horizon(clock, 45_000);
    for (let step = 0; step < 24; step += 1) {
      horizon.onTold({ aheadMs: 25_000 - step * 1_000 });
      clock.advance(3_000);
      expect(horizon.ms).toBe(70_000);
    }
    const seen = [horizon.ms];
    for (let passed = 0; passed < 300_000; passed += 250) {
      clock.advance(250);
      if (horizon.ms !== seen.at(-1)) seen.push(horizon.ms);
    }
    expect(seen).toEqual(seen.toSorted((one, other) => other - one));
    expect(seen.at(-1)).toBe(45_000);
    expect(seen).toHaveLength(17);
  });
});

describe('the edges of a horizon', () => {
  const horizonAt = (configuredMs = 45_000) => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    return { clock, horizon: new Horizon(clock, configuredMs) };
  };

  it('is as configured while nothing was told, and told from the first word on', () => {
    const { horizon } = horizonAt();
    expect([horizon.ms, horizon.isTold, horizon.longestMs]).toEqual([45_000, false, 605_000]);
    horizon.onTold({});
    expect([horizon.ms, horizon.isTold]).toEqual([45_000, true]);
    expect(horizonAt(600_000).horizon.longestMs).toBe(630_000);
  });

  it('has no slowest acceptance where none was told', () => {
    const { horizon } = horizonAt(1_000);
    expect(horizon.ms).toBe(1_000);
    horizon.onTold({});
    expect(horizon.ms).toBe(1_000);
  });

  it('keeps what was configured before for as long as that, and for two minutes more', () => {
    const { clock, horizon } = horizonAt();
    horizon.onTold({ horizonMs: 30_000 });
    clock.advance(164_999);
    expect(horizon.ms).toBe(45_000);
    clock.advance(1);
    expect(horizon.ms).toBe(30_000);
  });

  it('keeps a clock that was ahead for its horizon, its lead and two minutes', () => {
    const { clock, horizon } = horizonAt();
    horizon.onTold({ aheadMs: 10_000 });
    expect(horizon.ms).toBe(55_000);
    clock.advance(174_999);
    expect(horizon.ms).toBe(55_000);
    clock.advance(1);
    expect(horizon.ms).toBe(45_000);
    horizon.onTold({ aheadMs: 0 });
    horizon.onTold({ aheadMs: -5 });
    expect(horizon.ms).toBe(45_000);
  });

  it('forgets a lead in its time, however often a lesser one was told meanwhile', () => {
    const { clock, horizon } = horizonAt();
    horizon.onTold({ aheadMs: 20_000 });
    for (let told = 0; told < 40; told += 1) {
      clock.advance(1_000);
      horizon.onTold({ aheadMs: 10_000 });
    }
    clock.advance(144_999);
    expect(horizon.ms).toBe(65_000);
    clock.advance(1);
    expect(horizon.ms).toBe(55_000);
  });

  it('keeps sixteen leads apart, and of more the two oldest as one', () => {
    const { clock, horizon } = horizonAt();
    for (let step = 0; step < 16; step += 1) {
      horizon.onTold({ aheadMs: 20_000 - step * 1_000 });
      clock.advance(1_000);
    }
    clock.advance(169_000);
    expect(horizon.ms).toBe(64_000);
  });
});
