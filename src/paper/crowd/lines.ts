// The lines of a file that may be far larger than memory, packed or plain, a few hundred at a time.

import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FRAME_LENGTH_MAX } from '../../wire/limits.ts';
import { fileError } from './file-error.ts';

export type LineBatch = {
  /** Number of the first line, from 1. */
  readonly first: number;
  /** `undefined` for one that is too long: it is read to its end, and nothing of it is kept. */
  readonly lines: readonly (string | undefined)[];
};

/** Characters unpacked at a time; with a line in the making this is all that is held. */
const CHUNK_BYTES = 64 * 1_024;
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
    for await (const chunk of openText(path)) {
      const lines = cutter.cut(String(chunk));
      if (lines.length > 0) yield { first, lines };
      first += lines.length;
    }
  } catch (cause) {
    throw fileError(`${path}, line ${first}`, cause);
  }
  const last = cutter.rest();
  if (last !== '') yield { first, lines: [last] };
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

function openText(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!path.endsWith('.gz')) return file.setEncoding('utf8');
  const text = createGunzip({ chunkSize: CHUNK_BYTES });
  // The reader of `text` meets the failure of either stream; nothing is left to do with it here.
  pipeline(file, text, () => {});
  return text.setEncoding('utf8');
}
