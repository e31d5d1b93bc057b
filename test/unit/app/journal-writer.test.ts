import { describe, expect, it } from 'vitest';
import {
  type EarlyStore,
  JournalWriter,
  type RecordStore,
} from '../../../src/app/journal-writer.ts';
import { createLoop } from '../../../src/app/loop.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import { intentId, requestId, tokenId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';

const cash = (cashNano: number): LedgerRecord => ({
  kind: 'cash',
  cashNano,
  atMs: unixMs(cashNano),
});

/** A disk that can be full. */
class Disk implements RecordStore {
  isFull = false;
  readonly commits: (readonly LedgerRecord[])[] = [];

  commit(records: readonly LedgerRecord[]): void {
    if (this.isFull) throw new Error('disk full');
    this.commits.push(records);
  }
}

function writerOf(disk: Disk) {
  const clock = new VirtualClock();
  const faults: (string | undefined)[] = [];
  const measured: number[] = [];
  const writer = new JournalWriter({
    store: disk,
    clock,
    onFault: (fault) => faults.push(fault),
    onCommit: (_, records) => measured.push(records),
  });
  return { writer, clock, faults, measured };
}

describe('what keeps records', () => {
  it('writes the last word about each thing, once', () => {
    const disk = new Disk();
    const { writer } = writerOf(disk);
    writer.keep(cash(1));
    writer.keep(cash(2));
    expect(writer.commit()).toBe(true);
    expect(writer.commit()).toBe(true);
    expect(disk.commits).toEqual([[cash(2)]]);
  });

  it('measures its writes behind what waits for them, each once', () => {
    const disk = new Disk();
    const { writer, measured } = writerOf(disk);
    writer.keep(cash(1));
    expect(writer.commit()).toBe(true);
    expect(disk.commits).toHaveLength(1);
    expect(measured).toEqual([]);
    writer.onTurn();
    writer.onTurn();
    expect(measured).toEqual([1]);
  });

  it('tries a disk that comes and goes later each time, and one that was sound for long every second', () => {
    const disk = new Disk();
    const { writer, clock, faults } = writerOf(disk);
    /** How long it is without a ledger when the disk fails for one write. */
    const failedMs = (): number => {
      disk.isFull = true;
      writer.keep(cash(clock.nowMs()));
      writer.commit();
      disk.isFull = false;
      const sinceMs = clock.nowMs();
      while (writer.fault !== undefined) {
        clock.advance(100);
        writer.onTurn();
      }
      return clock.nowMs() - sinceMs;
    };
    const pauses = [0, 0, 0, 0, 0, 0, 60_000].map((soundMs) => {
      clock.advance(soundMs);
      return failedMs();
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 1_000]);
    expect(faults).toHaveLength(14);
  });

  it('says that nothing can be kept, tries every second, and says that it can again', () => {
    const disk = new Disk();
    const { writer, clock, faults } = writerOf(disk);
    disk.isFull = true;
    writer.keep(cash(1));
    expect(writer.commit()).toBe(false);
    disk.isFull = false;
    writer.onTurn();
    expect(writer.commit()).toBe(false);
    clock.advance(1_000);
    writer.onTurn();
    expect(faults).toEqual(['disk full', undefined]);
    expect(disk.commits).toEqual([[cash(1)]]);
  });
});

/** A disk that is followed: it takes what is written when it is told to go on. */
class EarlyDisk extends Disk implements EarlyStore {
  readonly written: LedgerRecord[] = [];
  readonly synced: LedgerRecord[] = [];
  #done: ((fault: Error | undefined) => void) | undefined;
  #upTo = 0;

  override commit(records: readonly LedgerRecord[]): void {
    super.commit(records);
    this.written.push(...records);
    this.synced.splice(0, this.synced.length, ...this.written);
  }

  write(records: readonly LedgerRecord[]): void {
    if (this.isFull) throw new Error('disk full');
    this.written.push(...records);
  }

  sync(done: (fault: Error | undefined) => void): void {
    if (this.#done !== undefined) throw new Error('one at a time');
    this.#done = done;
    this.#upTo = this.written.length;
  }

  get isSyncing(): boolean {
    return this.#done !== undefined;
  }

  goOn(fault?: Error): void {
    const done = this.#done;
    this.#done = undefined;
    if (fault === undefined)
      this.synced.splice(0, this.synced.length, ...this.written.slice(0, this.#upTo));
    done?.(fault);
  }
}

const HALT: LedgerRecord = {
  kind: 'halt',
  halt: { limit: 'a', detail: 'b', sinceMs: unixMs(1) },
};

function followed() {
  const disk = new EarlyDisk();
  const clock = new VirtualClock();
  const faults: (string | undefined)[] = [];
  const onFault = (fault: string | undefined) => faults.push(fault);
  const writer = new JournalWriter({ store: disk, early: disk, clock, onFault });
  writer.setScope('account');
  return { disk, clock, faults, writer };
}

describe('what keeps records in the scope of the account', () => {
  it('has them in the file before an order leaves, and on the disk behind the turn', () => {
    const { disk, writer } = followed();
    writer.keep(cash(1));
    expect(writer.commit()).toBe(true);
    expect([disk.written, disk.synced, disk.isSyncing]).toEqual([[cash(1)], [], false]);
    writer.onTurn();
    expect(disk.isSyncing).toBe(true);
    disk.goOn();
    expect([disk.synced, disk.commits]).toEqual([[cash(1)], []]);
  });

  it('brings what was written meanwhile to the disk next, in its order', () => {
    const { disk, writer } = followed();
    for (const amount of [1, 2, 3]) {
      writer.keep(cash(amount));
      writer.onTurn();
    }
    disk.goOn();
    expect([disk.synced, disk.isSyncing]).toEqual([[cash(1)], true]);
    disk.goOn();
    expect([disk.synced, disk.isSyncing]).toEqual([[cash(1), cash(2), cash(3)], false]);
  });

  it('waits for the disk with a stop, and with all that was written before it', () => {
    const { disk, writer } = followed();
    writer.keep(cash(1));
    writer.onTurn();
    writer.keep(HALT);
    expect(writer.commit()).toBe(true);
    expect(disk.synced).toEqual([cash(1), HALT]);
  });

  it('lets nothing leave while the disk is two seconds behind, and goes on when it has followed', () => {
    const { disk, clock, faults, writer } = followed();
    writer.keep(cash(1));
    writer.onTurn();
    clock.advance(2_000);
    expect(writer.commit()).toBe(true);
    clock.advance(1);
    writer.keep(cash(2));
    expect(writer.commit()).toBe(false);
    writer.onTurn();
    expect(faults).toEqual(['the disk is 2001 ms and 1 records behind']);
    disk.goOn();
    expect(faults).toEqual(['the disk is 2001 ms and 1 records behind', undefined]);
    writer.onTurn();
    expect(disk.written).toEqual([cash(1), cash(2)]);
  });

  it('brings to the disk what was written in front of a halt of the process, and goes on', () => {
    const { disk, clock, faults, writer } = followed();
    writer.keep(cash(1));
    expect(writer.commit()).toBe(true);
    // Stopped or swapped out before the turn is over: nobody has told the disk to follow.
    clock.advance(5_000);
    writer.onTurn();
    disk.goOn();
    writer.onTurn();
    writer.keep(cash(2));
    expect([faults.at(-1), writer.commit(), disk.synced]).toEqual([undefined, true, [cash(1)]]);
  });

  it('waits for the disk where more than 2,000 records would be behind, as at a start with many orders', () => {
    const { disk, faults, writer } = followed();
    const memory = (count: number): LedgerRecord => ({
      kind: 'memory',
      key: `k-${count}`,
      memory: count,
    });
    for (let count = 0; count < 1_500; count += 1) writer.keep(memory(count));
    expect(writer.commit()).toBe(true);
    expect(disk.synced).toEqual([]);
    for (let count = 1_500; count < 2_001; count += 1) writer.keep(memory(count));
    expect(writer.commit()).toBe(true);
    expect(disk.synced).toHaveLength(2_001);
    expect(faults).toEqual([]);
  });

  it('says so when a sync fails, lets nothing leave, and writes it all again', () => {
    const { disk, clock, faults, writer } = followed();
    writer.keep(cash(1));
    writer.keep({ kind: 'memory', key: 'k', memory: 1 });
    writer.onTurn();
    writer.keep(cash(2));
    writer.onTurn();
    disk.goOn(new Error('I/O error'));
    expect([faults, writer.commit()]).toEqual([['I/O error'], false]);
    clock.advance(1_000);
    writer.onTurn();
    expect(disk.commits).toEqual([[cash(2), { kind: 'memory', key: 'k', memory: 1 }]]);
    expect([faults, writer.commit()]).toEqual([['I/O error', undefined], true]);
  });

  it('brings the rest to the disk when only own orders are cleared from now on', () => {
    const { disk, writer } = followed();
    writer.keep(cash(1));
    expect(writer.commit()).toBe(true);
    writer.setScope('own');
    expect(writer.commit()).toBe(true);
    expect(disk.synced).toEqual([cash(1)]);
    writer.keep(cash(2));
    expect(writer.commit()).toBe(true);
    expect(disk.synced).toEqual([cash(1), cash(2)]);
  });
});

const placing: VenueCommand = {
  kind: 'placeOrders',
  requestId: requestId(1),
  orders: [
    {
      intentId: intentId('a'),
      tokenId: tokenId('0x01'),
      side: 'BUY',
      price: ticks(tickGrid('0.01'), 48),
      quantity: shares(50),
      lifetime: { timeInForce: 'GTC' },
    },
  ],
};
const cancelling: VenueCommand = {
  kind: 'cancelAll',
  requestId: requestId(2),
  scope: { kind: 'account' },
};

describe('the loop with a journal writer', () => {
  function loopOf(disk: Disk, commands: readonly Command[]) {
    const { writer, clock } = writerOf(disk);
    const happened: string[] = [];
    const told: Input[] = [];
    const loop = createLoop({
      engine: {
        step(input) {
          told.push(input);
          return input.kind === 'operator' ? commands : [];
        },
      },
      writer: {
        keep: (record) => writer.keep(record),
        onTurn: () => writer.onTurn(),
        commit: () => {
          const isDurable = writer.commit();
          happened.push(isDurable ? 'durable' : 'not durable');
          return isDurable;
        },
        get fault() {
          return writer.fault;
        },
      },
      send: (command) => happened.push(command.kind),
      clock,
      timers: clock,
      tickMs: 50,
      onReport() {},
      onInput() {},
      onBreaker(error) {
        throw error;
      },
      soon: (task) => clock.after(0, task),
    });
    loop.post({ kind: 'operator', order: { kind: 'pause', by: 'test' } });
    clock.advance(10);
    loop.stop();
    return { happened, told };
  }

  it('sends an order only after its intent is durable', () => {
    const disk = new Disk();
    const { happened } = loopOf(disk, [
      { kind: 'venue', command: cancelling },
      { kind: 'venue', command: placing },
      { kind: 'record', record: cash(1) },
    ]);
    expect(happened).toEqual(['cancelAll', 'durable', 'placeOrders']);
    expect(disk.commits).toEqual([[cash(1)]]);
  });

  it('sends no order when nothing can be kept, says so to the core, and cancels all the same', () => {
    const disk = new Disk();
    disk.isFull = true;
    const { happened, told } = loopOf(disk, [
      { kind: 'record', record: cash(1) },
      { kind: 'venue', command: placing },
      { kind: 'venue', command: cancelling },
    ]);
    expect(happened).toEqual(['not durable', 'cancelAll']);
    const placed = told.find((input) => input.kind === 'venue');
    expect(placed).toMatchObject({
      message: {
        kind: 'placed',
        requestId: 1,
        outcomes: [{ intentId: 'a', outcome: { kind: 'notSent' } }],
      },
    });
  });
});
