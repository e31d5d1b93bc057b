// The lines of a file that may be far larger than memory, and whether each of them has its end.

import { createReadStream } from 'node:fs';

export type FileLine = {
  /** Without its line end. */
  readonly text: string;
  /** Whoever wrote it came as far as its end. */
  readonly isWhole: boolean;
};

const CHUNK_BYTES = 256 * 1_024;
/** Nothing that we write is as long; what is cannot be read. */
export const LINE_BYTES_MAX = 64_000_000;
const LINE_END = 0x0a;

/**
 * Reads a file line by line, pulled by whoever iterates; leaving the loop closes the file.
 *
 * @throws {RangeError} when a line is longer than `LINE_BYTES_MAX`.
 */
export async function* fileLines(file: string): AsyncGenerator<FileLine, void, undefined> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    const bytes = Buffer.from(chunk);
    let from = 0;
    for (;;) {
      const to = bytes.indexOf(LINE_END, from);
      if (to < 0) break;
      begun.push(bytes.subarray(from, to));
      yield { text: Buffer.concat(begun).toString('utf8'), isWhole: true };
      begun = [];
      begunBytes = 0;
      from = to + 1;
    }
    const rest = bytes.subarray(from);
    begunBytes += rest.length;
    if (begunBytes > LINE_BYTES_MAX) throw new RangeError(`longer than ${LINE_BYTES_MAX} bytes`);
    if (rest.length > 0) begun.push(rest);
  }
  if (begun.length > 0) yield { text: Buffer.concat(begun).toString('utf8'), isWhole: false };
}
