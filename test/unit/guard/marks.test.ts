// Where a trader was when it died: what it marks is read from outside, whoever is dead by then.

import {
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FileMarks } from '../../../src/app/strategy-marks.ts';
import { MARKS, MarksFile, recordAt } from '../../../src/guard/marks.ts';

const opened: MarksFile[] = [];

function file(): MarksFile {
  const marks = MarksFile.open();
  if (marks === undefined) throw new Error('no folder takes a file');
  opened.push(marks);
  return marks;
}

afterEach(() => {
  for (const marks of opened.splice(0)) marks.close();
});

describe('a file of marks', () => {
  it('leaves no name behind, in no folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'marks-'));
    const marks = MarksFile.open([folder]);
    expect(readdirSync(folder)).toEqual([]);
    expect(marks?.call()).toBeUndefined();
    marks?.close();
    rmSync(folder, { recursive: true });
  });

  it('is closed once: its number may be that of somebody else by then', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bookend-marks-'));
    const file = MarksFile.open([folder]);
    if (file === undefined) throw new Error('no folder takes a file');
    file.close();
    expect(() => fstatSync(file.fd)).toThrow('EBADF');
    const next = openSync(folder, 'r');
    expect(next).toBe(file.fd);
    file.close();
    expect(fstatSync(next).isDirectory()).toBe(true);
    closeSync(next);
    rmSync(folder, { recursive: true });
  });

  it('is not there where no folder takes it: nobody is blamed then', () => {
    expect(MarksFile.open(['/no/such/folder', '/proc'])).toBeUndefined();
  });

  it('says which call is under way, from its begin to its end, the first time it is made', () => {
    const read = file();
    const marks = new FileMarks(read.fd);
    const call = { strategy: './own/é.js', place: 'mkt_1' };
    const place = marks.place(call);
    expect(read.call()).toBeUndefined();
    marks.enter(place);
    expect(read.call()).toEqual(call);
    marks.leave();
    expect(read.call()).toBeUndefined();
  });

  it('says which one is under way where the process is ended amid a later call', () => {
    const read = file();
    const marks = new FileMarks(read.fd);
    const [one, two] = ['m1', 'm2'].map((place) => marks.place({ strategy: 'join', place }));
    for (const place of [one, two, one]) {
      if (place === undefined) throw new Error('two places');
      marks.enter(place);
      if (place === one) marks.onExit();
      expect(read.call()?.place).toBe(place === one ? 'm1' : 'm2');
      marks.leave();
      expect(read.call()).toBeUndefined();
    }
    marks.onExit();
    expect(read.call()).toBeUndefined();
  });

  it('takes no more calls than it has room for, and none whose name is too long', () => {
    const marks = new FileMarks(file().fd);
    expect(marks.place({ strategy: 'x'.repeat(300), place: 'm1' }).index).toBe(0);
    for (let count = 0; count < MARKS.recordsMax; count += 1) {
      marks.place({ strategy: 'join', place: `m${count}` });
    }
    expect(marks.place({ strategy: 'join', place: 'one more' }).index).toBe(0);
  });

  it('never fails who trades, as where its descriptor is closed', () => {
    const marks = new FileMarks(2 ** 30);
    expect(marks.place({ strategy: 'join', place: 'm1' })).toMatchObject({ index: 0 });
  });
});

describe('what stands in a file of marks', () => {
  const CALL = { strategy: 'join', place: 'm1' };

  function marked(
    words: { exact?: number; sampled?: number },
    record = JSON.stringify(CALL),
    at = 1,
  ) {
    const marks = file();
    const word = (value: number, place: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32LE(value);
      writeSync(marks.fd, bytes, 0, 4, place);
    };
    word(words.exact ?? 0, MARKS.exactAt);
    word(words.sampled ?? 0, MARKS.sampledAt);
    writeSync(marks.fd, Buffer.from(record), 0, undefined, recordAt(at));
    return marks.call();
  }

  it('is the call that the trader itself wrote, and the sampled one where it wrote none', () => {
    expect(marked({ exact: 1 })).toEqual(CALL);
    expect(marked({ sampled: 1 })).toEqual(CALL);
    expect(marked({ exact: 2, sampled: 1 }, JSON.stringify(CALL), 2)).toEqual(CALL);
    expect(marked({})).toBeUndefined();
    expect(marked({ exact: -1 })).toBeUndefined();
  });

  it('is no call where a record is cut, of another form, or full', () => {
    expect(marked({ exact: 1 }, '{"strategy":"jo')).toBeUndefined();
    expect(marked({ exact: 1 }, '{"strategy":"join"}')).toBeUndefined();
    expect(marked({ exact: 1 }, '{"strategy":1,"place":"m1"}')).toBeUndefined();
    const place = 'm'.repeat(MARKS.recordBytes - JSON.stringify({ ...CALL, place: '' }).length);
    expect(marked({ exact: 1 }, JSON.stringify({ ...CALL, place }))).toEqual({ ...CALL, place });
  });

  it('is behind two words, a record of 256 bytes for each call, four thousand at the most', () => {
    expect(MARKS.recordsAt).toBeGreaterThanOrEqual(MARKS.sampledAt + 4);
    expect(recordAt(1)).toBe(MARKS.recordsAt);
    expect(recordAt(2) - recordAt(1)).toBe(256);
    expect(MARKS).toMatchObject({ exactAt: 0, recordBytes: 256, recordsMax: 4_000 });
  });

  it('is for its owner alone, where another folder has to do', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bookend-marks-'));
    const marks = MarksFile.open(['/no/such/folder', folder]);
    if (marks === undefined) throw new Error('the second folder takes a file');
    opened.push(marks);
    expect(fstatSync(marks.fd).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('cannot be read when it is closed, and that is no fault', () => {
    const marks = MarksFile.open();
    marks?.close();
    expect(marks?.call()).toBeUndefined();
  });
});
