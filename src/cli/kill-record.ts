// Who killed what, and with which result, where no daemon puts it on record: the next start does.

import type { CancelScope } from '../domain/message.ts';
import type { Clock } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';
import { noteErrand } from '../journal/errands.ts';
import { commandName } from './daemon-http.ts';
import { type CliIo, complain } from './io.ts';
import { scopeName } from './kill-scope.ts';
import type { KillTime } from './kill-time.ts';

type KillRecordOptions = {
  readonly io: CliIo;
  readonly journal: string;
  readonly clock: Clock;
  readonly time: KillTime;
  readonly scope: CancelScope;
};

/** A kill is not held up by a disk that hangs. */
const NOTE_MS_MAX = 1_000;

export class KillRecord {
  readonly #options: KillRecordOptions;
  #isOfDaemon = false;

  constructor(options: KillRecordOptions) {
    this.#options = options;
  }

  /** A daemon has taken it up, and puts it on record itself. */
  leaveToDaemon(): void {
    this.#isOfDaemon = true;
  }

  /** Never rejects: what was cancelled is cancelled, whatever becomes of the record of it. */
  async note(result: KillResult): Promise<void> {
    if (this.#isOfDaemon) return;
    const { io, journal, clock, time, scope } = this.#options;
    const isConfirmed = result.kind === 'confirmed';
    const why = isConfirmed ? `${result.cancelled} cancelled` : result.detail;
    const noted = noteErrand(journal, {
      ...{ atMs: clock.nowMs(), by: commandName('kill'), action: 'kill', target: scopeName(scope) },
      ...{
        result: isConfirmed ? 'confirmed' : 'not_confirmed',
        detail: `no daemon took part; ${why}`,
      },
    }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const fault = await time.bounded(noted, 'the disk does not answer', NOTE_MS_MAX);
    if (fault !== undefined) complain(io, `not on record: ${fault}`);
  }
}
