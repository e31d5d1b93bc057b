// The trader's end of the channel to its guard: sign of activity, who answers for the account, and
// what to do when the guard is gone.

import process from 'node:process';
import type { Supervision } from '../domain/supervision.ts';
import {
  type FromTrader,
  type RunFacts,
  readToTrader,
  type Stops,
  TAKE_OVER_MS_MAX,
  type ToTrader,
} from '../guard/protocol.ts';
import type { TellGuard } from './own-orders.ts';

export type Begun = Extract<ToTrader, { kind: 'begin' }>;

/** What a daemon has of its guard. */
export interface Guarded {
  readonly facts: Pick<
    RunFacts,
    keyof Supervision | 'hasTraded' | 'unlatchedBy' | 'stops' | 'suspended'
  >;
  /** Times at which the machine did not let a trader run, over all runs, as far as the guard has said. */
  starved?(): number;
  /** Why the venue shows nothing more; absent while it does. */
  venueFault?(): string | undefined;
  /** Of the time for which an account must show no open order, for a run after a dead one. */
  readonly handoverQuietMs: number;
  /**
   * Asks the guard to cancel nothing any more. It is waited for only so long: a guard that is
   * stopped must not keep a trader from its work.
   *
   * @returns For how long the account has shown no open order, if the guard can say.
   */
  takeOver(): Promise<number | undefined>;
  /** Which orders are ours; a guard that does not read is told later. */
  orders: TellGuard;
  started(): void;
  /** Somebody at the terminal wants guard and trader to end. */
  endAsked?(): void;
  /** An operator has resumed: the guard ends a kill of before. */
  resumed?(): void;
  /** The text of the configuration that is in force, for the run after this one. */
  config(text: string): void;
  /** By whom the account was killed while the disk does not take the latch; none once it has, or a resume. */
  unlatched(by: string | undefined): void;
  /** What keeps quotes away and no disk has taken; empty where the disk has all of it. */
  stops(stops: Stops): void;
  /**
   * `isUntouched`: it never got to what a previous run of this journal may have left on the venue.
   * `unsettled`: orders that have matched and may rest again.
   */
  leaving(isUntouched: boolean, unsettled?: number, inFlight?: readonly string[]): void;
  /** It has ended, and cancels for nobody any more. */
  isGone(): boolean;
}

export interface GuardLink {
  /** Rejects when the guard is gone before it has said anything. */
  readonly begun: Promise<Begun>;
  /** Shows from here on that the event loop turns. */
  beat(everyMs: number): void;
  guarded(begun: Begun, handoverQuietMs: number): Guarded;
  /** Lines of log that the guard would have written over a screen. */
  onLine(task: (line: string) => void): void;
  /** Keys that the guard has read at the terminal. */
  onKey(task: (key: string) => void): void;
  /** Told once, also when it has happened already. */
  onGone(task: () => void): void;
}

/**
 * Words about orders that the guard has not read, as when it is stopped: some hundred kilobytes. What
 * comes after them waits here, and a later word about an order replaces the one before it.
 */
const WORDS_UNDER_WAY_MAX = 64;

/**
 * `undefined` when no guard has started this process.
 * @param early - What it had said before anybody listened here.
 */
export function openGuardLink(early: readonly unknown[] = []): GuardLink | undefined {
  return process.send === undefined ? undefined : new ProcessLink(early);
}

class ProcessLink implements GuardLink {
  readonly begun: Promise<Begun>;
  readonly #gone: Promise<void>;
  /** A guard that does not read must not fill our memory: one sign is under way at the most. */
  #isBeatUnderWay = false;
  #wordsUnderWay = 0;
  #starved: number | undefined;
  #venueFault: string | undefined;
  /** The text that is under way, and the last one that is to follow it. */
  #config: { readonly sent: string; last: string } | undefined;

  constructor(early: readonly unknown[]) {
    this.#gone = new Promise((resolve) => {
      process.once('disconnect', resolve);
      // It may have ended while this program loaded; what it had said before is read first.
      if (!process.connected) setImmediate(resolve);
    });
    const lost = this.#gone.then(() => Promise.reject(new Error('the guard is gone')));
    this.begun = Promise.race([this.#next('begin'), lost]);
    // Before anybody asks: what comes right behind `begin` is said once.
    process.on('message', (raw) => this.#keep(readToTrader(raw)));
    for (const message of early) process.emit('message', message, undefined);
    // Whoever waits for it is told; nobody may wait.
    this.begun.catch(() => undefined);
    lost.catch(() => undefined);
  }

  beat(everyMs: number): void {
    const sign = (): void => {
      if (this.#isBeatUnderWay) return;
      this.#isBeatUnderWay = true;
      this.#say({ kind: 'beat' }, () => {
        this.#isBeatUnderWay = false;
      });
    };
    sign();
    setInterval(sign, everyMs).unref();
    // From here on the daemon keeps the process alive, not the channel.
    process.channel?.unref();
  }

  guarded({ facts }: Begun, handoverQuietMs: number): Guarded {
    return {
      facts,
      handoverQuietMs,
      takeOver: async () => {
        const go = this.#next('go', TAKE_OVER_MS_MAX);
        this.#say({ kind: 'ready' });
        return (await go)?.quietForMs;
      },
      orders: (words) => this.#sayOrders(words),
      config: (text) => this.#sayConfig(text),
      started: () => this.#say({ kind: 'started' }),
      endAsked: () => this.#say({ kind: 'endAsked' }),
      resumed: () => this.#say({ kind: 'resumed' }),
      unlatched: (by) => this.#say({ kind: 'unlatched', by }),
      stops: (stops) => this.#say({ kind: 'stops', stops }),
      leaving: (isUntouched, unsettled = 0, inFlight = []) =>
        this.#say({ kind: 'leaving', isUntouched, unsettled, inFlight }),
      isGone: () => !process.connected,
      starved: () => this.#starved ?? facts.starved ?? 0,
      venueFault: () => this.#venueFault ?? facts.venueFault,
    };
  }

  onLine(task: (line: string) => void): void {
    process.on('message', (raw) => {
      const message = readToTrader(raw);
      if (message?.kind === 'line') task(message.line);
    });
  }

  onKey(task: (key: string) => void): void {
    process.on('message', (raw) => {
      const message = readToTrader(raw);
      if (message?.kind === 'key') task(message.key);
    });
  }

  onGone(task: () => void): void {
    void this.#gone.then(task);
  }

  #keep(message: ToTrader | undefined): void {
    if (message?.kind === 'starved') this.#starved = message.times;
    if (message?.kind === 'venueFault') this.#venueFault = message.detail;
  }

  #sayOrders(words: Parameters<TellGuard>[0]): boolean {
    if (this.#wordsUnderWay >= WORDS_UNDER_WAY_MAX) return false;
    this.#wordsUnderWay += 1;
    this.#say(words(), () => {
      this.#wordsUnderWay -= 1;
    });
    return true;
  }

  /** One is under way at the most, whatever a guard that is stopped does not read meanwhile. */
  #sayConfig(text: string): void {
    if (this.#config !== undefined) {
      this.#config.last = text;
      return;
    }
    const config = { sent: text, last: text };
    this.#config = config;
    this.#say({ kind: 'config', text }, () => {
      this.#config = undefined;
      if (config.last !== config.sent) this.#sayConfig(config.last);
    });
  }

  #say(message: FromTrader, onDone: () => void = () => {}): void {
    if (process.connected) process.send?.(message, undefined, undefined, onDone);
  }

  async #next<Kind extends ToTrader['kind']>(
    kind: Kind,
  ): Promise<Extract<ToTrader, { kind: Kind }>>;
  async #next<Kind extends ToTrader['kind']>(
    kind: Kind,
    withinMs: number,
  ): Promise<Extract<ToTrader, { kind: Kind }> | undefined>;
  async #next(kind: ToTrader['kind'], withinMs?: number): Promise<ToTrader | undefined> {
    return await new Promise((resolve) => {
      const settle = (message: ToTrader | undefined): void => {
        clearTimeout(timer);
        process.off('message', listen);
        resolve(message);
      };
      const listen = (raw: unknown): void => {
        const message = readToTrader(raw);
        if (message?.kind === kind) settle(message);
      };
      const timer =
        withinMs === undefined ? undefined : setTimeout(() => settle(undefined), withinMs);
      process.on('message', listen);
    });
  }
}
