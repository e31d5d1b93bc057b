// A pause, a halt and controls that tripped while no disk takes them: whoever outlives the process keeps them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JournalWriter } from '../../../src/app/journal-writer.ts';
import { UnwrittenStops, withStops } from '../../../src/app/unwritten-stops.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { marketId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { CONTROLS, RISK_ACTIONS } from '../../../src/domain/risk.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { noDeaths, type Stops } from '../../../src/guard/protocol.ts';
import { type StopRecord, stopFactsOf, stopRecordsOf } from '../../../src/journal/ledger/stops.ts';
import { createLog } from '../../../src/telemetry/logs.ts';
import { NOTHING_STORED } from '../../support/engine-driver.ts';

const PAUSED: LedgerRecord = { kind: 'pause', pause: { by: 'control', sinceMs: unixMs(1) } };
const RESUMED: LedgerRecord = { kind: 'pause', pause: undefined };
const CASH: LedgerRecord = { kind: 'cash', cashNano: 1, atMs: unixMs(1) };

/** A run with a disk that can be full, beside a guard that was told so much by the run before. */
function runWith(stops?: Stops, onDisk?: number) {
  const disk = { isFull: false, kept: [] as LedgerRecord[], number: onDisk };
  const told: Stops[] = [];
  const lines: string[] = [];
  const clock = new VirtualClock();
  const log = createLog({ level: 'debug', format: 'json', sink: { write: (l) => lines.push(l) } });
  const facts = { persisted: 2, deaths: noDeaths(), last: undefined, stops };
  const unwritten = new UnwrittenStops({
    log,
    guard: { facts, stops: (update) => void told.push(update) },
    onDisk,
  });
  const store = {
    commit: (records: readonly LedgerRecord[], number?: number) => {
      if (disk.isFull) throw new Error('disk full');
      disk.kept.push(...records);
      disk.number = number ?? disk.number;
    },
  };
  const onStops = (waiting: readonly StopRecord[], number: number) =>
    unwritten.onWaiting(waiting, number);
  const { number: stopsNumber } = unwritten;
  const writer = new JournalWriter({ store, clock, onFault() {}, onStops, stopsNumber });
  for (const record of unwritten.remembered) writer.keep(record);
  return { disk, told, lines, clock, unwritten, writer };
}

describe('a pause', () => {
  it('that the disk takes is nobody else to keep', () => {
    const { writer, told, unwritten } = runWith();
    writer.keep(PAUSED);
    writer.commit();
    expect(told).toEqual([]);
    expect(unwritten.standing).toEqual([]);
  });

  it.each([
    ['with which writing begins to fail', false, '1'],
    ['while nothing can be written', true, '0'],
  ])(
    '%s is told to the guard at once, and that it is kept as soon as it is',
    (_, isBefore, number) => {
      const { disk, clock, writer, told, unwritten } = runWith();
      disk.isFull = true;
      if (isBefore) {
        writer.keep(CASH);
        writer.commit();
      }
      expect(told).toEqual([]);
      writer.keep(PAUSED);
      writer.commit();
      expect(told).toEqual([{ pause: '{"by":"control","sinceMs":1}', stops_number: number }]);
      expect(unwritten.standing).toEqual(['pause']);
      disk.isFull = false;
      clock.advance(1_000);
      writer.onTurn();
      expect(told.slice(1)).toEqual([{}]);
      expect(unwritten.standing).toEqual([]);
      expect(disk.kept).toContainEqual(PAUSED);
    },
  );

  it('that ends while nothing can be written is told as ended, and stands no more', () => {
    const { disk, writer, told, unwritten } = runWith();
    disk.isFull = true;
    writer.keep(PAUSED);
    writer.commit();
    writer.keep(RESUMED);
    expect(told.at(-1)).toEqual({ pause: null, stops_number: '1' });
    expect(unwritten.standing).toEqual([]);
  });

  it('of the run before stands in this one, and the guard is told when its disk has it', () => {
    const { disk, writer, told, unwritten } = runWith({ pause: '{"by":"control","sinceMs":1}' });
    expect(withStops(NOTHING_STORED, unwritten.remembered).pause).toEqual({
      by: 'control',
      sinceMs: 1,
    });
    expect(unwritten.standing).toEqual(['pause']);
    writer.commit();
    expect(disk.kept).toEqual([PAUSED]);
    expect(told).toEqual([{}]);
  });

  it('that came after a lift stands, though the guard was never told that the disk had the lift', () => {
    const one = runWith();
    one.disk.isFull = true;
    one.writer.keep(RESUMED);
    one.writer.commit();
    const unread = one.told.at(-1);
    one.disk.isFull = false;
    one.clock.advance(1_000);
    one.writer.onTurn();
    one.writer.keep(PAUSED);
    one.writer.commit();
    const next = runWith(unread, one.disk.number);
    expect(next.unwritten.remembered).toEqual([]);
    expect(next.told).toEqual([{}]);
  });

  it('that no disk has taken stands, though a write before it was taken that passed for failed', () => {
    const one = runWith();
    one.disk.isFull = true;
    one.writer.keep(RESUMED);
    one.writer.commit();
    one.writer.keep(PAUSED);
    const next = runWith(one.told.at(-1), 1);
    expect(next.unwritten.standing).toEqual(['pause']);
    next.disk.isFull = true;
    next.writer.commit();
    next.writer.keep(RESUMED);
    expect(next.told).toEqual([{ pause: null, stops_number: '2' }]);
  });

  it('that nobody can read keeps no life from its work, and is said', () => {
    const { lines, unwritten } = runWith({ pause: '{' });
    expect(unwritten.remembered).toEqual([]);
    expect(lines.join()).toContain('stops.unreadable');
  });
});

it('stops come back as they were, whatever they are', () => {
  const time = fc.nat().map(unixMs);
  const resumes = fc.oneof(
    fc.record({ kind: fc.constant('operator' as const) }),
    fc.record({ kind: fc.constant('time' as const), atMs: time }),
    fc.record({ kind: fc.constant('condition' as const), text: fc.string() }),
  );
  const latch = fc.record({
    control: fc.constantFrom(...CONTROLS),
    marketId: fc.option(fc.string({ minLength: 1 }).map(marketId), { nil: undefined }),
    level: fc.constantFrom(...RISK_ACTIONS),
    detail: fc.string(),
    sinceMs: time,
    resumes,
  });
  const pause = fc.option(fc.record({ by: fc.string(), sinceMs: time }), { nil: undefined });
  fc.assert(
    fc.property(pause, fc.array(latch), (paused, latches) => {
      const records: readonly StopRecord[] = [
        { kind: 'pause', pause: paused },
        { kind: 'latches', latches },
      ];
      const carried = JSON.parse(JSON.stringify(stopFactsOf(records)));
      expect(stopRecordsOf(carried)).toEqual(records);
    }),
  );
});
