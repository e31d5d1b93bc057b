// Writes what happens to the file of its day. Nothing waits for it and nothing depends on it: a slow or full disk
// costs lines, which are counted and named once.

import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { redactedJson } from '../../domain/redact.ts';
import type { Clock } from '../../domain/time.ts';
import { errorCode, journalPath, OWNER_ONLY } from '../files.ts';
import { type DaysKept, dayFileName, dayOf, daysFolder, pruneDays } from './day-files.ts';
import type { DayLine } from './day-line.ts';

export type DayWriterOptions = {
  readonly journal: string;
  readonly clock: Clock;
  readonly kept: DaysKept;
  /** Lines were lost, why; told when it begins. */
  readonly onFault: (why: string) => void;
};

export interface DayWriter {
  /** Never throws and never waits. */
  write(line: DayLine): void;
  /** Lines that are in no file. */
  readonly dropped: number;
  /** Writes what is waiting, as far as the disk takes it. */
  close(): Promise<void>;
}

const WAITING_BYTES_MAX = 8_000_000;
/** Lines of this long are written together. */
const GATHER_MS = 1_000;
const FAULT_PAUSE_MS = 10_000;
const PRUNE_MS = 600_000;
const FOLDER_OWNER_ONLY = 0o700;
/** A last word that comes behind the end is nobody's loss. */
const AFTER_END = 'is closed';
/** Orders of one day take no more than this part of the room of all days. */
const ORDERS_PART = 0.25;

/** @throws {BotError} `journal.write` when the folder of the journal cannot be made. */
export async function openDays(options: DayWriterOptions): Promise<DayWriter> {
  return new FileDays(daysFolder(await journalPath(options.journal)), options);
}

class FileDays implements DayWriter {
  dropped = 0;
  readonly #folder: string;
  readonly #options: DayWriterOptions;
  #waiting = new Map<string, string>();
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #isFaulty = false;
  /** A process before this one, or a full disk, may have left half a line. */
  readonly #begun = new Set<string>();
  /** Why lines were dropped, by file: said once. */
  readonly #told = new Set<string>();
  #prunedAtMs: number | undefined;
  /** Of the file of orders that is written now. */
  #orders = { file: '', bytes: 0 };

  constructor(folder: string, options: DayWriterOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#arm(0);
  }

  write(line: DayLine): void {
    const file = dayFileName(dayOf(line.atMs), line.kind === 'order');
    const text = textOf(line);
    const why = this.#whyNot(line, file, text);
    if (text === undefined || why !== undefined) {
      this.#drop(file, why);
      return;
    }
    this.#waitingBytes += text.length;
    this.#waiting.set(file, (this.#waiting.get(file) ?? '') + text);
    this.#arm(GATHER_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#writeAll();
  }

  #whyNot({ kind }: DayLine, file: string, text: string | undefined): string | undefined {
    if (text === undefined) return 'has lines that cannot be written';
    if (this.#isClosed) return AFTER_END;
    if (this.#waitingBytes + text.length > WAITING_BYTES_MAX)
      return 'waits for a disk that is slow';
    const hasRoom = kind !== 'order' || this.#hasRoomForOrder(file, text.length);
    return hasRoom ? undefined : 'has no room left (journal.daysMbMax)';
  }

  #hasRoomForOrder(file: string, length: number): boolean {
    if (this.#orders.file !== file) this.#orders = { file, bytes: 0 };
    this.#orders.bytes += length;
    return this.#orders.bytes <= this.#options.kept.bytes * ORDERS_PART;
  }

  #arm(delayMs: number): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#writeAll().finally(() => {
        this.#timer = undefined;
        this.#writing = undefined;
        if (this.#waiting.size > 0) this.#arm(this.#isFaulty ? FAULT_PAUSE_MS : GATHER_MS);
      });
    }, delayMs);
    this.#timer.unref();
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    for (const [file, text] of waiting) {
      try {
        await this.#append(file, text);
        this.#isFaulty = false;
      } catch (error) {
        this.#onFault(file, text, error);
      }
    }
    await this.#pruneIfDue();
  }

  async #append(file: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_OWNER_ONLY });
    const whole = this.#begun.has(file) ? text : `\n${text}`;
    await appendFile(join(this.#folder, file), whole, { mode: OWNER_ONLY });
    this.#begun.clear();
    this.#begun.add(file);
  }

  #drop(file: string, why = ''): void {
    this.dropped += 1;
    const fault = `${file} ${why}`;
    if (why === AFTER_END || this.#told.has(fault)) return;
    this.#told.add(fault);
    this.#options.onFault(fault);
  }

  #onFault(file: string, text: string, error: unknown): void {
    this.#begun.delete(file);
    this.dropped += text.split('\n').length - 1;
    if (!this.#isFaulty) this.#options.onFault(errorCode(error));
    this.#isFaulty = true;
  }

  async #pruneIfDue(): Promise<void> {
    const { clock, kept } = this.#options;
    const nowMs = clock.nowMs();
    const sinceMs = nowMs - (this.#prunedAtMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs >= 0 && sinceMs < PRUNE_MS) return;
    this.#prunedAtMs = nowMs;
    await pruneDays(this.#folder, kept, nowMs).catch((error: unknown) => {
      this.#options.onFault(errorCode(error));
    });
  }
}

function textOf(line: DayLine): string | undefined {
  try {
    return `${redactedJson(JSON.stringify(line))}\n`;
  } catch {
    return undefined;
  }
}
