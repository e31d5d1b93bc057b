// One segment of a recording of market data on the disk: written line by line, and closed by a checksum, packed, and
// renamed. What a killed writer left is closed by the next one, without its unfinished last line.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  type MarketDataLine,
  OPEN_SEGMENT,
  segmentName,
  WHOLE_SEGMENT,
} from '../domain/market-data.ts';
import { fileLines } from './file-lines.ts';
import { OWNER_ONLY, syncFolder } from './files.ts';

/** A fast level: what is written now is packed beside the frames of the next minute. */
const GZIP_LEVEL = 4;

export class SegmentFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash;
  #lines: number;
  #bytes: number;

  private constructor(path: string, handle: FileHandle, from: Counted) {
    this.#path = path;
    this.#handle = handle;
    this.#hash = from.hash;
    this.#lines = from.lines;
    this.#bytes = from.bytes;
  }

  static async create(folder: string, segment: number): Promise<SegmentFile> {
    const path = join(folder, segmentName(segment, OPEN_SEGMENT));
    // Lines go to its end, where a fault has taken half of them back: from where a handle had come to there would be a hole.
    const handle = await open(path, 'ax', OWNER_ONLY);
    return new SegmentFile(path, handle, { hash: createHash('sha256'), lines: 0, bytes: 0 });
  }

  /** One that its writer was killed over: the unfinished line at its end is cut off. */
  static async left(folder: string, segment: number): Promise<SegmentFile> {
    const path = join(folder, segmentName(segment, OPEN_SEGMENT));
    const whole = await wholeLines(path);
    const handle = await open(path, 'r+');
    await handle.truncate(whole.bytes);
    await handle.close();
    return new SegmentFile(path, await open(path, 'a'), whole);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Whole lines with their ends. A fault leaves none of them. */
  async append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.join(''), 'utf8');
    try {
      await this.#handle.appendFile(bytes);
    } catch (error) {
      await this.#handle.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#lines += lines.length;
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  /** Writes its checksum and closes it; it can be packed then. A fault leaves it as it was. */
  async end(): Promise<void> {
    const sha256 = this.#hash.copy().digest('hex');
    const end = { kind: 'end', lines: this.#lines, sha256 } satisfies MarketDataLine;
    try {
      await this.#handle.appendFile(`${JSON.stringify(end)}\n`);
      await this.#handle.sync();
    } catch (error) {
      await this.#handle.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    await this.#handle.close();
  }

  /** @returns The bytes that it takes on the disk from now on. */
  async pack(): Promise<number> {
    return await pack(this.#path);
  }

  /** Leaves it open, for the next writer to close. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}

type Counted = { readonly hash: Hash; readonly lines: number; readonly bytes: number };

async function wholeLines(path: string): Promise<Counted> {
  const hash = createHash('sha256');
  let lines = 0;
  let bytes = 0;
  for await (const { text, isWhole } of fileLines(path)) {
    // Where its end was written and the renaming was not, it is closed once more.
    if (!isWhole || text.startsWith('{"kind":"end"')) break;
    const line = Buffer.from(`${text}\n`, 'utf8');
    hash.update(line);
    lines += 1;
    bytes += line.length;
  }
  return { hash, lines, bytes };
}

/** The packed file has its last name once it is whole on the disk; then the plain one goes. */
async function pack(path: string): Promise<number> {
  const whole = path.slice(0, -OPEN_SEGMENT.length) + WHOLE_SEGMENT;
  const draft = `${whole}.draft`;
  const target = createWriteStream(draft, { mode: OWNER_ONLY, flush: true });
  try {
    await pipeline(createReadStream(path), createGzip({ level: GZIP_LEVEL }), target);
    await rename(draft, whole);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
  await rm(path);
  return (await stat(whole)).size;
}
