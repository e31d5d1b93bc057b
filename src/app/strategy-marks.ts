// Says which strategy is asked for what, where the guard can read it when this process is dead.
//
// A call costs two words in memory that a sampler thread shares; a write to a file would cost each decision more than
// the strategy itself. What is asked for the first time in a run is written at once all the same, and so is what
// ends the process by itself: only a death within an instant amid a call that has worked before leaves no mark.

import { writeSync } from 'node:fs';
import { extname } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { MARKS, MARKS_ENV, MARKS_FD, recordAt, type StrategyCall } from '../guard/marks.ts';
import { CELLS, type SamplerData } from './mark-sampler.ts';

/** Where a strategy is asked for one market or event. */
export type Place = { readonly index: number; isNew: boolean };

export interface Marks {
  /** Once for each market or event of a strategy. */
  place(call: StrategyCall): Place;
  enter(place: Place): void;
  leave(): void;
}

/** Where nobody reads them. */
export const NO_MARKS: Marks = {
  place: () => ({ index: 0, isNew: false }),
  enter: () => {},
  leave: () => {},
};

/** The marks of this process, where its guard has given it a file; `undefined` where it has not. */
export function openMarks(env: Readonly<Record<string, string | undefined>>): Marks | undefined {
  if (env[MARKS_ENV] !== String(MARKS_FD)) return undefined;
  const marks = new FileMarks(MARKS_FD);
  startSampler(marks.sampled);
  process.on('exit', () => marks.onExit());
  return marks;
}

export class FileMarks implements Marks {
  readonly #fd: number;
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS.count * 4));
  readonly #word = Buffer.alloc(4);
  #places = 0;
  #isExact = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  get sampled(): SamplerData {
    return { cells: this.#cells.buffer, fd: this.#fd };
  }

  place(call: StrategyCall): Place {
    const record = Buffer.from(JSON.stringify(call));
    const hasRoom = this.#places < MARKS.recordsMax && record.length < MARKS.recordBytes;
    if (!hasRoom || !this.#write(record, recordAt(this.#places + 1))) return NO_MARKS.place(call);
    this.#places += 1;
    return { index: this.#places, isNew: true };
  }

  enter(place: Place): void {
    this.#cells[CELLS.index] = place.index;
    this.#cells[CELLS.calls] = ((this.#cells[CELLS.calls] ?? 0) + 1) | 0;
    if (!place.isNew) return;
    place.isNew = false;
    this.#exactly(place.index);
  }

  leave(): void {
    this.#cells[CELLS.index] = 0;
    if (this.#isExact) this.#exactly(0);
  }

  /** Somebody ends the process: within a call it is the strategy. */
  onExit(): void {
    const index = this.#cells[CELLS.index] ?? 0;
    if (index !== 0) this.#exactly(index);
  }

  #exactly(index: number): void {
    this.#isExact = index !== 0;
    this.#word.writeInt32LE(index);
    this.#write(this.#word, MARKS.exactAt);
  }

  /** Marks are for the guard: who trades does not fail for them. */
  #write(bytes: Buffer, at: number): boolean {
    try {
      writeSync(this.#fd, bytes, 0, bytes.length, at);
      return true;
    } catch {
      return false;
    }
  }
}

/** It needs little more than its own stack. */
const SAMPLER_LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

function startSampler(workerData: SamplerData): void {
  const file = new URL(`../app/mark-sampler${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData, resourceLimits: SAMPLER_LIMITS, execArgv: [] });
  // It marks nothing then, and the trader trades.
  worker.on('error', () => {});
  worker.unref();
}
