// Where a trader was when it died: a small file without a name, in memory where the machine has such a folder, that
// guard and trader both hold open. What stands in it outlives a SIGKILL, and no reader waits for its writer.

import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fieldOf } from './own-orders-update.ts';

/** A strategy that was asked for a market, or for an event as a whole. */
export type StrategyCall = {
  /** As the configuration names it. */
  readonly strategy: string;
  /** The id of the market or event. */
  readonly place: string;
};

/**
 * Two words of 32 bits say which call is under way, 0 for none: the first one as the trader itself writes it, the
 * second one as its sampler does. Behind them each call that was ever made has a record, the first at 1.
 */
export const MARKS = {
  exactAt: 0,
  sampledAt: 4,
  recordsAt: 8,
  recordBytes: 256,
  recordsMax: 4_000,
} as const;

/** The descriptor of the file in a trader, behind its input, outputs and channel. */
export const MARKS_FD = 4;
/** Set for a trader that has one. */
export const MARKS_ENV = 'BOOKEND_MARKS_FD';

/** Folders that are tried for it; the first is memory. */
const FOLDERS = ['/dev/shm', tmpdir()];

export class MarksFile {
  readonly fd: number;
  #isClosed = false;

  private constructor(fd: number) {
    this.fd = fd;
  }

  /** `undefined` where there is no room for it: a death is nobody's fault then. */
  static open(folders: readonly string[] = FOLDERS): MarksFile | undefined {
    for (const folder of folders) {
      try {
        return new MarksFile(openNameless(folder));
      } catch {
        // The next one may be there, or writable.
      }
    }
    return undefined;
  }

  /** The call that is under way, or was when its writer died. Never throws. */
  call(): StrategyCall | undefined {
    try {
      const words = this.#read(MARKS.recordsAt, 0);
      const index = words.readInt32LE(MARKS.exactAt) || words.readInt32LE(MARKS.sampledAt);
      return index > 0 ? this.#record(index) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Once: a number that was closed already may be a socket of somebody else by now. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.fd);
  }

  #record(index: number): StrategyCall | undefined {
    const at = recordAt(index);
    const bytes = this.#read(MARKS.recordBytes, at);
    const end = bytes.indexOf(0);
    const record: unknown = JSON.parse(bytes.toString('utf8', 0, end === -1 ? undefined : end));
    const [strategy, place] = [fieldOf(record, 'strategy'), fieldOf(record, 'place')];
    const isCall = typeof strategy === 'string' && typeof place === 'string';
    return isCall ? { strategy, place } : undefined;
  }

  #read(length: number, at: number): Buffer {
    const bytes = Buffer.alloc(length);
    readSync(this.fd, bytes, 0, length, at);
    return bytes;
  }
}

/** Where the record of a call begins. */
export function recordAt(index: number): number {
  return MARKS.recordsAt + (index - 1) * MARKS.recordBytes;
}

/** Nobody else finds it, and nothing of it is left behind. */
function openNameless(folder: string): number {
  const own = mkdtempSync(join(folder, 'bookend-'));
  const file = join(own, 'marks');
  try {
    return openSync(file, 'w+', 0o600);
  } finally {
    unlinkSync(file);
    rmdirSync(own);
  }
}
