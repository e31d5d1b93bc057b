// The kill latch as `bookend kill` sets it: tried again for as long as the kill takes, since a kill that
// no disk holds is lost with the next start.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inTime } from '../domain/in-time.ts';
import type { Timers } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';
import { journalActivity } from '../journal/activity.ts';
import { errorCode } from '../journal/files.ts';
import { isLatched, latchFile, readLatch, setLatch } from '../journal/latch.ts';
import { commandName } from './daemon-http.ts';
import { type CliIo, complain } from './io.ts';

export type ErrandLatchOptions = {
  readonly io: CliIo;
  readonly journal: string;
  /** ISO 8601: when the kill was ordered. */
  readonly at: string;
  readonly timers: Timers;
  /** The command that lifts it, as it is to be typed. */
  readonly resume: string;
};

/** A disk that has not answered by then, after a whole kill, is hung. */
const ANSWER_MS_MAX = 3_000;
/** Whoever is told by other ways than the disk is told soon, whatever the disk does. */
const SET_MS_MAX = 1_000;
const UNANSWERED = 'the disk does not answer';
const LIFTED =
  'its latch was lifted meanwhile, as by a resume: a daemon of this journal may quote again';

export class ErrandLatch {
  readonly #options: ErrandLatchOptions;
  #fault: string | undefined;
  #wasTried = false;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: ErrandLatchOptions) {
    this.#options = options;
  }

  /** Says where it stands, or that it does not; on a disk that hangs it goes on behind. Never rejects. */
  async set(): Promise<void> {
    this.#wasTried = true;
    this.#fault = UNANSWERED;
    this.#underWay = this.#set();
    await this.#inTime(this.#underWay, undefined, SET_MS_MAX);
  }

  async #set(): Promise<void> {
    const { io, journal, at, resume } = this.#options;
    try {
      await setLatch(journal, { by: commandName('kill'), reason: 'kill', at });
      this.#fault = undefined;
      complain(io, `latched: ${latchFile(journal)}; \`${resume}\` lifts it`);
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      complain(io, `the latch cannot be set, a daemon may quote again: ${this.#fault}`);
    }
  }

  /**
   * The result of a kill that was to last: tried once more where the disk had no room, and no proof
   * while nothing would keep the next start from quoting. A latch of a running daemon is as good, and
   * where no daemon has ever written its journal there is none to be kept from it. Nor is it one where
   * somebody has lifted the latch: whoever had confirmed the kill quotes again, whatever the last list said.
   */
  async settle(result: KillResult): Promise<KillResult> {
    if (!this.#wasTried) return result;
    const missing = await this.#missing();
    if (missing === undefined) return result;
    if (result.kind === 'confirmed')
      return { ...result, kind: 'unconfirmed', left: [], detail: missing };
    return { ...result, detail: `${result.detail}; ${missing}` };
  }

  /** Why something that starts, or goes on, may quote; nothing where it may not. */
  async #missing(): Promise<string | undefined> {
    if (!(await this.#inTime(this.#isKept(), false, ANSWER_MS_MAX)))
      return `the latch is not on the disk, so a daemon may start and quote: ${this.#fault}`;
    return (await this.#inTime(this.#isLifted(), false, ANSWER_MS_MAX)) ? LIFTED : undefined;
  }

  async #isKept(): Promise<boolean> {
    const { journal } = this.#options;
    // It may still be in flight to a slow disk.
    await this.#underWay;
    if (this.#fault !== undefined) await this.set();
    return this.#fault === undefined || (await isLatched(journal)) || !(await isOfDaemon(journal));
  }

  /** It was on the disk, and is there no more. A disk that hangs since then has lifted nothing. */
  async #isLifted(): Promise<boolean> {
    return this.#fault === undefined && (await readLatch(this.#options.journal)) === undefined;
  }

  async #inTime<Value>(answer: Promise<Value>, otherwise: Value, ms: number): Promise<Value> {
    return await inTime(answer, otherwise, { timers: this.#options.timers, ms });
  }
}

/** What cannot be looked at may be of a daemon. */
async function isOfDaemon(journal: string): Promise<boolean> {
  try {
    const { writtenAtMs, holders } = await journalActivity(journal);
    return writtenAtMs !== undefined || holders.length > 0;
  } catch {
    return await mayHaveFiles(dirname(journal));
  }
}

/** A folder that is not there, as on a machine that only kills, has no journal in it. */
async function mayHaveFiles(folder: string): Promise<boolean> {
  return await stat(folder).then(
    (found) => found.isDirectory(),
    (error: unknown) => !['ENOENT', 'ENOTDIR'].includes(errorCode(error)),
  );
}
