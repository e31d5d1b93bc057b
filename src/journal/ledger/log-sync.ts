// Brings the log of a ledger to the disk: at once, or on a thread of the runtime while the process goes on. The log is
// no file that the library locks by, so a handle of our own takes nothing from it.

import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { syncFolderNow } from '../files.ts';

export class LogSync {
  readonly #file: string;
  /** The library makes the file with the first commit, and keeps it as long as it has it open. */
  #handle: number | undefined;
  #isUnderWay = false;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** @throws {Error} When the disk does not take it. */
  now(): void {
    fdatasyncSync(this.#opened());
  }

  /** @throws {Error} When there is no such file. */
  behind(done: (error: Error | undefined) => void): void {
    const handle = this.#opened();
    this.#isUnderWay = true;
    fdatasync(handle, (error) => {
      this.#isUnderWay = false;
      if (this.#isClosed) closeSync(handle);
      done(error ?? undefined);
    });
  }

  /** Once; a number that a thread still works on is closed behind it, since somebody else may get it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#handle !== undefined && !this.#isUnderWay) closeSync(this.#handle);
  }

  /** Its name is durable before what is in it. */
  #opened(): number {
    if (this.#handle !== undefined) return this.#handle;
    this.#handle = openSync(this.#file, 'r+');
    syncFolderNow(this.#file);
    return this.#handle;
  }
}
