// A guard in the foreground: its settings, its log, the terminal that a dead trader left behind.

import type { ExitCode } from '../app/exit.ts';
import { exitOfGuard, runGuard } from '../app/guard.ts';
import { type NotifyingLog, notifyingLog } from '../app/notify.ts';
import { lastNoticesMs } from '../app/stop-time.ts';
import { type SystemClock, systemClock } from '../clock/system.ts';
import type { Part } from '../guard/child.ts';
import type { EarlierOrders, GuardEnd } from '../guard/supervisor-options.ts';
import { type GuardSettings, loadGuardSettings } from '../settings/load.ts';
import { SettingsError } from '../settings/problems.ts';
import { createLog, type Log } from '../telemetry/logs.ts';
import type { CredentialsProvider } from '../venue/options.ts';
import { ENDED_EARLY } from './early-signals.ts';
import { type CliIo, printLine } from './io.ts';
import { openKeys } from './keys.ts';
import { noneLeft, restLines, unsettledText } from './kill-lines.ts';
import { createLogTarget, type LogTarget } from './log-target.ts';
import { configured } from './options.ts';
import { isScreenWanted, type SessionOptions, traderArgs } from './session-options.ts';
import { LEAVE_SCREEN } from './terminal-codes.ts';
import { AT_TERMINAL } from './terminal-operator.ts';

export type GuardedRun = {
  readonly settings: GuardSettings;
  readonly credentials: CredentialsProvider;
  /** The first trader, where it loads already. */
  readonly ahead?: Part | undefined;
  /** What a trader is told beside what the guard knows. */
  readonly extra?: unknown;
  readonly venueGone?: Promise<void>;
  /** Why it shows nothing more; never settles while it does. */
  readonly venueFault?: Promise<string>;
  readonly isVenueNew?: boolean;
  readonly mayMovePort?: boolean;
};

/**
 * The part of the settings that the guard needs.
 * @throws {SettingsError} With every problem of the whole file when this part has one.
 */
export async function guardSettings(io: CliIo, file: string): Promise<GuardSettings> {
  try {
    return loadGuardSettings({ file, env: io.env });
  } catch (error) {
    if (error instanceof SettingsError) await configured(io, file);
    throw error;
  }
}

export class GuardSession {
  readonly log: Log;
  readonly clock: SystemClock = systemClock();
  readonly #io: CliIo;
  readonly #options: SessionOptions;
  readonly #target: LogTarget;
  readonly #hasScreen: boolean;
  readonly #notices: NotifyingLog;
  readonly #noticesMs: number;
  #tell: (line: string) => boolean = () => false;

  constructor(
    io: CliIo,
    { logging, notifyUrls, guard }: Pick<GuardSettings, 'logging' | 'notifyUrls' | 'guard'>,
    options: SessionOptions,
  ) {
    this.#io = io;
    this.#options = options;
    this.#hasScreen = isScreenWanted(io, options);
    const { level, format } = logging;
    this.#target = createLogTarget(io.stderr, {
      file: options.logFile,
      format,
      onDropped: (linesTotal) => this.log.warn('log.dropped', { linesTotal }),
    });
    const log = createLog({ level, format: 'json', sink: { write: (line) => this.write(line) } });
    this.#noticesMs = lastNoticesMs(guard);
    this.#notices = notifyingLog(log, notifyUrls, this.clock);
    this.log = this.#notices.log;
  }

  /** A JSON line; while a trader has its screen on the terminal, the line is shown there. */
  write(line: string): void {
    if (!this.#hasScreen || !this.#tell(line)) this.#target.write(line);
  }

  /** Runs the guard to its end. */
  async run(run: GuardedRun): Promise<ExitCode> {
    let press = (_key: string): void => undefined;
    const keys = this.#hasScreen
      ? openKeys({ timers: this.clock.background, press: (key) => press(key) })
      : undefined;
    const end = await runGuard({
      ...run,
      clock: this.clock,
      log: this.log,
      args: traderArgs({ ...this.#options, keys: keys !== undefined }),
      keys: {
        by: AT_TERMINAL,
        say: (line) => {
          for (const each of ['', line]) printLine(this.#io.stdout, each);
        },
        onPress: (to) => {
          press = to;
        },
      },
      configFile: this.#options.config,
      env: this.#io.env,
      onTell: (tell) => {
        this.#tell = tell;
      },
      // What a trader that was killed could not do: the terminal is given back.
      onGone: () => {
        if (this.#hasScreen) this.#io.stdout.write(LEAVE_SCREEN);
      },
    }).finally(() => keys?.close());
    for (const line of endLines(end)) printLine(this.#io.stdout, line);
    return exitOfGuard(end);
  }

  async close(): Promise<void> {
    this.#tell = () => false;
    await this.#notices.close(this.#noticesMs);
    await this.#target.close();
  }
}

function earlierLines(earlier: EarlierOrders | undefined): readonly string[] {
  if (earlier === undefined) return [];
  if (earlier.kind === 'left') {
    return ['an earlier run may have left orders on the venue: run `bookend kill`'];
  }
  const { cancelled } = earlier;
  if (cancelled === 0) return [];
  return [
    `cancelled ${cancelled} orders that an earlier run had left; \`bookend kill\` confirms it`,
  ];
}

/** A trader that ended in good order has said so itself. */
export function endLines(end: GuardEnd): readonly string[] {
  if (end.kind === 'passed')
    return [...(end.isWordless ? [ENDED_EARLY] : []), ...earlierLines(end.earlier)];
  if (!end.isConfirmed) {
    const first = 'STOPPED WITHOUT PROOF: orders may be left on the venue; run `bookend kill`';
    return [first, ...restLines(end.rests)];
  }
  if (!end.isLatched) {
    return [`${noneLeft(end.scope)}; KILL OR PAUSE NOT ON DISK: a new start would quote`];
  }
  const why = end.isStopped ? 'stopped' : 'failed: the trader died and is not started again';
  const settling = end.settling > 0 ? `; ${unsettledText(end.settling)}` : '';
  return [`${why}; ${noneLeft(end.scope)}${settling}`];
}
