// A kill that an operator asks for, as the guard does it: cancels at once over connections that are warm,
// whatever the trader does, and looks until nothing can arrive any more or the trader has proven it.

import type { Clock, Timers } from '../domain/time.ts';
import { type KillResult, killOrders } from '../guard/kill.ts';
import type { OwnOrders } from '../guard/own-book.ts';
import type { KillDoor } from '../guard/sweep.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Killer, KillNews } from './http-parent.ts';

export type GuardKillOptions = {
  readonly door: KillDoor;
  readonly timing: Settings['timing'];
  /** Nobody sets it. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly latch: (by: string) => Promise<void>;
  /** Whose orders are meant, and how late one may be accepted that has left the trader. */
  readonly known: () => { readonly own: OwnOrders | undefined; readonly horizonMs: number };
  /** By which others know of which account an answer is; `undefined` without credentials. */
  readonly account: () => string | undefined;
};

/** Kills at once; who asks for more hears of the last of them. */
const RUNNING_MAX = 4;

type Running = { readonly tells: ((news: KillNews) => void)[]; isProven: boolean };

export class GuardKill implements Killer {
  readonly #options: GuardKillOptions;
  readonly #running = new Map<number, Running>();

  constructor(options: GuardKillOptions) {
    this.#options = options;
  }

  kill(id: number, by: string, tell: (news: KillNews) => void): void {
    const last = [...this.#running.values()].at(-1);
    if (last !== undefined && this.#running.size >= RUNNING_MAX) {
      last.tells.push(tell);
      return;
    }
    this.#options.log.warn('guard.kill', { by });
    const run: Running = { tells: [tell], isProven: false };
    this.#running.set(id, run);
    void this.#run(run).then((result) => {
      // One that began later, at the end of the trader, has the last word.
      if (this.#running.get(id) !== run) return;
      this.#running.delete(id);
      const body = this.#bodyOf(result);
      const ended = { kind: 'ended', isProven: result.kind === 'proven', body } as const;
      for (const each of run.tells) each(ended);
    });
  }

  latch(by: string): void {
    const { latch, log } = this.#options;
    latch(by).catch((error: unknown) => log.error('guard.latch_failed', { detail: String(error) }));
  }

  proven(id: number): void {
    const run = this.#running.get(id);
    if (run !== undefined) run.isProven = true;
  }

  async #run(run: Running): Promise<KillResult> {
    const { door, timing, clock, timers, known } = this.#options;
    const { own } = known();
    const beganAtMs = clock.nowMs();
    return await killOrders({
      ...{ door, own, clock, timers, scope: { kind: 'account' } },
      quietMs: timing.proofQuietMs,
      deadlineMs: timing.proofDeadlineMs,
      arrivalsUntilMs: () => (run.isProven ? 0 : beganAtMs + known().horizonMs),
      onProgress: ({ detail }) => {
        for (const tell of run.tells) tell({ kind: 'step', detail });
      },
    });
  }

  #bodyOf(result: KillResult): object {
    this.#options.log.warn('guard.kill_ended', result);
    if (result.kind !== 'proven') return { error: 'not proven', ...result };
    return { ...result, account: this.#options.account() };
  }
}
