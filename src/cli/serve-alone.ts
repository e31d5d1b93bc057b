// HTTP of a trader without a guard. The process that serves it is forked before the trader loads what it needs
// itself, so that both load at once: a start waits for the slower one, and not for one behind the other.

import { controlTokenOf } from '../app/control-token.ts';
import { HttpParent, proofMsMax } from '../app/http-parent.ts';
import { systemClock } from '../clock/system.ts';
import type { GuardSettings } from '../settings/load.ts';
import { readRoleTokens } from '../settings/role-tokens.ts';
import type { Log, LogFields } from '../telemetry/logs.ts';
import type { CliIo } from './io.ts';
import type { SessionOptions } from './session-options.ts';

export type ServedAlone = {
  /** Where it listens for its trader. */
  readonly path: string;
  /** What it has to say, and has said meanwhile, goes there. */
  sayTo(log: Log): void;
  close(): void;
};

/** Nobody kills but the trader itself. */
export async function serveAlone(
  io: CliIo,
  { config }: SessionOptions,
  settings: GuardSettings,
): Promise<ServedAlone> {
  const { http, timing, journal } = settings;
  const log = new LaterLog();
  const parent = new HttpParent({
    ...{ http, configFile: config, env: io.env, log, timers: systemClock().background },
    controlToken: await controlTokenOf({ ...settings, journal: journal.path }, log),
    roleTokens: readRoleTokens(io.env),
    journal: journal.path,
    proofMsMax: proofMsMax(timing),
  });
  return {
    path: parent.path,
    sayTo: (to) => log.sayTo(to),
    close: () => parent.close(),
  };
}

/** More than are said until the log is open; the first ones say what is wrong. */
const LINES_MAX = 100;

/** Keeps what is said before the log is open. */
export class LaterLog implements Pick<Log, 'warn' | 'error'> {
  #log: Log | undefined;
  readonly #kept: ((log: Log) => void)[] = [];

  warn(event: string, fields?: LogFields): void {
    this.#say((log) => log.warn(event, fields));
  }

  error(event: string, fields?: LogFields): void {
    this.#say((log) => log.error(event, fields));
  }

  sayTo(log: Log): void {
    this.#log = log;
    for (const line of this.#kept.splice(0)) line(log);
  }

  #say(line: (log: Log) => void): void {
    if (this.#log !== undefined) line(this.#log);
    else if (this.#kept.length < LINES_MAX) this.#kept.push(line);
  }
}
