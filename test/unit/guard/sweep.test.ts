// Cancel and look, round by round: the paces, the patience with each call, and what counts as an empty list.

import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { type OrderHash, orderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome, Failure, ReadOutcome } from '../../../src/domain/message.ts';
import type { OrderReport } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import type { OwnOrders } from '../../../src/guard/own-book.ts';
import {
  describeFailure,
  type KillDoor,
  type KillStep,
  Sweep,
  type SweepOptions,
} from '../../../src/guard/sweep.ts';
import { report, turns } from './support.ts';

const ACCOUNT = { kind: 'account' } as const;
const NO_ANSWER: Failure = { kind: 'unknown', cause: 'connection', detail: 'down' };
const accepted = (cancelled: number, failed = 0): CancelOutcome => ({
  ...{ kind: 'accepted', cancelled, failed },
});
const listed = (...hashes: string[]): ReadOutcome<readonly OrderReport[]> => ({
  ...{ kind: 'ok', value: hashes.map(report) },
});
function refused(
  over: Partial<Extract<CancelOutcome, { kind: 'refused' }>['refusal']> = {},
): Extract<CancelOutcome, { kind: 'refused' }> {
  const refusal = { code: 'internal', message: 'no', httpStatus: 503, retryAfterMs: undefined };
  return { kind: 'refused', refusal: { ...refusal, ...over } };
}
const LOCKED = refused({ code: 'order_not_cancellable', httpStatus: 409 });

/** A venue that answers what a test says, and writes down what it was asked. */
class SaidDoor implements KillDoor {
  readonly asked: string[] = [];
  onCancel: () => CancelOutcome | Promise<CancelOutcome> = () => accepted(0);
  onNames: (hashes: readonly OrderHash[]) => CancelOutcome | Promise<CancelOutcome> = (hashes) =>
    accepted(hashes.length);
  onList: () => ReturnType<KillDoor['readOpenOrders']> | ReadOutcome<readonly OrderReport[]> = () =>
    listed();

  async cancelAll(): Promise<CancelOutcome> {
    this.asked.push('all');
    return await this.onCancel();
  }

  async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    this.asked.push(hashes.join(' '));
    return await this.onNames(hashes);
  }

  async readOpenOrders(): Promise<ReadOutcome<readonly OrderReport[]>> {
    this.asked.push('list');
    return await this.onList();
  }

  /** What it was asked since this was asked last. */
  take(): readonly string[] {
    return this.asked.splice(0);
  }
}

function sweeping(over: Partial<SweepOptions> = {}) {
  const clock = new VirtualClock({ startMs: 1_000_000 });
  const door = new SaidDoor();
  const steps: KillStep[] = [];
  const sweep = new Sweep({
    ...{ door, scope: ACCOUNT, clock, timers: clock, remainingMs: () => 1_000_000 },
    onProgress: (step) => void steps.push(step),
    ...over,
  });
  return { clock, door, steps, sweep };
}

function owning(over: Partial<OwnOrders> & { hashes?: readonly string[] } = {}): OwnOrders {
  const { hashes = [], ...rest } = over;
  return {
    isWhole: true,
    live: () => hashes.map((hash) => orderHash(hash)),
    among: (reports) => reports.filter((each) => hashes.includes(each.orderHash)),
    ...rest,
  };
}

const never = <Answer>() => new Promise<Answer>(() => {});

describe('a sweep', () => {
  it('cancels everything once and goes on looking, often for a second and less often then', async () => {
    const { sweep, door, clock } = sweeping();
    expect(await sweep.round()).toBe(50);
    expect(door.take()).toEqual(['all', 'list']);
    clock.advance(999);
    expect(await sweep.round()).toBe(50);
    clock.advance(1);
    expect(await sweep.round()).toBe(200);
    expect(door.take()).toEqual(['list', 'list']);
    expect(clock.pending).toBe(0);
  });

  it('is empty since the first list that showed nothing, and no more when one shows an order', async () => {
    const { sweep, door, clock } = sweeping();
    expect(sweep.emptySinceMs).toBeUndefined();
    expect(sweep.left).toBeUndefined();
    await sweep.round();
    clock.advance(100);
    await sweep.round();
    expect([sweep.emptySinceMs, sweep.lookedAtMs]).toEqual([1_000_000, 1_000_100]);
    door.onList = () => listed('0x01');
    await sweep.round();
    expect([sweep.emptySinceMs, sweep.left]).toEqual([undefined, ['0x01']]);
    door.onList = () => listed();
    clock.advance(100);
    await sweep.round();
    expect(sweep.emptySinceMs).toBe(1_000_200);
  });

  it('is not empty by a list that was asked for before the venue took any cancel', async () => {
    const { sweep, door, clock } = sweeping();
    door.onCancel = () => NO_ANSWER;
    await sweep.round();
    clock.advance(5_000);
    door.onCancel = () => accepted(0);
    await sweep.round();
    expect(sweep.emptySinceMs).toBe(1_005_000);
  });

  it('is not empty while its last list or its last cancel failed, and cancels again then', async () => {
    const { sweep, door, steps } = sweeping();
    await sweep.round();
    door.take();
    door.onList = () => NO_ANSWER;
    await sweep.round();
    expect(sweep.emptySinceMs).toBeUndefined();
    expect(sweep.trouble).toBe('GET /orders: no usable answer (connection): down');
    expect(steps.at(-1)).toEqual({ doing: 'list', detail: sweep.trouble });
    door.onList = () => listed();
    door.onCancel = () => NO_ANSWER;
    await sweep.round();
    expect(sweep.emptySinceMs).toBeUndefined();
    expect(sweep.trouble).toBe('DELETE /orders: no usable answer (connection): down');
    door.onCancel = () => accepted(0);
    await sweep.round();
    expect(door.take()).toEqual(['list', 'all', 'list', 'all', 'list']);
    expect(sweep.emptySinceMs).toBe(1_000_000);
  });

  it('waits after failures, twice as long each time up to two seconds, and begins anew behind them', async () => {
    const { sweep, door, clock } = sweeping();
    door.onList = () => NO_ANSWER;
    const pauses: number[] = [];
    for (let round = 0; round < 8; round += 1) pauses.push(await sweep.round());
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
    door.onList = () => listed();
    expect(await sweep.round()).toBe(50);
    door.onList = () => NO_ANSWER;
    clock.advance(2_000);
    expect(await sweep.round()).toBe(50);
  });

  it.each([
    { retryAfterMs: 20_000, remainingMs: 60_000, expected: 20_000 },
    { retryAfterMs: 20_000, remainingMs: 30_000, expected: 15_000 },
    { retryAfterMs: 20, remainingMs: 60_000, expected: 50 },
    { retryAfterMs: undefined, remainingMs: 60_000, expected: 50 },
  ])(
    'waits as long as the venue asks for, and no longer than half of what is left: %j',
    async (of) => {
      const { sweep, door } = sweeping({ remainingMs: () => of.remainingMs });
      door.onCancel = () => refused({ retryAfterMs: of.retryAfterMs, httpStatus: 429 });
      expect(await sweep.round()).toBe(of.expected);
    },
  );

  it('waits longer for each call, the longer the venue has failed, and twelve seconds at the most', async () => {
    const { sweep, door, clock } = sweeping();
    door.onList = never;
    for (const patienceMs of [1_500, 3_000, 6_000, 12_000, 12_000]) {
      let isOver = false;
      void sweep.round().then(() => {
        isOver = true;
      });
      await turns();
      clock.advance(patienceMs - 1);
      await turns();
      expect(isOver).toBe(false);
      clock.advance(1);
      await turns();
      expect(isOver).toBe(true);
    }
    expect(sweep.trouble).toBe('GET /orders: no usable answer (timeout): no answer in time');
    expect(clock.pending).toBe(0);
  });

  it('waits for no call longer than there is time', async () => {
    const { sweep, door, clock } = sweeping({ remainingMs: () => 300 });
    door.onList = never;
    let isOver = false;
    void sweep.round().then(() => {
      isOver = true;
    });
    await turns();
    clock.advance(300);
    await turns();
    expect(isOver).toBe(true);
  });

  it('counts what each answer says was cancelled, also behind its time, and is empty anew from then', async () => {
    const { sweep, door, clock, steps } = sweeping();
    let answer: (outcome: CancelOutcome) => void = () => {};
    door.onCancel = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = sweep.round();
    await turns();
    clock.advance(1_500);
    await first;
    door.onCancel = () => accepted(0);
    await sweep.round();
    expect(sweep.emptySinceMs).toBe(1_001_500);
    answer(accepted(2, 1));
    await turns();
    expect(sweep.cancelled).toBe(2);
    expect(sweep.emptySinceMs).toBeUndefined();
    expect(steps.at(-1)).toEqual({ doing: 'cancel', detail: 'cancelled 2, failed 1' });
    clock.advance(500);
    await sweep.round();
    expect(sweep.emptySinceMs).toBe(1_002_000);
  });

  it('stays empty though an answer comes late that cancelled nothing', async () => {
    const { sweep, door, clock } = sweeping();
    let answer: (outcome: CancelOutcome) => void = () => {};
    door.onCancel = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = sweep.round();
    await turns();
    clock.advance(1_500);
    await first;
    door.onCancel = () => accepted(0);
    await sweep.round();
    answer(accepted(0));
    await turns();
    expect(sweep.emptySinceMs).toBe(1_001_500);
  });

  it('takes the word that nothing can be cancelled for an answer, and the account`s refusal for none', async () => {
    const { sweep, door } = sweeping();
    door.onCancel = () => LOCKED;
    await sweep.round();
    expect(sweep.emptySinceMs).toBe(1_000_000);
    expect(door.take()).toEqual(['all', 'list']);
    const other = sweeping();
    other.door.onCancel = () => refused({ httpStatus: 401, code: 'unauthorized' });
    await other.sweep.round();
    await other.sweep.round();
    expect(other.sweep.emptySinceMs).toBeUndefined();
    expect(other.door.take()).toEqual(['all', 'list', 'all', 'list']);
  });

  it('goes on where its door or whoever listens throws, and cancels anew', async () => {
    const { sweep, door } = sweeping({
      onProgress: () => {
        throw new Error('a screen');
      },
    });
    door.onList = () => {
      throw new Error('a door');
    };
    expect(await sweep.round()).toBe(50);
    expect(sweep.trouble).toBe('GET /orders: no usable answer (connection): Error: a door');
    door.onList = () => listed();
    await sweep.round();
    expect(door.take()).toEqual(['all', 'list', 'all', 'list']);
    expect(sweep.emptySinceMs).toBe(1_000_000);
  });

  it('says what it waits for before anything has happened, and how many are listed', async () => {
    const { sweep, door, steps } = sweeping();
    expect(sweep.trouble).toBe('the deadline came first');
    door.onList = () => listed('0x01', '0x02');
    await sweep.round();
    expect(sweep.trouble).toBe('2 orders are still listed');
    expect(steps.map(({ doing, detail }) => `${doing}: ${detail}`)).toEqual([
      'cancel: cancelled 0, failed 0',
      'list: 2 orders are still listed',
    ]);
  });

  it('counts what has matched in full apart, and it is not left', async () => {
    const { sweep, door } = sweeping();
    door.onList = () => ({
      kind: 'ok',
      value: [
        { ...report('0x01'), executed: shares(10) },
        { ...report('0x02'), executed: shares(9) },
      ],
    });
    await sweep.round();
    expect({ settling: sweep.settling, left: sweep.left, alone: sweep.leftAlone }).toEqual({
      ...{ settling: 1, left: ['0x02'], alone: 0 },
    });
  });
});

describe('a sweep beside a cancel of everything that leaves orders', () => {
  it('names them in the next round, and not again while that is under way', async () => {
    const { sweep, door } = sweeping();
    door.onList = () => listed('0x01', '0x02');
    await sweep.round();
    expect(door.take()).toEqual(['all', 'list']);
    let answer: (outcome: CancelOutcome) => void = () => {};
    door.onNames = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await sweep.round();
    await sweep.round();
    expect(door.take()).toEqual(['0x01 0x02', 'all', 'list', 'all', 'list']);
    answer(accepted(1, 1));
    await turns();
    await sweep.round();
    expect(door.take()).toEqual(['0x01 0x02', 'all', 'list']);
  });

  it('asks at a pace of seconds when each of them was refused three times by its name', async () => {
    const { sweep, door } = sweeping();
    door.onCancel = () => accepted(0, 2);
    door.onList = () => listed('0x01', '0x02');
    door.onNames = () => LOCKED;
    const pauses: number[] = [];
    for (let round = 0; round < 12 && !sweep.hasOnlyRefused; round += 1) {
      pauses.push(await sweep.round());
      await turns(60);
    }
    expect(pauses.slice(0, -1).every((pause) => pause === 50)).toBe(true);
    expect(pauses.at(-1)).toBe(2_000);
    // The first round names nothing, the second both together and then each alone, which three lists refute.
    expect(pauses).toHaveLength(5);
    expect(sweep.trouble).toBe(
      '2 orders are still listed, and the venue refuses to cancel them: it answers ' +
        '"cancelled 0, failed 2" and lists them as OPEN',
    );
    door.onList = () => listed('0x01', '0x02', '0x03');
    await sweep.round();
    expect(sweep.hasOnlyRefused).toBe(false);
  });

  it('is not at its end while a list fails, nor where nothing is left', async () => {
    const { sweep, door } = sweeping();
    door.onList = () => listed('0x01');
    door.onNames = () => LOCKED;
    for (let round = 0; round < 6; round += 1) {
      await sweep.round();
      await turns(60);
    }
    expect(sweep.hasOnlyRefused).toBe(true);
    door.onList = () => NO_ANSWER;
    expect(await sweep.round()).toBe(50);
    expect(sweep.hasOnlyRefused).toBe(false);
    door.onList = () => listed();
    await sweep.round();
    expect(sweep.hasOnlyRefused).toBe(false);
  });

  it('takes an answer that cancels one of two for no refusal of each', async () => {
    const { sweep, door } = sweeping();
    door.onList = () => listed('0x01', '0x02');
    door.onNames = () => accepted(1, 1);
    for (let round = 0; round < 6; round += 1) {
      await sweep.round();
      await turns(60);
    }
    expect(sweep.hasOnlyRefused).toBe(false);
  });

  it.each([
    { failed: 2, as: 'cancels none of two' },
    { failed: 1, as: 'says of fewer than it was asked for, and cancels none' },
    { failed: 0, as: 'counts them nowhere' },
  ])('takes an answer that $as for a refusal of each', async ({ failed }) => {
    const { sweep, door } = sweeping();
    door.onList = () => listed('0x01', '0x02');
    door.onNames = () => accepted(0, failed);
    for (let round = 0; round < 4; round += 1) {
      expect(sweep.hasOnlyRefused).toBe(false);
      await sweep.round();
      await turns(60);
    }
    expect(sweep.hasOnlyRefused).toBe(true);
  });
});

describe('a sweep of own orders', () => {
  it('names what is known before any list, and then what the lists go on showing', async () => {
    const { sweep, door } = sweeping({ own: owning({ hashes: ['0x01', '0x02'] }) });
    door.onNames = (hashes) => accepted(hashes.length - 1, 1);
    door.onList = () => listed('0x02', '0x0f');
    await sweep.round();
    expect(door.take()).toEqual(['0x01 0x02', 'list']);
    expect({ left: sweep.left, alone: sweep.leftAlone }).toEqual({ left: ['0x02'], alone: 1 });
    await sweep.round();
    expect(door.take()).toEqual(['0x02', 'list']);
  });

  it('names what is only known apart from what is listed, as long as no list can be read', async () => {
    const { sweep, door } = sweeping({ own: owning({ hashes: ['0x01', '0x02'] }) });
    door.onNames = () => accepted(0, 1);
    door.onList = () => listed('0x02');
    await sweep.round();
    door.take();
    door.onList = () => NO_ANSWER;
    await sweep.round();
    await sweep.round();
    expect(door.take()).toEqual(['0x02', 'list', '0x02', '0x01', 'list']);
  });

  it('names nothing again of a batch that was cancelled whole', async () => {
    const { sweep, door } = sweeping({ own: owning({ hashes: ['0x01', '0x02'] }) });
    door.onList = () => NO_ANSWER;
    await sweep.round();
    await sweep.round();
    expect(door.take()).toEqual(['0x01 0x02', 'list', 'list']);
  });

  it.each([
    ['says that one failed', accepted(2, 1)],
    ['counts fewer', accepted(1)],
    ['never came', NO_ANSWER],
  ])('names all of a batch again whose answer %s', async (_, outcome) => {
    const { sweep, door } = sweeping({ own: owning({ hashes: ['0x01', '0x02'] }) });
    door.onNames = () => outcome;
    door.onList = () => NO_ANSWER;
    await sweep.round();
    await sweep.round();
    expect(door.take()).toEqual(['0x01 0x02', 'list', '0x01 0x02', 'list']);
  });

  it('names what it knows again while its cancels fail, whatever a list shows', async () => {
    const { sweep, door } = sweeping({ own: owning({ hashes: ['0x01'] }) });
    door.onNames = () => NO_ANSWER;
    await sweep.round();
    await sweep.round();
    expect(door.take()).toEqual(['0x01', 'list', '0x01', 'list']);
    expect(sweep.trouble).toContain('POST /orders/batch-cancel: no usable answer');
  });

  it('goes on in halves in one round where a batch is refused, down to each alone', async () => {
    const hashes = Array.from({ length: 101 }, (_, at) => `0xb${at + 100}`);
    const { sweep, door } = sweeping({ own: owning({ hashes }) });
    door.onNames = () => LOCKED;
    await sweep.round();
    const sizes = new Map<number, number>();
    for (const names of door.take().slice(0, -1)) {
      const size = names.split(' ').length;
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
    }
    expect([...sizes.keys()].slice(0, 5)).toEqual([100, 1, 50, 25, 13]);
    expect(sizes.get(1)).toBe(41);
  });

  it('fails a round for a batch that has no answer, though the other is taken', async () => {
    const { sweep, door } = sweeping({
      own: owning({ hashes: Array.from({ length: 101 }, (_, at) => `0xb${at + 100}`) }),
    });
    door.onNames = (hashes) => (hashes.length === 1 ? NO_ANSWER : accepted(hashes.length));
    expect(await sweep.round()).toBe(50);
    expect(sweep.emptySinceMs).toBeUndefined();
  });

  it('fails where the venue has no cancel by hash', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    const door: KillDoor = {
      cancelAll: async () => accepted(0),
      readOpenOrders: async () => listed(),
    };
    const sweep = new Sweep({
      ...{ door, scope: ACCOUNT, clock, timers: clock, remainingMs: () => 1_000_000 },
      own: owning({ hashes: ['0x01'] }),
    });
    await sweep.round();
    expect(sweep.trouble).toBe('POST /orders/batch-cancel: not sent: no cancel by hash');
  });

  it.each([
    { isWhole: true, external: [], isCertain: true },
    { isWhole: true, external: ['0x0f'], isCertain: true },
    { isWhole: false, external: [], isCertain: true },
    { isWhole: false, external: ['0x0f'], isCertain: false },
  ])('is certain where all is known, or no external order is listed: %j', async (of) => {
    const { sweep, door } = sweeping({ own: owning({ isWhole: of.isWhole }) });
    door.onList = () => listed(...of.external);
    await sweep.round();
    expect(sweep.isCertain).toBe(of.isCertain);
  });

  it('looks again at where its knowledge comes from, once at a time, and for no longer than a call', async () => {
    let looks = 0;
    let answer = () => {};
    const own = owning({
      refresh: () => {
        looks += 1;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const { sweep, clock, door } = sweeping({ own });
    const first = sweep.round();
    await turns();
    clock.advance(1_499);
    await turns();
    expect(door.take()).toEqual([]);
    clock.advance(1);
    await first;
    expect(door.take()).toEqual(['list']);
    await sweep.round();
    expect(looks).toBe(1);
    answer();
    await turns();
    const later = sweep.round();
    await turns();
    expect(looks).toBe(2);
    answer();
    await later;
    expect(clock.pending).toBe(0);
  });

  it('cancels anew behind a fault of ours, which may have been amid a look', async () => {
    let isFaulty = false;
    const own = owning({ hashes: ['0x01'] });
    const among = own.among.bind(own);
    own.among = (reports) => {
      if (isFaulty) throw new Error('a fault');
      return among(reports);
    };
    const { sweep, door } = sweeping({ own });
    await sweep.round();
    isFaulty = true;
    await sweep.round();
    expect(sweep.trouble).toContain('Error: a fault');
    isFaulty = false;
    door.take();
    door.onList = () => listed('0x01');
    await sweep.round();
    await sweep.round();
    isFaulty = true;
    await sweep.round();
    isFaulty = false;
    await sweep.round();
    expect(door.take()).toEqual(['list', '0x01', 'list', '0x01', 'list', '0x01', 'list']);
  });

  it('goes on where its knowledge cannot be read', async () => {
    const own = owning({ refresh: async () => await Promise.reject(new Error('a disk')) });
    const { sweep, door } = sweeping({ own });
    expect(await sweep.round()).toBe(50);
    expect(door.take()).toEqual(['list']);
  });
});

describe('a failure in words', () => {
  const long = 'x'.repeat(201);
  const short = 'x'.repeat(200);
  it.each([
    [refused({ message: long }), `refused (internal): ${short}`],
    [refused({ code: undefined }), 'refused (503): no'],
    [refused({ code: undefined, httpStatus: undefined }), 'refused (no code): no'],
    [{ ...NO_ANSWER, detail: long }, `no usable answer (connection): ${short}`],
    [{ kind: 'notSent', detail: long } as const, `not sent: ${short}`],
  ] as const)('is one of few words %#', (failure, text) => {
    expect(describeFailure(failure)).toBe(text);
  });
});
