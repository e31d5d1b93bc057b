// The lines of a file that may be far larger than memory, packed or plain, a few hundred at a time.

import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fileError } from './file-error.ts';

export type LineBatch = {
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly lines: readonly string[];
};

/** Characters unpacked at a time; with a line in the making this is all that is held. */
const CHUNK_BYTES = 64 * 1_024;
/** A book with every price of the finest grid on both sides takes a tenth of this. */
const LINE_CHARS_MAX = 1_000_000;

/**
 * Reads a file line by line, pulled by whoever iterates: nothing is read ahead but one chunk, and
 * leaving the loop closes the file.
 *
 * @throws {BotError} `replay.file` when the file cannot be read, is damaged or is no text of lines.
 */
export async function* lineBatches(path: string): AsyncGenerator<LineBatch, void, undefined> {
  let first = 1;
  let rest = '';
  try {
    for await (const chunk of openText(path)) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_CHARS_MAX) throw new Error('the line does not end');
      if (lines.length > 0) yield { first, lines };
      first += lines.length;
    }
  } catch (cause) {
    throw fileError(`${path}, line ${first}`, cause);
  }
  if (rest !== '') yield { first, lines: [rest] };
}

function openText(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!path.endsWith('.gz')) return file.setEncoding('utf8');
  const text = createGunzip({ chunkSize: CHUNK_BYTES });
  // The reader of `text` meets the failure of either stream; nothing is left to do with it here.
  pipeline(file, text, () => {});
  return text.setEncoding('utf8');
}
