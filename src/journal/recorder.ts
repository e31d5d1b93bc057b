// The flight recorder: every input of the core as a line of a file, and behind it what the core asked the venue
// for, to replay an incident exactly. It never stands in the way: a slow or full disk costs lines, which are
// counted, and the recording says where.

import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import type { Command } from '../domain/command.ts';
import type { Input } from '../domain/input.ts';
import { redactedJson } from '../domain/redact.ts';
import { Chain } from './chain.ts';
import { errorCode, journalPath, OWNER_ONLY } from './files.ts';
import { encodeInput } from './input-line.ts';
import {
  encodeCommands,
  encodeLine,
  type MarkLine,
  RECORDING_FORMAT,
  type RunFacts,
} from './recording-line.ts';

export type RecorderOptions = {
  readonly journal: string;
  readonly about: RunFacts;
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
  /** Takes what the core answered to the last input; never throws and never waits. */
  answered(commands: readonly Command[]): void;
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
/** What is damaged is found within the lines of so long. */
const MARK_MS = 5_000;

type Line = {
  readonly kind: 'input' | 'commands' | 'gap';
  readonly text: string;
  /** That it stands for. */
  readonly inputs: number;
};

type Missing = { readonly lines: number; readonly inputs: number; readonly why: string };
const NONE: Missing = { lines: 0, inputs: 0, why: '' };

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
  readonly #run: string;
  #waiting: Line[] = [];
  #waitingBytes = 0;
  /** Behind what waits. */
  #missing = NONE;
  /** In front of what waits: taken from it, and not written. */
  #lost = NONE;
  #handle: FileHandle | undefined;
  #fileBytes = 0;
  #part = 0;
  #isFirst = true;
  #taken = 0;
  #written = 0;
  #dropped = 0;
  #lastFault: string | undefined;
  #pausedUntil = 0;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  /** Of what is on the disk, with what is known to be missing. */
  #inputs = 0;
  readonly #chain = new Chain();
  readonly #commands = new Chain();
  #markedAtMs = performance.now();

  constructor(file: string, options: RecorderOptions) {
    this.#file = file;
    this.#options = options;
    this.#run = `${options.about.startedAtMs}-${process.pid}`;
  }

  record(input: Input): void {
    if (this.#isClosed) return;
    this.#taken += 1;
    this.#take(
      'input',
      masked(() => encodeInput(input)),
    );
  }

  answered(commands: readonly Command[]): void {
    if (this.#isClosed || !commands.some(({ kind }) => kind === 'venue')) return;
    this.#take(
      'commands',
      masked(() => encodeCommands(this.#taken, commands)),
    );
  }

  stats(): RecorderStats {
    return { written: this.#written, dropped: this.#dropped, lastFault: this.#lastFault };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pausedUntil = 0;
    await this.#writing;
    this.#sayMissing();
    if (this.#waiting.length > 0) await this.#writeAll();
    if (this.#lost.lines > 0) await this.#append([], '');
    // Without it a reader takes the process for killed, which costs nothing.
    await this.#handle?.appendFile(this.#markLine('end')).catch(() => undefined);
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  #take(kind: 'input' | 'commands', text: string | undefined): void {
    const inputs = kind === 'input' ? 1 : 0;
    if (text === undefined)
      this.#skip(inputs, `an entry of kind ${kind} cannot be written as a line`);
    else if (this.#waitingBytes + text.length > WAITING_BYTES_MAX)
      this.#skip(inputs, 'the disk is slow');
    else {
      this.#sayMissing();
      this.#push({ kind, text, inputs });
    }
  }

  #push(line: Line): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.text.length;
    if (!this.#isClosed) this.#schedule();
  }

  #skip(inputs: number, why: string): void {
    const { lines, inputs: before } = this.#missing;
    this.#missing = { lines: lines + 1, inputs: before + inputs, why };
    this.#drop(inputs, why);
  }

  /** Where lines are missing a line says so. */
  #sayMissing(): void {
    if (this.#missing.lines === 0) return;
    const { inputs } = this.#missing;
    const text = gapText(this.#missing);
    this.#missing = NONE;
    this.#push({ kind: 'gap', text, inputs });
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
      if (performance.now() < this.#pausedUntil) this.#lose(lines, this.#lastFault ?? '');
      else await this.#append(lines, this.#dueMark());
    }
  }

  #dueMark(): string {
    const nowMs = performance.now();
    if (nowMs - this.#markedAtMs < MARK_MS) return '';
    this.#markedAtMs = nowMs;
    return this.#markLine('mark');
  }

  async #append(lines: readonly Line[], mark: string): Promise<void> {
    try {
      const handle = await this.#open();
      const text = this.#headOr(mark) + this.#lostLine() + lines.map(({ text }) => text).join('');
      const bytes = Buffer.from(text, 'utf8');
      await handle.appendFile(bytes);
      this.#onWritten(lines, bytes);
    } catch (error) {
      await this.#onFault(lines, error);
    }
  }

  #onWritten(lines: readonly Line[], bytes: Uint8Array): void {
    this.#fileBytes += bytes.length;
    this.#chain.add(bytes);
    this.#inputs += this.#lost.inputs;
    this.#lost = NONE;
    for (const { kind, text, inputs } of lines) {
      this.#inputs += inputs;
      if (kind === 'input') this.#written += 1;
      if (kind === 'commands') this.#commands.add(text);
    }
  }

  /** A mark at the begin of a file would say what its first line says. */
  #headOr(mark: string): string {
    if (this.#fileBytes > 0) return mark;
    const { about } = this.#options;
    const at = { part: this.#part, inputs: this.#inputs, chain: this.#chain.digest() };
    const head = { kind: 'part', format: RECORDING_FORMAT, run: this.#run, ...at, about } as const;
    return `${redactedJson(encodeLine(head))}\n`;
  }

  #lostLine(): string {
    return this.#lost.lines === 0 ? '' : gapText(this.#lost);
  }

  #markLine(kind: MarkLine['kind']): string {
    const [chain, commands] = [this.#chain.digest(), this.#commands.digest()];
    return `${encodeLine({ kind, inputs: this.#inputs, chain, commands })}\n`;
  }

  async #onFault(lines: readonly Line[], error: unknown): Promise<void> {
    this.#lose(lines, String(error));
    const pauseMs = this.#isClosed ? 0 : (this.#options.faultPauseMs ?? FAULT_PAUSE_MS);
    this.#pausedUntil = performance.now() + pauseMs;
    // A half-written line is taken back, so that the file goes on with a whole one. It is no reason
    // for a new file: on a full disk that would push out everything recorded before.
    await this.#handle?.truncate(this.#fileBytes).catch(() => undefined);
    await this.#handle?.close().catch(() => undefined);
    this.#handle = undefined;
  }

  #lose(lines: readonly Line[], why: string): void {
    let { lines: lost, inputs } = this.#lost;
    let dropped = 0;
    for (const line of lines) {
      lost += 1;
      inputs += line.inputs;
      // Those of a gap have been counted.
      if (line.kind === 'input') dropped += 1;
    }
    this.#lost = { lines: lost, inputs, why };
    this.#drop(dropped, why);
  }

  async #open(): Promise<FileHandle> {
    const isFull = this.#fileBytes >= this.#options.fileBytesMax;
    if (this.#handle !== undefined && !isFull) return this.#handle;
    await this.#handle?.close();
    this.#handle = undefined;
    if (isFull || this.#isFirst) {
      await rotate(this.#file, this.#options.filesMax);
      if (!this.#isFirst) this.#part += 1;
      this.#isFirst = false;
      this.#fileBytes = 0;
    }
    this.#handle = await open(this.#file, 'a', OWNER_ONLY);
    return this.#handle;
  }

  #drop(inputs: number, fault: string): void {
    this.#dropped += inputs;
    this.#lastFault = fault;
  }
}

function gapText(missing: Missing): string {
  return `${redactedJson(encodeLine({ kind: 'gap', ...missing }))}\n`;
}

function masked(encode: () => string | undefined): string | undefined {
  try {
    const text = encode();
    return text === undefined ? undefined : `${redactedJson(text)}\n`;
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
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }
}
