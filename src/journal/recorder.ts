// The flight recorder: every input of the core as a line of a file, to replay an incident exactly.
// It never stands in the way: a slow or full disk costs lines, which are counted.

import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import type { Input } from '../domain/input.ts';
import { redactedJson } from '../domain/redact.ts';
import { journalPath, OWNER_ONLY } from './files.ts';
import { encodeInput } from './input-line.ts';

export type RecorderOptions = {
  readonly journal: string;
  /** A file that is larger than this is put aside and a new one begun. */
  readonly fileBytesMax: number;
  /** Files that are kept, the one being written included. */
  readonly filesMax: number;
  /** After a fault the disk is left alone this long. */
  readonly faultPauseMs?: number;
};

export type RecorderStats = {
  readonly written: number;
  /** Inputs that are in no file. */
  readonly dropped: number;
  /** Why the last ones were dropped; `undefined` when none were. */
  readonly lastFault: string | undefined;
};

export interface Recorder {
  /** Takes an input; never throws and never waits. */
  record(input: Input): void;
  stats(): RecorderStats;
  /** Writes what is waiting, as far as the disk takes it. */
  close(): Promise<void>;
}

/** The recording beside a journal; older parts end in `.1`, `.2` and so on. */
export function recordingFile(journal: string): string {
  return `${journal}.inputs.ndjson`;
}

/** Lines that wait for the disk: some seconds of the busiest books. */
const WAITING_BYTES_MAX = 16_000_000;
/** A full disk is not tried again for every line. */
const FAULT_PAUSE_MS = 5_000;

/**
 * Opens a recording. What a previous run recorded is put aside, not overwritten.
 *
 * @throws {BotError} `journal.write` when the folder cannot be made.
 */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const file = recordingFile(await journalPath(options.journal));
  return new FileRecorder(file, options);
}

class FileRecorder implements Recorder {
  readonly #file: string;
  readonly #options: RecorderOptions;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #handle: FileHandle | undefined;
  #fileBytes = 0;
  #isFirst = true;
  #written = 0;
  #dropped = 0;
  #lastFault: string | undefined;
  #pausedUntil = 0;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(file: string, options: RecorderOptions) {
    this.#file = file;
    this.#options = options;
  }

  record(input: Input): void {
    if (this.#isClosed) return;
    const line = encoded(input);
    if (line === undefined) this.#drop(1, 'an input cannot be written as a line');
    else if (this.#waitingBytes + line.length > WAITING_BYTES_MAX)
      this.#drop(1, 'the disk is slow');
    else this.#take(line);
  }

  stats(): RecorderStats {
    return { written: this.#written, dropped: this.#dropped, lastFault: this.#lastFault };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pausedUntil = 0;
    await this.#writing;
    if (this.#waiting.length > 0) await this.#writeAll();
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  #take(line: string): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#waiting.length === 0) return;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.#schedule();
    });
  }

  async #writeAll(): Promise<void> {
    // Lines of the same turn of the event loop go in one write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#write(lines);
    }
  }

  async #write(lines: readonly string[]): Promise<void> {
    if (performance.now() < this.#pausedUntil) {
      this.#dropped += lines.length;
      return;
    }
    try {
      const handle = await this.#open();
      const text = Buffer.from(lines.join(''), 'utf8');
      await handle.appendFile(text);
      this.#fileBytes += text.length;
      this.#written += lines.length;
    } catch (error) {
      await this.#onFault(lines.length, error);
    }
  }

  async #onFault(lines: number, error: unknown): Promise<void> {
    this.#drop(lines, String(error));
    const pauseMs = this.#isClosed ? 0 : (this.#options.faultPauseMs ?? FAULT_PAUSE_MS);
    this.#pausedUntil = performance.now() + pauseMs;
    // A half-written line is taken back, so that the file goes on with a whole one. It is no reason
    // for a new file: on a full disk that would push out everything recorded before.
    await this.#handle?.truncate(this.#fileBytes).catch(() => undefined);
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  async #open(): Promise<FileHandle> {
    const isFull = this.#fileBytes >= this.#options.fileBytesMax;
    if (this.#handle !== undefined && !isFull) return this.#handle;
    await this.#handle?.close();
    this.#handle = undefined;
    if (isFull || this.#isFirst) {
      await rotate(this.#file, this.#options.filesMax);
      this.#isFirst = false;
      this.#fileBytes = 0;
    }
    this.#handle = await open(this.#file, 'a', OWNER_ONLY);
    return this.#handle;
  }

  #drop(lines: number, fault: string): void {
    this.#dropped += lines;
    this.#lastFault = fault;
  }
}

function encoded(input: Input): string | undefined {
  try {
    return `${redactedJson(encodeInput(input))}\n`;
  } catch {
    return undefined;
  }
}

/** `inputs` to `inputs.1`, that to `inputs.2`; the oldest goes. */
async function rotate(file: string, filesMax: number): Promise<void> {
  if ((await stat(file).catch(() => undefined)) === undefined) return;
  const name = (age: number): string => (age === 0 ? file : `${file}.${age}`);
  await rm(name(filesMax - 1), { force: true });
  for (let age = filesMax - 2; age >= 0; age -= 1) {
    await rename(name(age), name(age + 1)).catch((error: unknown) => {
      // A gap in the row is no fault; what is there still moves up.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
}
