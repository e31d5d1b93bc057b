// Whether a run may have lost its last words to a power cut. Before the first word that is written and not synced the
// ledger says so, with the name of this boot of the machine; an end in good order takes that back. Whoever finds it
// under the name of another boot comes after a power cut, or after a run that nothing but the machine has ended.

import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { type Clock, type UnixMs, unixMs } from '../../domain/time.ts';

export type Boot = {
  /** Another one each time that the machine is switched on. */
  readonly id: string;
  readonly atMs: UnixMs;
};

/** The fact that a run leaves for as long as it writes ahead of the disk. */
export const UNSYNCED_FACT = 'written_unsynced';

/** Without a name of its own a boot goes by its minute: a clock that was set is taken for another boot, on the safe side. */
const MINUTE_MS = 60_000;

export class Unsynced {
  /** The ledger has the word. */
  isBegun = false;
  readonly #boot: Boot;

  constructor(boot: Boot) {
    this.#boot = boot;
  }

  /** What the ledger has to say before anything is written ahead of the disk; nothing once it has. */
  get word(): string | undefined {
    return this.isBegun ? undefined : this.#boot.id;
  }

  /** @returns When the machine came back, if it was cut off from what a run before was writing. */
  cutBeforeMs(word: string | undefined): UnixMs | undefined {
    const isOfThisBoot = word === undefined || word === this.#boot.id;
    return isOfThisBoot ? undefined : this.#boot.atMs;
  }
}

export function bootOfMachine(clock: Clock): Boot {
  const atMs = unixMs(Math.round(clock.nowMs() - uptime() * 1_000));
  return { id: bootName() ?? `minute ${Math.round(atMs / MINUTE_MS)}`, atMs };
}

/** Linux has a name for each boot, in containers too. */
function bootName(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
