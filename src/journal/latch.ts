// The kill latch: a file beside the journal that says this account was killed, by whom and why. It
// outlives the process, and a second process can set it while the daemon runs.
//
// A disk may be full when it is needed most. Room for it is kept beforehand: a file that is full already
// is written over in place and renamed, and neither takes a new block on a file system that overwrites.
// Where one copies on writing, or a limit forbids the bytes, the rename alone latches: what the file
// says from the beginning is a latch, too.

import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redacted } from '../domain/redact.ts';
import { cannotWrite, errorCode, journalPath, readPath, syncFolder, writeWhole } from './files.ts';

export type Latch = {
  readonly by: string;
  readonly reason: string;
  /** ISO 8601; `undefined` when the file cannot be read. */
  readonly at: string | undefined;
  /**
   * ISO 8601: when a daemon of this journal had confirmed the kill, with what it had under way in view;
   * absent until then.
   */
  readonly confirmed?: string;
};

/** Where the latch of a journal stands. */
export function latchFile(journal: string): string {
  return `${journal}.killed`;
}

/** Where room for the latch of a journal is kept. */
export function latchReserve(journal: string): string {
  return `${journal}.killed.reserve`;
}

/** One block of any common file system. */
const RESERVE_BYTES = 4_096;

const UNSAID: Latch = {
  by: 'unknown',
  reason: 'killed while the disk had no room to say by whom and when',
  at: undefined,
};

/**
 * Keeps room for a latch; what is kept already stays as it is.
 *
 * @throws {BotError} `journal.write`
 */
export async function reserveLatch(journal: string): Promise<void> {
  const file = latchReserve(await journalPath(journal));
  if ((await bytesOf(file)) !== RESERVE_BYTES) await writeWhole(file, padded(UNSAID).toString());
}

/**
 * Sets the latch; it is on disk when this returns. Where there is no room for a new file, the one that
 * was kept for it becomes the latch.
 *
 * @throws {BotError} `journal.write`
 */
export async function setLatch(journal: string, given: Latch): Promise<void> {
  const latch = { ...given, reason: redacted(given.reason) };
  const path = await journalPath(journal);
  try {
    await writeWhole(latchFile(path), `${JSON.stringify(latch)}\n`);
  } catch (error) {
    if (!(await setFromReserve(path, latch))) throw error;
  }
}

async function setFromReserve(path: string, latch: Latch): Promise<boolean> {
  const reserve = latchReserve(path);
  try {
    // What cannot be written over, or only in part, is a latch all the same.
    await writeOver(reserve, latch).catch(() => undefined);
    await rename(reserve, latchFile(path));
    await syncFolder(dirname(path));
    return true;
  } catch {
    return false;
  }
}

/** In place, so that no new block is needed; the length stays. */
async function writeOver(file: string, latch: Latch): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(padded(latch), 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Always of one length; a text that is longer is cut, and a latch that cannot be read is set. */
function padded(latch: Latch): Buffer {
  const block = Buffer.alloc(RESERVE_BYTES, ' ');
  block.write(JSON.stringify(latch));
  block.write('\n', RESERVE_BYTES - 1);
  return block;
}

async function bytesOf(file: string): Promise<number | undefined> {
  return await stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}

/**
 * Notes on the latch that the kill is confirmed; one that is not set, or says so already, stays as it is.
 *
 * @throws {BotError} `journal.write`
 */
export async function confirmLatch(journal: string, at: string): Promise<void> {
  const latch = await readLatch(journal);
  if (latch === undefined || latch.confirmed !== undefined) return;
  const path = await journalPath(journal);
  const confirmed = { ...latch, confirmed: at };
  try {
    await writeWhole(latchFile(path), `${JSON.stringify(confirmed)}\n`);
  } catch (error) {
    if ((await bytesOf(latchFile(path))) !== RESERVE_BYTES) throw error;
    await writeOver(latchFile(path), confirmed).catch((cause: unknown) => {
      throw cannotWrite(latchFile(path), cause);
    });
  }
}

/**
 * Reads the latch; `undefined` when it is not set.
 *
 * A latch that is there and cannot be read is set: no failure of a disk lifts a kill.
 */
export async function readLatch(journal: string): Promise<Latch | undefined> {
  try {
    return parseLatch(await readFile(latchFile(await readPath(journal)), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    return unreadable(errorCode(error));
  }
}

/** Whether a latch stands, whatever it says. */
export async function isLatched(journal: string): Promise<boolean> {
  const path = await readPath(journal).catch(() => journal);
  return (await bytesOf(latchFile(path))) !== undefined;
}

/**
 * Lifts the latch, on an operator's resume only. One that took the room that was kept gives it back.
 *
 * @throws {BotError} `journal.write` when it may still stand.
 */
export async function clearLatch(journal: string): Promise<void> {
  const path = await journalPath(journal);
  const file = latchFile(path);
  try {
    if ((await bytesOf(file)) === RESERVE_BYTES) await giveBack(path);
    else await rm(file, { force: true });
    await syncFolder(dirname(file));
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** A reserve that still reported an earlier kill, and of its proof, would be worse than none. */
async function giveBack(path: string): Promise<void> {
  const reserve = latchReserve(path);
  await rename(latchFile(path), reserve);
  await writeOver(reserve, UNSAID).catch(async () => await rm(reserve, { force: true }));
}

export type LatchWatch = { close(): void };

export type LatchWatchOptions = {
  readonly journal: string;
  /** The latch was set, or replaced by another one, since the last look. */
  readonly onSet: (latch: Latch) => void;
  readonly pollMs?: number;
};

/** A look costs one `stat`; a kill from another process is noticed in a quarter of a second. */
const POLL_MS = 250;

/**
 * Tells of a latch that a second process sets. What stands at the start is not told: read it first.
 *
 * It looks again and again instead of waiting for events, since bind mounts and network file systems
 * send none. It does not keep the process alive.
 */
export async function watchLatch(options: LatchWatchOptions): Promise<LatchWatch> {
  const file = latchFile(await journalPath(options.journal));
  let seen = await stamp(file);
  let isLooking = false;
  const look = async (): Promise<void> => {
    const latest = await stamp(file);
    const isNew = latest !== seen && latest !== 'absent';
    seen = latest;
    const latch = isNew ? await readLatch(options.journal) : undefined;
    if (latch !== undefined) options.onSet(latch);
  };
  const timer = setInterval(() => {
    // A slow disk must not pile up looks.
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, options.pollMs ?? POLL_MS).unref();
  return { close: () => clearInterval(timer) };
}

/** Changes with every setting of the latch, since each one is a new file. */
async function stamp(file: string): Promise<string> {
  try {
    const { ino, mtimeMs } = await stat(file);
    return `${ino} ${mtimeMs}`;
  } catch (error) {
    // Any other failure is a change too, and reading then tells that the latch is set.
    return errorCode(error) === 'ENOENT' ? 'absent' : errorCode(error);
  }
}

/** What a latch says; a text that is none is a latch all the same. */
export function parseLatch(text: string): Latch {
  try {
    const value: unknown = JSON.parse(text);
    if (isLatch(value)) {
      const { by, reason, at, confirmed } = value;
      return { by, reason, at, ...(typeof confirmed === 'string' ? { confirmed } : {}) };
    }
  } catch {
    // Reported below, like any other text that is no latch.
  }
  return unreadable('not a latch');
}

function isLatch(value: unknown): value is {
  readonly by: string;
  readonly reason: string;
  readonly at: string | undefined;
  readonly confirmed?: unknown;
} {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return typeof fields.get('by') === 'string' && typeof fields.get('reason') === 'string';
}

function unreadable(why: string): Latch {
  return { by: 'unknown', reason: `the latch file cannot be read (${why})`, at: undefined };
}
