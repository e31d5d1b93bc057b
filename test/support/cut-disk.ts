// A small disk of a test's own whose power can be cut: a file system in a file. What was written to it and not
// synced is in the memory of the kernel alone, and a copy of the file is the disk as a power cut leaves it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BYTES = 24_000_000;

export class CutDisk {
  /** Where it is mounted. */
  readonly folder: string;
  readonly #place: string;
  readonly #image: string;
  readonly #copies: CutDisk[] = [];

  private constructor(place: string, name: string) {
    this.#place = place;
    this.#image = join(place, `${name}.img`);
    this.folder = join(place, name);
  }

  /** @throws {Error} Where this user may not mount. */
  static make(place: string): CutDisk {
    const disk = new CutDisk(place, 'disk');
    execFileSync('truncate', ['--size', String(BYTES), disk.#image]);
    execFileSync('mkfs.ext4', ['-q', disk.#image], { stdio: 'pipe' });
    disk.#mount();
    return disk;
  }

  /** The disk as the next boot finds it, after a power cut of now; this one goes on. */
  cut(): CutDisk {
    const copy = new CutDisk(this.#place, `after-${this.#copies.length + 1}`);
    execFileSync('cp', ['--sparse=always', this.#image, copy.#image]);
    this.#copies.push(copy);
    copy.#mount();
    return copy;
  }

  end(): void {
    for (const copy of this.#copies) copy.end();
    execFileSync('umount', ['--lazy', this.folder], { stdio: 'pipe' });
  }

  #mount(): void {
    mkdirSync(this.folder);
    execFileSync('mount', ['-o', 'loop', this.#image, this.folder], { stdio: 'pipe' });
  }
}

/** Whether this user and this system can do that; who cannot is told so. */
export function mayCut(): boolean {
  if (process.platform !== 'linux') return toldNot('this is no Linux');
  const place = mkdtempSync(join(tmpdir(), 'bookend-disk-'));
  try {
    CutDisk.make(place).end();
    return true;
  } catch (error) {
    return toldNot(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function toldNot(why: string): false {
  console.warn(`no power can be cut here, and what survives it is not tested: ${why}`);
  return false;
}
