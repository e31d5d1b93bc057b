// The lines of a file that may be far larger than memory, packed or plain, a few hundred at a time.

import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FRAME_LENGTH_MAX } from '../../wire/limits.ts';
import { fileError } from './file-error.ts';

export type LineBatch = {
  /** Number of the first line, from 1. */
  readonly first: number;
  /** `undefined` for one that is too long: it is read to its end, and nothing of it is kept. */
  readonly lines: readonly (string | undefined)[];
  /** Part of the file's bytes that have been read so far, 0 to 1. */
  readonly readPart: number;
};

/** Characters unpacked at a time; with a line in the making this is all that is held. */
const CHUNK_BYTES = 64 * 1_024;
/** Packed, about as much; what was read is then a fair part of what was played. */
const PACKED_BYTES = 8 * 1_024;
/** A book with every price of the finest grid on both sides takes a third of this. */
export const LINE_LENGTH_MAX = FRAME_LENGTH_MAX;

/**
 * Reads a file line by line, pulled by whoever iterates: nothing is read ahead but one chunk, and
 * leaving the loop closes the file.
 *
 * @throws {BotError} `replay.file` when the file cannot be read or is damaged.
 */
export async function* lineBatches(path: string): AsyncGenerator<LineBatch, void, undefined> {
  const cutter = new LineCutter();
  let first = 1;
  try {
    const { size } = await stat(path);
    const { file, text } = openText(path);
    for await (const chunk of text) {
      const lines = cutter.cut(String(chunk));
      const readPart = Math.min(1, file.bytesRead / Math.max(1, size));
      if (lines.length > 0) yield { first, lines, readPart };
      first += lines.length;
    }
  } catch (cause) {
    throw fileError(`${path}, line ${first}`, cause);
  }
  const last = cutter.rest();
  if (last !== '') yield { first, lines: [last], readPart: 1 };
}

/** Cuts text that comes in chunks into lines, and holds no more than the longest line and a chunk. */
class LineCutter {
  #rest = '';
  #isOverlong = false;

  cut(chunk: string): readonly (string | undefined)[] {
    const [head = '', ...others] = chunk.split('\n');
    this.#add(head);
    if (others.length === 0) return [];
    const lines = [this.rest(), ...others.slice(0, -1).map(lineOf)];
    this.#rest = '';
    this.#isOverlong = false;
    this.#add(others.at(-1) ?? '');
    return lines;
  }

  /** What has come since the last end of a line. */
  rest(): string | undefined {
    return this.#isOverlong ? undefined : this.#rest;
  }

  #add(text: string): void {
    this.#isOverlong ||= this.#rest.length + text.length > LINE_LENGTH_MAX;
    this.#rest = this.#isOverlong ? '' : this.#rest + text;
  }
}

function lineOf(text: string): string | undefined {
  return text.length > LINE_LENGTH_MAX ? undefined : text;
}

function openText(path: string): { readonly file: ReadStream; readonly text: Readable } {
  const isPacked = path.endsWith('.gz');
  const file = createReadStream(path, { highWaterMark: isPacked ? PACKED_BYTES : CHUNK_BYTES });
  if (!isPacked) return { file, text: file.setEncoding('utf8') };
  const text = createGunzip({ chunkSize: CHUNK_BYTES });
  // The reader of `text` meets the failure of either stream; nothing is left to do with it here.
  pipeline(file, text, () => {});
  return { file, text: text.setEncoding('utf8') };
}
