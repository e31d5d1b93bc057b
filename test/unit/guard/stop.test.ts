// A stop that the trader could not confirm, and a start that failed over orders of an earlier run: the guard
// is who is left, on virtual time.

import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit.ts';
import { exitOfGuard } from '../../../src/app/guard.ts';
import { shares } from '../../../src/domain/shares.ts';
import { Book, GuardWorld, report } from './support.ts';

const KILLED = { code: null, signal: 'SIGKILL' } as const;

/** The venue was away when the trader had to cancel: it ended with 4, and its orders rest. */
async function stoppedInOutage(): Promise<GuardWorld> {
  const world = new GuardWorld();
  await world.trade();
  world.book.isDown = true;
  world.supervisor.stop('SIGTERM');
  await world.pass(5_000);
  world.trader.leave(4);
  await world.pass(10_000);
  return world;
}

function endedOr(world: GuardWorld): Promise<unknown> {
  return Promise.race([world.ended, Promise.resolve('goes on')]);
}

describe('a stop that the trader ended without proof', () => {
  it('is gone on with until the venue is back, and is clean when it is confirmed in the end', async () => {
    const world = await stoppedInOutage();
    expect(world.events).toContain('guard.took_over');
    expect(world.book.open.size).toBe(3);
    world.book.isDown = false;
    await world.pass(3_000);
    expect(world.book.open.size).toBe(0);
    expect(await endedOr(world)).toBe('goes on');
    await world.pass(45_000);
    expect(await endedOr(world)).toMatchObject({ isStopped: true, isConfirmed: true });
    expect(world.traders).toHaveLength(1);
  });

  it('ends at once with a second signal, and says that nothing is confirmed', async () => {
    const world = await stoppedInOutage();
    world.supervisor.stop('SIGTERM');
    await world.pass(50);
    expect(await endedOr(world)).toMatchObject({ kind: 'down', isConfirmed: false });
  });

  it('is not gone on with when the second signal came before, as the trader still lived', async () => {
    const world = new GuardWorld();
    await world.trade();
    world.supervisor.stop('SIGTERM');
    await world.pass(2_000);
    world.supervisor.stop('SIGTERM');
    expect(world.trader.signals).toEqual(['SIGTERM', 'SIGTERM']);
    world.trader.leave(4);
    expect(await world.ended).toEqual({ kind: 'passed', code: 4 });
  });
});

/** A guard beside the journal of an earlier run, of which two orders rest. */
function afterCrash(over: { scope?: 'own'; hadJournal?: boolean } = {}): GuardWorld {
  const { hadJournal = true, ...settings } = over;
  const world = new GuardWorld(settings, new Book(), undefined, hadJournal);
  for (const hash of ['0x0a', '0x0b']) world.book.open.add(hash);
  return world;
}

describe('a first start that fails beside the journal of an earlier run', () => {
  it.each([1, 3])('cancels what that has left before it ends with %i', async (code) => {
    const world = afterCrash();
    world.trader.leave(code, true);
    await world.pass(200);
    expect(world.book.open.size).toBe(0);
    const earlier = { kind: 'cleared', cancelled: 2 };
    expect(await world.ended).toEqual({ kind: 'passed', code, earlier });
  });

  it('ends soon where the venue does not answer, and says what may rest', async () => {
    const world = afterCrash();
    world.book.isDown = true;
    world.trader.leave(3, true);
    await world.pass(4_900);
    expect(await endedOr(world)).toBe('goes on');
    await world.pass(200);
    expect(await endedOr(world)).toEqual({ kind: 'passed', code: 3, earlier: { kind: 'left' } });
    expect(world.events).toContain('guard.left_earlier');
  });

  it('cancels nothing in the own scope, where nobody knows which are ours, and says so', async () => {
    const world = afterCrash({ scope: 'own' });
    world.trader.leave(1, true);
    await world.pass(200);
    expect(await endedOr(world)).toMatchObject({ code: 1, earlier: { kind: 'left' } });
    expect(world.book.open.size).toBe(2);
  });

  it('cancels nothing where another instance looks after them, or nothing was left', async () => {
    const world = afterCrash();
    world.trader.leave(3, false);
    await world.pass(200);
    expect(await endedOr(world)).toEqual({ kind: 'passed', code: 3 });
    expect(world.book.open.size).toBe(2);
  });

  it('says what may rest where it ended without a word', async () => {
    const world = afterCrash();
    world.trader.end({ code: 1, signal: null });
    await world.pass(200);
    expect(await endedOr(world)).toEqual({ kind: 'passed', code: 1, earlier: { kind: 'left' } });
  });

  it('cancels what the journal knows of where its configuration is wrong, and nobody has looked', async () => {
    const world = afterCrash();
    world.hasLeft = async () => true;
    world.trader.end({ code: 2, signal: null });
    await world.pass(200);
    expect(world.book.open.size).toBe(0);
    const earlier = { kind: 'cleared', cancelled: 2 };
    expect(await endedOr(world)).toEqual({ kind: 'passed', code: 2, earlier });
  });

  describe('and that is told to end while its trader loads', () => {
    /** Node ends by the signal before anybody listens, or with 0 as soon as somebody does. */
    function calledOff(world: GuardWorld, code: 0 | null = 0): void {
      world.supervisor.stop('SIGTERM');
      world.trader.end({ code, signal: code === null ? 'SIGTERM' : null });
    }

    it.each([0, null] as const)('cancels what the journal knows of, ended by %s', async (code) => {
      const world = afterCrash();
      world.hasLeft = async () => true;
      calledOff(world, code);
      await world.pass(200);
      expect(world.book.open.size).toBe(0);
      const earlier = { kind: 'cleared', cancelled: 2 };
      expect(await endedOr(world)).toEqual({ kind: 'passed', code: 0, earlier, isWordless: true });
    });

    it('touches nothing where the journal knows of nothing', async () => {
      const world = afterCrash();
      calledOff(world);
      await world.pass(200);
      expect(await endedOr(world)).toEqual({ kind: 'passed', code: 0, isWordless: true });
      expect(world.book.open.size).toBe(2);
    });

    it.each([
      { what: 'it cannot be read', hasLeft: () => Promise.reject(new Error('a disk')), scope: {} },
      { what: 'only own orders are meant', hasLeft: async () => true, scope: { scope: 'own' } },
      { what: 'the disk hangs', hasLeft: () => new Promise<boolean>(() => {}), scope: {} },
    ] as const)('is no good end where $what', async ({ hasLeft, scope }) => {
      const world = afterCrash(scope);
      world.hasLeft = hasLeft;
      calledOff(world);
      await world.pass(5_100);
      const end = await world.ended;
      expect(end).toEqual({ kind: 'passed', code: 0, earlier: { kind: 'left' }, isWordless: true });
      expect(exitOfGuard(end)).toBe(EXIT.unconfirmed);
      expect(world.book.open.size).toBe(2);
    });
  });

  it('touches nothing where no run was before', async () => {
    const world = afterCrash({ hadJournal: false });
    world.trader.leave(3, true);
    await world.pass(200);
    expect(await endedOr(world)).toEqual({ kind: 'passed', code: 3 });
    expect(world.book.open.size).toBe(2);
  });
});

it('a later run that is called off behind its take-over leaves a guard that watches on', async () => {
  const world = new GuardWorld();
  await world.trade();
  world.trader.end(KILLED);
  await world.pass(300);
  world.trader.say({ kind: 'ready' });
  await world.pass(50);
  world.supervisor.stop('SIGTERM');
  world.trader.leave(0, true);
  await world.pass(30_000);
  world.book.open.add('0x0f');
  await world.pass(500);
  expect(world.book.open.size).toBe(0);
  await world.pass(15_000);
  expect(await endedOr(world)).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: true });
});

it('a later run that ends of itself before its take-over passes its end on, when the end before it is confirmed', async () => {
  const world = new GuardWorld();
  await world.trade();
  world.trader.end(KILLED);
  await world.pass(300);
  expect(world.traders).toHaveLength(2);
  world.trader.leave(0);
  await world.pass(44_000);
  expect(await endedOr(world)).toBe('goes on');
  await world.pass(2_000);
  expect(await endedOr(world)).toEqual({ kind: 'passed', code: 0 });
});

it('a guard that goes on alone ends where another instance has the journal', async () => {
  const world = new GuardWorld();
  await world.trade();
  world.isHeld = false;
  world.book.isDown = true;
  world.supervisor.stop('SIGTERM');
  world.trader.leave(4);
  await world.pass(1_000);
  expect(await endedOr(world)).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: false });
  expect(world.said.get('guard.unconfirmed')).toMatchObject({
    why: 'another instance has started and looks after it',
  });
});

/** One order is matched in full; its settlement fails, or never ends. */
class SettlingBook extends Book {
  isFailed = false;

  override async readOpenOrders() {
    const order = report('0x99');
    const executed = this.isFailed ? shares(0) : order.quantity;
    const isGone = this.isFailed && this.cancels > 1;
    return { kind: 'ok' as const, value: isGone ? [] : [{ ...order, executed }] };
  }
}

describe('an order that is matched and not settled', () => {
  async function staysDown(book: Book): Promise<GuardWorld> {
    const world = new GuardWorld({ onDeath: 'stay' }, book);
    await world.trade();
    world.trader.end(KILLED);
    await world.pass(50_000);
    return world;
  }

  it('holds the proof up, and is cancelled when its settlement fails and it rests again', async () => {
    const book = new SettlingBook();
    const world = await staysDown(book);
    expect(await endedOr(world)).toBe('goes on');
    book.isFailed = true;
    await world.pass(1_000);
    expect(book.cancels).toBe(2);
    expect(await endedOr(world)).toMatchObject({ isConfirmed: true, settling: 0 });
  });

  it('is waited for three times as long as settlements take, and then reported', async () => {
    const world = await staysDown(new SettlingBook());
    await world.pass(54_000);
    expect(await endedOr(world)).toBe('goes on');
    expect(world.said.get('guard.watching')).toMatchObject({
      ...{ forMs: 0, settling: 1, why: 'an order whose settlement fails may rest again' },
    });
    await world.pass(2_000);
    expect(await endedOr(world)).toMatchObject({
      ...{ isConfirmed: true, settling: 1 },
      rests: [expect.objectContaining({ what: '1 matched order' })],
    });
  });

  it('that the trader knew of is named at a good end, though no list says anything of it', async () => {
    const world = new GuardWorld();
    await world.trade(0);
    world.supervisor.stop('SIGTERM');
    world.trader.leave(4, false, 2);
    await world.pass(46_000);
    const end = await world.ended;
    expect(end).toMatchObject({ kind: 'down', isStopped: true, isConfirmed: true, settling: 2 });
    expect(exitOfGuard(end)).toBe(EXIT.done);
  });
});

describe('a start that is called off', () => {
  it('is no good end where nobody has looked at what an earlier run left', () => {
    const passed = { kind: 'passed', code: EXIT.done } as const;
    expect(exitOfGuard({ ...passed, earlier: { kind: 'left' } })).toBe(EXIT.unconfirmed);
    expect(exitOfGuard({ ...passed, earlier: { kind: 'cleared', cancelled: 2 } })).toBe(EXIT.done);
    expect(exitOfGuard({ ...passed, code: EXIT.refused, earlier: { kind: 'left' } })).toBe(3);
  });
});
