// Where log lines go while a screen may be on: never over the screen, never lost.

import fs, { constants, createWriteStream, type WriteStream } from 'node:fs';
import { textLine } from '../telemetry/text-line.ts';
import { type Output, printLine } from './io.ts';
import type { LastEvents } from './last-events.ts';
import { DROPPED } from './unblocked.ts';

export type LogTarget = {
  /** Takes one JSON line. */
  write(line: string): void;
  /** From now on lines go to the list; the returned function ends that. */
  divert(events: LastEvents): () => void;
  close(): Promise<void>;
};

export type LogTargetOptions = {
  readonly file: string | undefined;
  readonly format: 'json' | 'text';
  /** Notified of all lines that were given up since nobody took them, when there is room for a word of it. */
  readonly onDropped?: (linesTotal: number) => void;
  /** Opens the file, as `node:fs` does. */
  readonly open?: Open;
};

/** For appending; with the words of what went wrong, or what it is written by. */
type Open = (
  file: string,
  flags: number,
  mode: number,
  done: (error: Error | null, fd: number) => void,
) => void;

/** A pipe is no file that hangs: one that nobody reads refuses, and one that is full does for now. To wait would keep a thread, and an end by it. */
const APPENDING =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
const MODE = 0o640;

/** Bytes that may wait for a slow disk; beyond them lines are left out of the file. */
const WAITING_BYTES_MAX = 4_000_000;

/** A file that could not be written is opened again after this. */
const REOPEN_MS = 1_000;

/** A pipe that is full is tried again after this: its reader is slow, and no line is lost while they may wait. */
const FULL_MS = 50;

/** A disk that has not taken the rest by then is hung, and nobody who ends waits for it. */
const CLOSE_MS_MAX = 1_000;

/**
 * Lines go to the file, or else to standard error, in the configured format; a terminal stays free
 * while a screen is on.
 */
export function createLogTarget(
  stderr: Output,
  { file, format, onDropped = () => {}, open = fs.open }: LogTargetOptions,
): LogTarget {
  const log = file === undefined ? undefined : new LogFile(file, stderr, { onDropped, open });
  stderr.on(DROPPED, onDropped);
  let events: LastEvents | undefined;
  return {
    write(line) {
      events?.add(line);
      const text = format === 'json' ? line : `${textLine(line, { colour: false })}\n`;
      if (log) log.write(text);
      else if (!events || !stderr.isTTY) stderr.write(text);
    },
    divert(to) {
      events = to;
      return () => {
        events = undefined;
      };
    },
    close: async () => {
      stderr.off(DROPPED, onDropped);
      await log?.close();
    },
  };
}

/** A disk that was full has room some day: the file is opened again until it takes lines. */
class LogFile {
  readonly #file: string;
  readonly #stderr: Output;
  readonly #onDropped: (linesTotal: number) => void;
  readonly #openFile: Open;
  #stream: WriteStream;
  #reopening: NodeJS.Timeout | undefined;
  #isFaultTold = false;
  #linesTotal = 0;
  #linesTold = 0;

  constructor(
    file: string,
    stderr: Output,
    { onDropped, open }: Required<Pick<LogTargetOptions, 'onDropped' | 'open'>>,
  ) {
    this.#file = file;
    this.#stderr = stderr;
    this.#onDropped = onDropped;
    this.#openFile = open;
    this.#stream = this.#open();
  }

  write(line: string): void {
    const stream = this.#stream;
    if (!stream.writable || stream.writableLength >= WAITING_BYTES_MAX) {
      this.#linesTotal += 1;
      return;
    }
    stream.write(line, (error) => {
      if (error) this.#linesTotal += 1;
      else this.#tellDropped();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#reopening);
    const stream = this.#stream;
    if (stream.destroyed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CLOSE_MS_MAX);
      stream.end(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** It stops nothing, and is told once. */
  #open(): WriteStream {
    const open = (file: string, _flags: unknown, _mode: unknown, done: Parameters<Open>[3]) =>
      this.#openFile(file, APPENDING, MODE, done);
    const stream = createWriteStream(this.#file, { fs: { ...fs, open, write, writev } });
    stream.on('error', ({ message }) => {
      this.#reopening = setTimeout(() => {
        this.#stream = this.#open();
      }, REOPEN_MS).unref();
      if (this.#isFaultTold) return;
      this.#isFaultTold = true;
      const text = `bookend: the log file ${this.#file} cannot be written: ${message}`;
      printLine(this.#stderr, text);
    });
    return stream;
  }

  #tellDropped(): void {
    if (this.#linesTold === this.#linesTotal) return;
    this.#linesTold = this.#linesTotal;
    this.#onDropped(this.#linesTotal);
  }
}

type Written<Data> = (error: NodeJS.ErrnoException | null, count: number, data: Data) => void;
type Parts = readonly Uint8Array[];

function write(
  fd: number,
  ...given: [Uint8Array, offset: number, length: number, at: number | null, Written<Uint8Array>]
): void {
  const [data, offset, length, at, done] = given;
  const again = () => write(fd, ...given);
  fs.write(fd, data, offset, length, at, unlessFull(done, again));
}

function writev(fd: number, parts: Parts, at: number | null, done: Written<Parts>): void {
  const again = () => writev(fd, parts, at, done);
  fs.writev(fd, parts, at, unlessFull(done, again));
}

function unlessFull<Data>(done: Written<Data>, again: () => void): Written<Data> {
  return (error, count, data) => {
    if (error?.code === 'EAGAIN') setTimeout(again, FULL_MS).unref();
    else done(error, count, data);
  };
}
