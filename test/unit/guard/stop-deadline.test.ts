// A stop ends by guard.stopDeadlineSec, whatever trader and venue do, and names what may rest then.

import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit.ts';
import { exitOfGuard } from '../../../src/app/guard.ts';
import { stopDeadlineMs, stopTimeOf } from '../../../src/app/stop-time.ts';
import type { OrderHash } from '../../../src/domain/ids.ts';
import type { CancelOutcome } from '../../../src/domain/message.ts';
import { restsOf } from '../../../src/guard/rest.ts';
import { Book, GuardWorld, report } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;
const DEADLINE = { stopDeadlineMs: 20_000 };

/** One that cancels nothing, though it says that it could. */
class StubbornBook extends Book {
  override async cancelAll(): Promise<CancelOutcome> {
    this.cancels += 1;
    return { kind: 'accepted', cancelled: 0, failed: this.open.size };
  }

  override async cancelOrders(hashes: readonly OrderHash[]): Promise<CancelOutcome> {
    return { kind: 'accepted', cancelled: 0, failed: hashes.length };
  }
}

async function endOf(world: GuardWorld) {
  const goesOn = { kind: 'goes on' } as const;
  return await Promise.race([world.ended, Promise.resolve(goesOn)]);
}

async function stopped(book?: Book): Promise<GuardWorld> {
  const world = new GuardWorld(DEADLINE, book);
  await world.trade();
  world.supervisor.stop('SIGTERM');
  return world;
}

describe('a stop with a deadline', () => {
  it('ends a trader that runs on, cancels for it, and says what may arrive', async () => {
    const world = await stopped();
    await world.pass(18_900);
    expect(world.trader.signals).toEqual(['SIGTERM']);
    await world.pass(300);
    expect(world.trader.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(world.book.open.size).toBe(0);
    expect(await endOf(world)).toMatchObject({ kind: 'goes on' });
    await world.pass(900);
    const end = await endOf(world);
    const why = expect.stringMatching(/^it may be accepted for 4\d s more$/);
    const rests = [{ what: 'what was sent last', why }];
    expect(end).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false, rests });
    expect(world.traders).toHaveLength(1);
  });

  it('ends while the venue is away, and names it', async () => {
    const world = await stopped();
    world.book.isDown = true;
    await world.pass(5_000);
    world.trader.leave(4, false, 0, ['BUY 5 of 0xaa at 0.400']);
    await world.pass(14_900);
    expect(await endOf(world)).toMatchObject({ kind: 'goes on' });
    await world.pass(200);
    const end = await world.ended;
    expect(end).toMatchObject({
      isConfirmed: false,
      rests: [
        { what: 'any order of the account', why: expect.stringContaining('GET /orders') },
        { what: 'BUY 5 of 0xaa at 0.400' },
      ],
    });
    expect(exitOfGuard(end)).toBe(EXIT.unconfirmed);
  });

  it('names each order that the venue does not cancel, and in which words', async () => {
    const world = await stopped(new StubbornBook());
    world.trader.end(KILLED);
    await world.pass(20_100);
    const end = await world.ended;
    if (end.kind !== 'down') throw new Error('it did not take over');
    const hashes = ['0x00', '0x01', '0x02'];
    expect(end.rests.slice(0, 3).map(({ what }) => what.slice(0, 4))).toEqual(hashes);
    expect(end.rests[0]?.what).toBe('0x00 (BUY 10 of 0xaa at 0.040)');
    expect(end.rests[0]?.why).toContain('refuses to cancel');
  });

  it('does not wait for a call of the venue that never ends', async () => {
    const book = new Book();
    const world = await stopped(book);
    book.readOpenOrders = async () => await new Promise(() => {});
    world.trader.end(KILLED);
    await world.pass(20_100);
    expect(await endOf(world)).toMatchObject({ kind: 'down', isConfirmed: false });
  });

  it('is no deadline for one that nobody reported to stop', async () => {
    const world = new GuardWorld(DEADLINE);
    await world.trade();
    await world.pass(30_000);
    expect(world.trader.signals).toEqual([]);
    expect(await endOf(world)).toMatchObject({ kind: 'goes on' });
  });

  it('ends as ever where nothing is left to wait for', async () => {
    const world = await stopped();
    world.book.open.clear();
    world.trader.leave(0);
    expect(await world.ended).toEqual({ kind: 'passed', code: 0 });
  });
});

describe('the time of a stop', () => {
  it('leaves the last of it to whoever comes next, and all of it to nobody', () => {
    const { verdictMs, killMs, settleMs } = stopTimeOf({ stopDeadlineSec: 20 });
    const deadlineMs = stopDeadlineMs({ stopDeadlineSec: 20 });
    expect([verdictMs, killMs, settleMs, deadlineMs]).toEqual([14_000, 16_000, 17_000, 19_000]);
  });

  it.each([1, 2, 5, 60])('is divided in the same order where it is %i s', (stopDeadlineSec) => {
    const { verdictMs, killMs, settleMs } = stopTimeOf({ stopDeadlineSec });
    const times = [0, verdictMs, killMs, settleMs, stopDeadlineMs({ stopDeadlineSec })];
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(new Set(times).size).toBe(5);
    expect(times[4]).toBeLessThan(stopDeadlineSec * 1_000);
  });

  it('has no end where it is 0', () => {
    expect(stopDeadlineMs({ stopDeadlineSec: 0 })).toBe(Number.POSITIVE_INFINITY);
    expect(stopTimeOf({ stopDeadlineSec: 0 }).settleMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what may rest', () => {
  const NOTHING = { orders: [], trouble: '', arrivesForMs: 0, inFlight: [], settling: 0 };

  it('is nothing where a list is empty and nothing can arrive or settle', () => {
    expect(restsOf(NOTHING)).toEqual([]);
  });

  it('has each order of the last list, and what of it has traded', () => {
    const order = { ...report('0x0a'), executed: report('0x0a').quantity };
    const [rest] = restsOf({ ...NOTHING, orders: [order], trouble: 'no answer' });
    expect(rest).toEqual({
      what: '0x0a (BUY 10, 10 of it traded of 0xaa at 0.040)',
      why: 'no answer',
    });
  });

  it('has what matched and did not settle', () => {
    expect(restsOf({ ...NOTHING, settling: 1 })[0]?.what).toBe('1 matched order');
    expect(restsOf({ ...NOTHING, settling: 2 })[0]?.what).toBe('2 matched orders');
  });
});
