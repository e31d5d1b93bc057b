// What a guard and a kill must do in a row of scenes. They pass as the program is, and each planted bug fails one.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'vitest';
import { InFlightTracker } from '../../../../src/app/in-flight-tracker.ts';
import { ErrandLatch } from '../../../../src/cli/errand-latch.ts';
import { systemClock } from '../../../../src/clock/system.ts';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import type { CancelOutcome } from '../../../../src/domain/message.ts';
import type { OrderReport } from '../../../../src/domain/order.ts';
import { shares } from '../../../../src/domain/shares.ts';
import { Horizon } from '../../../../src/guard/horizon.ts';
import { type KillOptions, type KillResult, killOrders } from '../../../../src/guard/kill.ts';
import { OwnBook } from '../../../../src/guard/own-book.ts';
import { readOwnOrdersUpdate } from '../../../../src/guard/own-orders-update.ts';
import { clearLatch, confirmLatch, setLatch } from '../../../../src/journal/latch.ts';
import { lockJournal } from '../../../../src/journal/lock.ts';
import { Book, GuardWorld, report } from '../support.ts';

export type GuardScene = { readonly name: string; readonly run: () => Promise<void> };

const KILLED = { code: null, signal: 'SIGKILL' } as const;
const REST = { doing: 'wants', ranMs: 0, waitedMs: 0, processor: '0', stolenMs: 0 } as const;
const REFUSED: CancelOutcome = {
  kind: 'refused',
  refusal: { code: 'maintenance', message: 'no', httpStatus: 503, retryAfterMs: undefined },
};
const NO_ANSWER = { kind: 'unknown', cause: 'timeout', detail: '' } as const;

/** A kill on virtual time; `result` is absent while it goes on. */
class KillWorld {
  readonly clock = new VirtualClock({ startMs: 1_000_000 });
  readonly book: Book;
  result: KillResult | undefined;

  constructor(book: Book, more: Partial<KillOptions> = {}) {
    this.book = book;
    const scope = { kind: 'account' } as const;
    const times = { quietMs: 1_000, deadlineMs: 10_000 };
    void killOrders({
      ...{ door: book, scope, clock: this.clock, timers: this.clock, ...times, ...more },
    }).then((result) => {
      this.result = result;
    });
  }

  async pass(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += 10) {
      this.clock.advance(10);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  }
}

/** Orders of which one has traded in part, and rests where a cancel was not accepted. */
class PartlyTraded extends Book {
  override async cancelAll(): Promise<CancelOutcome> {
    this.cancels += 1;
    return { kind: 'accepted', cancelled: 0, failed: this.open.size };
  }

  override async readOpenOrders() {
    const value = [...this.open].map(report).map((order) => ({ ...order, executed: shares(4) }));
    return { kind: 'ok' as const, value };
  }
}

async function endOf(world: GuardWorld) {
  const goesOn = { kind: 'goes on' } as const;
  return await Promise.race([world.ended, Promise.resolve(goesOn)]);
}

async function died(over: ConstructorParameters<typeof GuardWorld>[0] = {}, book?: Book) {
  const world = new GuardWorld(over, book);
  await world.trade();
  world.trader.end(KILLED);
  return world;
}

function ownBook(isAnswered: boolean): OwnBook {
  const order = {
    ...{ intentId: '1-1', marketId: 'm1', tokenId: '0xaa', side: 'BUY', priceMilli: 40 },
    ...{ quantity: 10_000_000, sentAtMs: 1_000_000 },
    ...(isAnswered ? { orderHash: '0x01' } : {}),
  };
  const update = readOwnOrdersUpdate({ isWhole: true, live: [order], ended: [] });
  const book = new OwnBook();
  if (update !== undefined) book.apply(update);
  return book;
}

const kills: readonly GuardScene[] = [
  {
    name: 'a kill cancels by name what has traded in part, and is not confirmed while it rests',
    run: async () => {
      const book = new PartlyTraded();
      book.open.add('0x01');
      const world = new KillWorld(book);
      await world.pass(300);
      expect(book.byName.flat()).toContain('0x01');
      expect(world.result).toBeUndefined();
      await world.pass(3_000);
      expect(world.result).toMatchObject({ kind: 'confirmed' });
    },
  },
  {
    name: 'a kill is not confirmed by empty lists while every cancel is refused or unanswered',
    run: async () => {
      for (const fault of [REFUSED, NO_ANSWER]) {
        const book = new Book();
        book.cancelAll = async () => fault;
        const world = new KillWorld(book);
        await world.pass(12_000);
        expect(world.result).toMatchObject({ kind: 'unconfirmed', left: [] });
      }
    },
  },
  {
    name: 'a kill begins its quiet time anew when an order shows up, and cancels it',
    run: async () => {
      const book = new Book();
      // What shows up is gone by itself when it is to be cancelled, as by a trade.
      const door = {
        cancelAll: async () => {
          book.open.clear();
          return { kind: 'accepted', cancelled: 0, failed: 0 } as const;
        },
        readOpenOrders: async () => await book.readOpenOrders(),
      };
      const world = new KillWorld(book, { door });
      await world.pass(850);
      book.open.add('0x0b');
      await world.pass(800);
      expect(book.open.size).toBe(0);
      expect(world.result).toBeUndefined();
      await world.pass(1_500);
      expect(world.result).toMatchObject({ kind: 'confirmed' });
    },
  },
  {
    name: 'a kill is not confirmed while the last list could not be read, and cancels unseen',
    run: async () => {
      const book = new Book();
      const world = new KillWorld(book);
      await world.pass(300);
      const cancels = book.cancels;
      book.readOpenOrders = async () => NO_ANSWER;
      await world.pass(5_000);
      expect(book.cancels).toBeGreaterThan(cancels);
      expect(world.result).toBeUndefined();
    },
  },
  {
    name: 'a kill waits until nothing can arrive, and no longer than it is given',
    run: async () => {
      const book = new Book();
      const world = new KillWorld(book, { inFlightUntilMs: () => 1_030_000, withinMs: 20_000 });
      await world.pass(15_000);
      expect(world.result).toBeUndefined();
      await world.pass(6_000);
      expect(world.result).toMatchObject({ kind: 'unconfirmed', left: [] });
    },
  },
  {
    name: 'a kill does not wait for a call that never ends',
    run: async () => {
      const book = new Book();
      const world = new KillWorld(book);
      book.readOpenOrders = async () => await new Promise(() => {});
      await world.pass(12_000);
      expect(world.result).toMatchObject({ kind: 'unconfirmed' });
    },
  },
  {
    name: 'a kill of own orders leaves those of others, and finds one that nobody has answered',
    run: async () => {
      for (const isAnswered of [true, false]) {
        const book = new Book();
        book.open.add('0x01');
        const others: OrderReport = { ...report('0x99'), side: 'SELL' };
        const list = book.readOpenOrders.bind(book);
        book.readOpenOrders = async () => {
          const ours = await list();
          return ours.kind === 'ok' ? { kind: 'ok', value: [...ours.value, others] } : ours;
        };
        const world = new KillWorld(book, { own: ownBook(isAnswered) });
        await world.pass(3_000);
        expect(book.open.size).toBe(0);
        expect(book.cancels).toBe(0);
        expect(world.result).toMatchObject({ kind: 'confirmed', leftAlone: 1 });
      }
    },
  },
  {
    name: 'a kill of own orders confirms nothing about external orders while not all is known',
    run: async () => {
      const book = new Book();
      book.open.add('0x99');
      const world = new KillWorld(book, { own: new OwnBook() });
      await world.pass(12_000);
      expect(world.result).toMatchObject({ kind: 'unconfirmed', leftAlone: 1 });
    },
  },
];

const deaths: readonly GuardScene[] = [
  {
    name: 'a death is watched until nothing can arrive, and what arrives is cancelled',
    run: async () => {
      const world = await died({ onDeath: 'stay' });
      await world.pass(30_000);
      world.book.open.add('0x0f');
      await world.pass(1_000);
      expect(world.book.open.size).toBe(0);
      expect(await endOf(world)).toMatchObject({ kind: 'goes on' });
      await world.pass(16_000);
      expect(await endOf(world)).toMatchObject({ isConfirmed: true });
      expect(world.latched).toHaveLength(1);
    },
  },
  {
    name: 'a death is followed by the next run when nothing is open, and then nobody cancels',
    run: async () => {
      const world = await died();
      world.book.isDown = true;
      await world.pass(10_000);
      expect(world.traders).toHaveLength(1);
      world.book.isDown = false;
      await world.pass(5_000);
      expect(world.traders).toHaveLength(2);
      await world.trade();
      await world.pass(1_000);
      expect(world.book.open.size).toBe(3);
    },
  },
  {
    name: 'a death waits for what settles, since it may rest again',
    run: async () => {
      const book = new Book();
      const matched = { ...report('0x99'), executed: report('0x99').quantity };
      book.readOpenOrders = async () => ({ kind: 'ok', value: [matched] });
      const world = await died({ onDeath: 'stay' }, book);
      await world.pass(60_000);
      expect(await endOf(world)).toMatchObject({ kind: 'goes on' });
    },
  },
  {
    name: 'an exit with 0 that nobody announced is a death',
    run: async () => {
      const world = new GuardWorld();
      await world.trade();
      world.trader.end({ code: 0, signal: null });
      await world.pass(1_000);
      expect(world.book.open.size).toBe(0);
      expect(world.traders).toHaveLength(2);
    },
  },
  {
    name: 'a trader that is blocked or stopped is killed, and its orders are cancelled',
    run: async () => {
      for (const doing of ['wants', 'stopped'] as const) {
        const world = new GuardWorld();
        await world.trade();
        world.trader.schedule = () => ({ ...REST, doing, ranMs: world.clock.nowMs() });
        world.trader.isBeating = false;
        await world.pass(900);
        expect(world.traders[0]?.signals).toEqual(['SIGKILL']);
        expect(world.book.open.size).toBe(0);
      }
    },
  },
  {
    name: 'a trader that is starved runs without quotes, ends at the bound, and latches nothing',
    run: async () => {
      const world = new GuardWorld({ restartsMax: 0 });
      await world.trade();
      world.trader.schedule = () => REST;
      world.trader.isBeating = false;
      await world.pass(1_000);
      expect(world.book.open.size).toBe(0);
      await world.pass(8_000);
      expect(world.traders[0]?.signals).toEqual([]);
      await world.pass(3_000);
      expect(world.traders).toHaveLength(2);
      expect(world.latched).toEqual([]);
    },
  },
  {
    name: 'a trader that dies in a strategy is followed by one that leaves it out, unlatched',
    run: async () => {
      const world = new GuardWorld({ restartsMax: 0 });
      await world.trade();
      world.trader.call = () => ({ strategy: 'join', place: 'm1' });
      world.trader.end(KILLED);
      await world.pass(1_000);
      expect(world.latched).toEqual([]);
      expect(world.trader.facts.suspended).toMatchObject([{ strategy: 'join', place: 'm1' }]);
    },
  },
  {
    name: 'a stop ends by its deadline',
    run: async () => {
      const world = new GuardWorld({ stopDeadlineMs: 20_000 });
      await world.trade();
      world.book.isDown = true;
      world.supervisor.stop('SIGTERM');
      world.trader.leave(4);
      await world.pass(20_100);
      expect(await endOf(world)).toMatchObject({ kind: 'down', isConfirmed: false });
    },
  },
  {
    name: 'a shorter horizon does not hold for what was sent under a longer one',
    run: async () => {
      const clock = new VirtualClock({ startMs: 1_000_000 });
      const horizon = new Horizon(clock, 90_000);
      horizon.onTold({ horizonMs: 45_000 });
      expect(horizon.ms).toBe(90_000);
    },
  },
];

/** In a folder of its own, cleared away behind it. */
async function inFolder(run: (journal: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bookend-planted-'));
  try {
    await run(join(folder, 'test.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const errands: readonly GuardScene[] = [
  {
    name: '`bookend kill` takes no proof of an earlier kill, and waits for a daemon that runs',
    run: async () =>
      await inFolder(async (journal) => {
        const clock = systemClock();
        const lock = await lockJournal({ journal, clock, onLost: () => {} });
        const [before, now] = ['2026-11-22T00:00:00.000Z', '2026-11-22T01:00:00.000Z'];
        await setLatch(journal, { by: 'test', reason: 'kill', at: before });
        await confirmLatch(journal, before);
        const inFlightTracker = await InFlightTracker.of({
          ...{ journal, clock, horizonMs: 45_000, timers: clock.background, latchedAt: now },
        });
        // Its look at the latch is behind it.
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(await inFlightTracker.unconfirmed()).toMatchObject({ pid: process.pid });
        inFlightTracker.close();
        await lock.release();
      }),
  },
  {
    name: '`bookend kill` is no proof once its latch was lifted',
    run: async () =>
      await inFolder(async (journal) => {
        const unread = new Writable({ write: (_chunk, _encoding, done) => done() });
        const io = { env: {}, stdout: unread, stderr: unread };
        const at = '2026-11-22T00:00:00.000Z';
        const latch = new ErrandLatch({ io, journal, at, timers: systemClock(), resume: '' });
        await latch.set();
        await clearLatch(journal);
        const confirmed = { kind: 'confirmed', cancelled: 0, tookMs: 0 } as const;
        expect(await latch.settle(confirmed)).toMatchObject({ kind: 'unconfirmed' });
      }),
  },
];

export const SCENES: readonly GuardScene[] = [...kills, ...deaths, ...errands];
