// The mark of a ledger: a small file beside it with the latest link of its chain, and so the word that there was a
// ledger at all. It is written after each commit, and never before: a ledger whose chain is shorter has lost something.
//
// A write costs microseconds, since it goes to the memory of the system alone: that outlives the death of a process.
// The disk has it within a minute, and at each end. So after a power cut the mark may be older than the ledger,
// whose commits are on the disk, and never newer.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { cannotWrite, errorCode, giveToOwnerNow, OWNER_ONLY, syncFolderNow } from '../files.ts';
import { CHAIN, type Chain } from './chain.ts';

export type Marked = Chain & {
  /** The ledger is of a venue that begins anew with each run on paper. */
  readonly isPlay: boolean;
};

/** One sector of any disk: it is written whole or not at all, and the other slot is as it was. */
const SLOT_BYTES = 512;
const SLOTS = 2;

const SLOT = z.object({ mark: CHAIN.extend({ isPlay: z.boolean() }), crc: z.number() });

export function markFile(journal: string): string {
  return `${journal}.mark`;
}

/**
 * The mark of a journal as it stands there.
 *
 * @returns `absent` where there is no such file, `unreadable` where there is one and none of its slots is whole.
 */
export function readMark(journal: string): Marked | 'absent' | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(markFile(journal), 'latin1');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'absent' : 'unreadable';
  }
  const slots = [0, 1].map((slot) => text.slice(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES));
  const marks = slots.map(markOf).filter((mark) => mark !== undefined);
  const [latest] = marks.toSorted((one, other) => other.count - one.count);
  return latest ?? 'unreadable';
}

/** The mark of a ledger that is open. */
export class Mark {
  readonly #file: string;
  readonly #handle: number;
  readonly #isPlay: boolean;
  #isClosed = false;

  private constructor(file: string, handle: number, isPlay: boolean) {
    this.#file = file;
    this.#handle = handle;
    this.#isPlay = isPlay;
  }

  /** Replaces the mark, whatever it said. @throws {BotError} `journal.write` */
  static begin(journal: string, { isPlay, ...chain }: Marked): Mark {
    const file = markFile(journal);
    const draft = `${file}.draft`;
    let handle: number | undefined;
    try {
      handle = openSync(draft, 'w+', OWNER_ONLY);
      const mark = new Mark(file, handle, isPlay);
      for (let slot = 0; slot < SLOTS; slot += 1) mark.#put(slot, chain);
      fsyncSync(handle);
      giveToOwnerNow(draft);
      renameSync(draft, file);
      syncFolderNow(file);
      return mark;
    } catch (error) {
      if (handle !== undefined) closeSync(handle);
      throw cannotWrite(file, error);
    }
  }

  /** Says how far the chain is: in one slot after the other. @throws {BotError} `journal.write` */
  write(chain: Chain): void {
    try {
      this.#put(chain.count % SLOTS, chain);
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  /** @throws {BotError} `journal.write` */
  sync(): void {
    try {
      fsyncSync(this.#handle);
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }

  /** Once: a number that was closed already may be a socket of somebody else by now. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      fsyncSync(this.#handle);
    } catch {
      // The ledger may be ahead of it then, which loses nothing.
    }
    closeSync(this.#handle);
  }

  #put(slot: number, { id, run, count, head }: Chain): void {
    const mark = JSON.stringify({ id, run, count, head, isPlay: this.#isPlay });
    const line = `{"crc":${crc32(mark)},"mark":${mark}}`;
    writeSync(this.#handle, line.padEnd(SLOT_BYTES - 1).concat('\n'), slot * SLOT_BYTES, 'latin1');
  }
}

function markOf(text: string): Marked | undefined {
  try {
    const { mark, crc } = SLOT.parse(JSON.parse(text));
    const { id, run, count, head, isPlay } = mark;
    return crc === crc32(JSON.stringify({ id, run, count, head, isPlay })) ? mark : undefined;
  } catch {
    return undefined;
  }
}
