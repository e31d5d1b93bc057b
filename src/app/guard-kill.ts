// A kill that an operator asks for, as the guard does it: cancels at once over connections that are warm,
// whatever the trader does, and looks until nothing can arrive any more or the trader has confirmed it.

import type { Clock, Timers } from '../domain/time.ts';
import type { Held } from '../guard/held.ts';
import { type KillResult, killOrders } from '../guard/kill.ts';
import type { OwnOrders } from '../guard/own-book.ts';
import type { KillDoor } from '../guard/sweep.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Killer, KillUpdate } from './http-parent.ts';

export type GuardKillOptions = {
  readonly door: KillDoor;
  readonly timing: Settings['timing'];
  /** Nobody sets it. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly latch: (by: string) => Promise<void>;
  /** What no disk has taken: whoever begins below this guard learns it all the same. */
  readonly held: Pick<Held, 'killedBy' | 'onUnlatched'>;
  /** Whose orders are meant, and how late one may be accepted that has left the trader. */
  readonly known: () => { readonly own: OwnOrders | undefined; readonly horizonMs: number };
  /** By which others know of which account an answer is; `undefined` without credentials. */
  readonly account: () => string | undefined;
};

/** Who asks more often than that hears of the later ones. */
const TELLS_MAX = 64;
/** A disk that has not taken the latch is tried again this often. */
const RETRY_MS = 1_000;

/** One sweep for all who ask: a kill that is asked for again while it goes on is answered by it, and later. */
type Running = {
  readonly tells: Map<number, (update: KillUpdate) => void>;
  /** When it was asked for last: what was in flight then may still arrive. */
  fromMs: number;
  lastId: number;
  isConfirmed: boolean;
  isLifted: boolean;
  step: string | undefined;
};

export class GuardKill implements Killer {
  readonly #options: GuardKillOptions;
  #running: Running | undefined;
  #latching = Promise.resolve();

  constructor(options: GuardKillOptions) {
    this.#options = options;
  }

  kill(id: number, by: string, tell: (update: KillUpdate) => void): void {
    this.#options.log.warn('guard.kill', { by });
    const fromMs = this.#options.clock.nowMs();
    const run = this.#running;
    if (run !== undefined) {
      run.tells.set(id, tell);
      const [oldest] = run.tells.keys();
      if (run.tells.size > TELLS_MAX && oldest !== undefined) run.tells.delete(oldest);
      run.fromMs = fromMs;
      run.lastId = id;
      run.isConfirmed = false;
      if (run.step !== undefined) tell({ kind: 'step', detail: run.step });
      return;
    }
    const tells = new Map([[id, tell]]);
    const running = { tells, fromMs, lastId: id, isConfirmed: false, isLifted: false };
    this.#running = { ...running, step: undefined };
    void this.#run(this.#running);
  }

  /** One after the other: each that waits for a disk that hangs holds a thread, of which names are looked up on four. */
  latch(by: string): void {
    this.#latching = this.#latching.then(async () => await this.#latch(by));
  }

  /** Tried again until the disk has it, or an operator has lifted what is held. */
  async #latch(by: string): Promise<void> {
    const { latch, held, log, timers } = this.#options;
    try {
      await latch(by);
      if (held.killedBy === by) held.onUnlatched(undefined);
    } catch (error) {
      log.error('guard.latch_failed', { detail: String(error) });
      if (held.killedBy !== by) held.onUnlatched(by);
      timers.after(RETRY_MS, () => {
        if (held.killedBy === by) this.latch(by);
      });
    }
  }

  /** A word about an earlier kill says nothing of what was asked for since. */
  confirmed(id: number): void {
    if (this.#running?.lastId === id) this.#running.isConfirmed = true;
  }

  /**
   * A trader quotes again: what it places is no order of before the kill. One that was asked for less than a quiet
   * time ago is another kill than the one that was resumed from.
   */
  resumed(): void {
    const { clock, timing } = this.#options;
    const run = this.#running;
    if (run === undefined || clock.nowMs() - run.fromMs < timing.proofQuietMs) return;
    this.#running = undefined;
    run.isLifted = true;
    for (const tell of run.tells.values()) tell({ kind: 'step', detail: 'a resume has lifted it' });
    run.tells.clear();
  }

  async #run(run: Running): Promise<void> {
    const result = await this.#swept(run);
    if (this.#running === run) this.#running = undefined;
    this.#options.log.warn('guard.kill_ended', result);
    const isConfirmed = result.kind === 'confirmed';
    const body = isConfirmed
      ? { ...result, account: this.#options.account() }
      : { error: 'not confirmed', ...result };
    for (const tell of run.tells.values()) tell({ kind: 'ended', isConfirmed, body });
  }

  /** Not confirmed by its deadline, it begins anew as long as something may arrive, or somebody has asked meanwhile. */
  async #swept(run: Running): Promise<KillResult> {
    const { clock, known } = this.#options;
    let cancelled = 0;
    for (;;) {
      const { fromMs } = run;
      const result = await this.#sweep(run);
      cancelled += result.cancelled;
      const isOver = run.fromMs === fromMs && clock.nowMs() >= fromMs + known().horizonMs;
      if (result.kind === 'confirmed' || isOver || run.isLifted) return { ...result, cancelled };
    }
  }

  async #sweep(run: Running): Promise<KillResult> {
    const { door, timing, clock, timers, known } = this.#options;
    return await killOrders({
      ...{ door, own: known().own, clock, timers, scope: { kind: 'account' } },
      quietMs: timing.proofQuietMs,
      deadlineMs: timing.proofDeadlineMs,
      inFlightUntilMs: () => (run.isConfirmed ? 0 : run.fromMs + known().horizonMs),
      isCalledOff: () => run.isLifted,
      onProgress: ({ detail }) => {
        run.step = detail;
        for (const tell of run.tells.values()) tell({ kind: 'step', detail });
      },
    });
  }
}
