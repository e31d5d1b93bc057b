// A file that somebody else writes: one JSON document, or lines of which the last whole one counts.

import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { unixMs } from '../domain/time.ts';
import { DiskTurns } from './disk-turns.ts';
import { causeText, type Source, type SourceTools, STATEMENT_BYTES_MAX } from './source.ts';
import { isDocument, lastWholeLine } from './statement.ts';

/** A writer that never rests is looked at this often. */
const WRITER_GAP_MS = 20;

/** Of the whole process. */
const TURNS = new DiskTurns();

/** Watches the file where the system tells of changes, and looks at it every `pollMs` anyway. */
export function readFileSource(tools: SourceTools, look = lookAt): Source {
  const source = new FileSource(tools, look);
  source.start();
  return source;
}

class FileSource implements Source {
  readonly #tools: SourceTools;
  readonly #file: string;
  readonly #lookAt: typeof lookAt;
  /** Its folder, until the disk has told its number: two folders of one that hangs must not keep both turns. */
  #disk: string;
  #watcher: FSWatcher | undefined;
  #callOff: () => void = () => undefined;
  #seen: string | undefined;
  /** How the file looked when nothing in it was whole. */
  #unfinished: string | undefined;
  #isReading = false;
  #isWanted = false;
  #isStopped = false;

  constructor(tools: SourceTools, look: typeof lookAt) {
    this.#tools = tools;
    this.#lookAt = look;
    this.#file = resolve(tools.choice.from);
    this.#disk = dirname(this.#file);
  }

  start(): void {
    this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#watcher?.close();
  }

  #look(): void {
    if (this.#isStopped) return;
    if (this.#isReading) {
      this.#isWanted = true;
      return;
    }
    this.#isReading = true;
    void this.#read().finally(() => this.#again());
  }

  #again(): void {
    this.#isReading = false;
    if (this.#isStopped) return;
    // Its disk has answered by now: to watch is to wait for it. What changed since the read is looked for at once.
    if (this.#watch()) this.#isWanted = true;
    const { timers, choice } = this.#tools;
    this.#callOff();
    const delayMs = this.#isWanted ? WRITER_GAP_MS : choice.pollMs;
    this.#isWanted = false;
    this.#callOff = timers.after(delayMs, () => this.#look());
  }

  async #read(): Promise<void> {
    const { sink, fromTimeOfDay } = this.#tools;
    try {
      const found = await TURNS.take(this.#disk, async () => {
        if (this.#isStopped) return undefined;
        return await this.#lookAt(this.#file, sink.isRefused() ? undefined : this.#seen);
      });
      if (this.#isStopped || found === undefined) return;
      if (found.disk !== undefined) this.#disk = `disk ${found.disk}`;
      if (found.statement === undefined) {
        this.#onUnfinished(found.signature);
        return;
      }
      this.#seen = found.signature;
      sink.onText(found.statement, fromTimeOfDay(unixMs(Math.floor(found.changedAtMs))));
    } catch (error) {
      if (this.#isStopped) return;
      this.#seen = undefined;
      sink.onFailure(`cannot be read (${causeText(error)})`);
    }
  }

  /** Somebody may be writing just now; what stays like this for a while is wrong. */
  #onUnfinished(signature: string): void {
    this.#seen = undefined;
    if (signature === this.#unfinished) {
      this.#tools.sink.onFailure('no whole document, and no line with its end, is in the file');
    }
    this.#unfinished = signature;
  }

  /**
   * The folder and not the file itself: a file that is replaced takes its watcher with it.
   * @returns Whether that begins now.
   */
  #watch(): boolean {
    if (this.#watcher !== undefined) return false;
    try {
      const name = basename(this.#file);
      const watcher = watch(dirname(this.#file), { persistent: false }, (_kind, changed) => {
        if (changed === null || changed === name) this.#look();
      });
      // Looking at the file now and then goes on without it.
      watcher.on('error', () => {
        watcher.close();
        this.#watcher = undefined;
      });
      this.#watcher = watcher;
      return true;
    } catch {
      // The folder may come later.
      return false;
    }
  }
}

type Found = {
  readonly signature: string;
  readonly statement: string | undefined;
  readonly changedAtMs: number;
  readonly disk?: number;
};

/** To open a pipe would wait for whoever writes to it, and take a thread of the whole process with it. */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** `undefined` while the file is as it was. */
async function lookAt(file: string, seen: string | undefined): Promise<Found | undefined> {
  const handle = await open(file, WITHOUT_WAITING);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error('no regular file');
    const { ino, size, mtimeMs, dev: disk } = stat;
    const signature = `${ino} ${size} ${mtimeMs}`;
    if (signature === seen) return undefined;
    const text = await tail(handle, size);
    return { signature, statement: statementOf(text), changedAtMs: mtimeMs, disk };
  } finally {
    await handle.close();
  }
}

/** A file that grows by lines is read from its end only. */
async function tail(handle: FileHandle, size: number): Promise<string> {
  const length = Math.min(size, STATEMENT_BYTES_MAX);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, size - length);
  return buffer.toString('utf8', 0, bytesRead);
}

/** Inside a document that is not whole no line is a statement, unless it is a document itself. */
function statementOf(text: string): string | undefined {
  if (isDocument(text)) return text;
  const line = lastWholeLine(text);
  const beginsDocument = /^\s*[[{]/.test(text);
  return line !== undefined && (!beginsDocument || isDocument(line)) ? line : undefined;
}
