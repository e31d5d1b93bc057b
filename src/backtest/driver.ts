// The loop of a backtest: messages in batches, a tick behind each, and the same core as ever.

import { createHash } from 'node:crypto';
import type { Engine } from '../core/engine.ts';
import type { Command, VenuePort } from '../domain/command.ts';
import type { CoreSettings, Input } from '../domain/input.ts';
import type { VenueMessage } from '../domain/message.ts';
import type { Report } from '../domain/report.ts';
import type { Clock, Timers, UnixMs } from '../domain/time.ts';

/** While something happens the core is asked as often as by a running daemon. */
const TICK_MS = 50;
/** After so much quiet it is asked less often: recordings are mostly quiet. */
const QUIET_AFTER_MS = 2_000;
const QUIET_TICK_MS = 1_000;

export type DriverOptions = {
  readonly engine: Engine;
  readonly port: VenuePort;
  readonly time: Clock & Timers;
  readonly onReport: (report: Report) => void;
};

export class Driver {
  readonly #options: DriverOptions;
  readonly #digest = createHash('sha256');
  #waiting: VenueMessage[] = [];
  #isArmed = false;
  #callOffTick: () => void = () => undefined;
  #heardAtMs: UnixMs;
  #isStopped = false;
  /** Inputs told so far. */
  inputs = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#heardAtMs = options.time.nowMs();
  }

  start(settings: CoreSettings): void {
    // Nothing is armed: a turn takes no virtual time that a cancel in front of it could save.
    const orders = { ...settings.orders, armedCancels: false };
    this.#step({ kind: 'settings', atMs: this.#nowMs(), settings: { ...settings, orders } });
    this.#options.port.start((message) => this.#deliver(message));
    this.#turn();
  }

  /** Takes an order of the operator. */
  order(order: Extract<Input, { kind: 'operator' }>['order']): void {
    this.#step({ kind: 'operator', atMs: this.#nowMs(), order });
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOffTick();
  }

  /** A short name of every command to the venue so far: equal runs have equal ones. */
  digest(): string {
    return this.#digest.copy().digest('hex').slice(0, 16);
  }

  #deliver(message: VenueMessage): void {
    this.#waiting.push(message);
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#options.time.after(0, () => {
      this.#isArmed = false;
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#isStopped) return;
    const messages = this.#waiting;
    this.#waiting = [];
    const atMs = this.#nowMs();
    if (messages.length > 0) this.#heardAtMs = atMs;
    for (const message of messages) this.#step({ kind: 'venue', atMs, message });
    this.#step({ kind: 'tick', atMs });
    this.#callOffTick();
    const isQuiet = atMs - this.#heardAtMs > QUIET_AFTER_MS;
    const waitMs = isQuiet ? QUIET_TICK_MS : TICK_MS;
    this.#callOffTick = this.#options.time.after(waitMs, () => this.#turn());
  }

  #step(input: Input): void {
    this.inputs += 1;
    for (const command of this.#options.engine.step(input)) this.#dispatch(command);
    for (const command of this.#options.engine.tend()) this.#dispatch(command);
  }

  #dispatch(command: Command): void {
    // Nothing outlives a backtest: records are not kept.
    if (command.kind === 'record') return;
    if (command.kind === 'report') {
      this.#options.onReport(command.report);
      return;
    }
    if (command.kind !== 'venue') return;
    this.#digest.update(`${this.#nowMs()} ${JSON.stringify(command.command)}\n`);
    this.#options.port.send(command.command);
  }

  #nowMs(): UnixMs {
    return this.#options.time.nowMs();
  }
}
