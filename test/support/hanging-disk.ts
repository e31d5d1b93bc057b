// A small disk of a test's own that can be made to hang: a file system in a file, mounted, and frozen by the
// kernel. Whoever writes to it then waits, and not even SIGKILL ends that before the disk goes on.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BYTES = 16_000_000;
/** Whatever becomes of the test, nobody hangs for longer. */
const HANG_SEC_MAX = 75;

export class HangingDisk {
  /** Where it is mounted. */
  readonly folder: string;
  #thawer: ChildProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws {Error} Where this user may not mount, or nothing can be frozen. */
  static mount(place: string): HangingDisk {
    const image = join(place, 'disk.img');
    const folder = join(place, 'disk');
    writeFileSync(image, '');
    execFileSync('truncate', ['--size', String(BYTES), image]);
    execFileSync('mkfs.ext4', ['-q', '-O', '^has_journal', image]);
    mkdirSync(folder);
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'pipe' });
    return new HangingDisk(folder);
  }

  hang(): void {
    const script = 'sleep "$1"; exec fsfreeze --unfreeze "$2"';
    const args = ['-c', script, 'thaw', String(HANG_SEC_MAX), this.folder];
    this.#thawer = spawn('sh', args, { detached: true, stdio: 'ignore' });
    this.#thawer.unref();
    execFileSync('fsfreeze', ['--freeze', this.folder], { stdio: 'pipe' });
  }

  goOn(): void {
    if (this.#thawer?.pid === undefined) return;
    process.kill(-this.#thawer.pid, 'SIGKILL');
    this.#thawer = undefined;
    execFileSync('fsfreeze', ['--unfreeze', this.folder], { stdio: 'pipe' });
  }

  /** Also while somebody who is just being killed has a file open there. */
  unmount(): void {
    this.goOn();
    execFileSync('umount', ['--lazy', this.folder], { stdio: 'pipe' });
  }
}

/** Whether this user and this system can do all of that. */
export function mayHang(): boolean {
  if (process.platform !== 'linux') return false;
  const place = mkdtempSync(join(tmpdir(), 'bookend-disk-'));
  try {
    const disk = HangingDisk.mount(place);
    try {
      disk.hang();
    } finally {
      disk.unmount();
    }
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
