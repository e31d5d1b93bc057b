// The kill latch as `bookend kill` sets it: tried again for as long as the kill takes, since a kill that
// no disk holds is lost with the next start.

import type { KillResult } from '../guard/kill.ts';
import { journalActivity } from '../journal/activity.ts';
import { isLatched, latchFile, setLatch } from '../journal/latch.ts';
import { type CliIo, complain } from './io.ts';

export type ErrandLatchOptions = {
  readonly io: CliIo;
  readonly journal: string;
  /** ISO 8601: when the kill was ordered. */
  readonly at: string;
};

export class ErrandLatch {
  readonly #options: ErrandLatchOptions;
  #fault: string | undefined;
  #wasTried = false;

  constructor(options: ErrandLatchOptions) {
    this.#options = options;
  }

  /** Says where it stands, or that it does not. Never rejects. */
  async set(): Promise<void> {
    const { io, journal, at } = this.#options;
    this.#wasTried = true;
    try {
      await setLatch(journal, { by: `bookend kill (process ${process.pid})`, reason: 'kill', at });
      this.#fault = undefined;
      complain(io, `latched: ${latchFile(journal)}; POST /control/resume lifts it`);
    } catch (error) {
      this.#fault = error instanceof Error ? error.message : String(error);
      complain(io, `the latch cannot be set, a daemon may quote again: ${this.#fault}`);
    }
  }

  /**
   * The result of a kill that was to last: tried once more where the disk had no room, and no proof
   * while nothing would keep the next start from quoting. A latch of a running daemon is as good, and
   * where no daemon has ever written its journal there is none to be kept from it.
   */
  async settle(result: KillResult): Promise<KillResult> {
    if (!this.#wasTried) return result;
    if (this.#fault !== undefined) await this.set();
    const { journal } = this.#options;
    if (this.#fault === undefined || (await isLatched(journal))) return result;
    if (!(await isOfDaemon(journal))) return result;
    const detail = `the latch is not on the disk, so a daemon may start and quote: ${this.#fault}`;
    if (result.kind === 'proven') return { ...result, kind: 'unproven', left: [], detail };
    return { ...result, detail: `${result.detail}; ${detail}` };
  }
}

async function isOfDaemon(journal: string): Promise<boolean> {
  const activity = await journalActivity(journal).catch(() => undefined);
  return activity?.writtenAtMs !== undefined || (activity?.holders.length ?? 0) > 0;
}
