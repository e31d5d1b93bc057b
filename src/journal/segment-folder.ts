// The segments of a recording in one folder, and how much of the disk they take: the oldest go, or it is full.

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OPEN_SEGMENT, segmentName, segmentOf, WHOLE_SEGMENT } from '../domain/market-data.ts';
import { cannotWrite } from './files.ts';
import { SegmentFile } from './segment-file.ts';

export type SegmentFolderOptions = {
  readonly folder: string;
  /** Of all files together. */
  readonly bytesMax: number;
  /** A segment that is larger is closed. */
  readonly segmentBytesMax: number;
  /** What happens beyond `bytesMax`: the oldest segments go, or nothing more is taken. */
  readonly whenFull: 'drop' | 'stop';
};

/** As many segments as a bound has room for, unless they would be larger than is well packed in one go. */
const SEGMENTS_WANTED = 16;
const SEGMENT_BYTES_MAX = 32_000_000;
/** What its packed copy takes, which is there beside the plain one for a moment. */
const OPEN_COPIES = 2;
/** A power cut costs no more than this; a killed process costs nothing. */
const SYNC_MS = 5_000;

/** How large a segment is within a bound. */
export function segmentBytesFor(bytesMax: number): number {
  return Math.min(SEGMENT_BYTES_MAX, Math.ceil(bytesMax / SEGMENTS_WANTED));
}

type Whole = { readonly segment: number; readonly bytes: number };

/**
 * Opens the folder: makes it where it is missing, and closes what a killed writer left.
 * @throws {BotError} `journal.write` when it cannot be written.
 */
export async function segmentFolder(options: SegmentFolderOptions): Promise<SegmentFolder> {
  try {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    await closeLeft(options.folder);
    const segments = new SegmentFolder(options, await wholeSegments(options.folder));
    if (!(await segments.next(segments.nextSegment))) throw new Error('it is full');
    return segments;
  } catch (error) {
    throw cannotWrite(options.folder, error);
  }
}

export class SegmentFolder {
  readonly #options: SegmentFolderOptions;
  readonly #whole: Whole[];
  #wholeBytes: number;
  #open: SegmentFile | undefined;
  #segment: number;
  #dropped = 0;
  #syncedAtMs = performance.now();

  constructor(options: SegmentFolderOptions, whole: readonly Whole[]) {
    this.#options = options;
    this.#whole = [...whole];
    this.#wholeBytes = whole.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#segment = (whole.at(-1)?.segment ?? 0) + 1;
  }

  /** Of the one that is written next. */
  get nextSegment(): number {
    return this.#segment;
  }

  get segment(): number {
    return this.#segment;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get bytes(): number {
    return this.#wholeBytes + (this.#open?.bytes ?? 0);
  }

  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    this.#open ??= await SegmentFile.create(this.#options.folder, this.#segment);
    await this.#open.append(lines);
    const nowMs = performance.now();
    if (nowMs - this.#syncedAtMs < SYNC_MS) return;
    this.#syncedAtMs = nowMs;
    await this.#open.sync();
  }

  /** Closes the segment, and goes on with another one. @returns False when that has no room. */
  async next(segment: number, segmentBytes = this.#options.segmentBytesMax): Promise<boolean> {
    await this.#seal();
    this.#segment = segment;
    return await this.#makeRoom(segmentBytes);
  }

  async close(): Promise<void> {
    await this.#seal().catch(async () => await this.#open?.abandon());
    this.#open = undefined;
  }

  async #seal(): Promise<void> {
    if (this.#open === undefined) return;
    const ended = this.#open;
    await ended.end();
    const segment = this.#segment;
    this.#open = undefined;
    this.#segment += 1;
    // One that cannot be packed stays as it is, and the next writer tries again.
    let { bytes } = ended;
    try {
      bytes = await ended.pack();
    } finally {
      this.#whole.push({ segment, bytes });
      this.#wholeBytes += bytes;
    }
  }

  async #makeRoom(segmentBytes: number): Promise<boolean> {
    const { bytesMax, whenFull, folder } = this.#options;
    while (this.#wholeBytes + OPEN_COPIES * segmentBytes > bytesMax) {
      const [oldest] = this.#whole;
      if (whenFull === 'stop' || oldest === undefined) return oldest === undefined;
      for (const suffix of [WHOLE_SEGMENT, OPEN_SEGMENT])
        await rm(join(folder, segmentName(oldest.segment, suffix)), { force: true });
      this.#whole.shift();
      this.#wholeBytes -= oldest.bytes;
      this.#dropped += 1;
    }
    return true;
  }
}

async function closeLeft(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    if (name.endsWith('.draft')) await rm(join(folder, name), { force: true });
    const found = segmentOf(name);
    if (found === undefined || found.isWhole) continue;
    // Packed, and its writer was killed before the plain one was gone.
    const isPacked = names.includes(segmentName(found.segment, WHOLE_SEGMENT));
    if (isPacked) await rm(join(folder, segmentName(found.segment, OPEN_SEGMENT)));
    else await sealed(await SegmentFile.left(folder, found.segment));
  }
}

async function sealed(left: SegmentFile): Promise<void> {
  await left.end();
  await left.pack();
}

async function wholeSegments(folder: string): Promise<readonly Whole[]> {
  const segments = (await readdir(folder)).flatMap((name) => segmentOf(name)?.segment ?? []);
  segments.sort((a, b) => a - b);
  const sizes = segments.map(async (segment) => {
    const { size } = await stat(join(folder, segmentName(segment, WHOLE_SEGMENT)));
    return { segment, bytes: size };
  });
  return await Promise.all(sizes);
}
