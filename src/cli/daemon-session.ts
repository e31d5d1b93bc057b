// A daemon in the foreground: its log, its screen where there is a terminal, its end.

import process from 'node:process';
import type { DaemonOptions } from '../app/compose.ts';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { type NotifyingLog, notifyingLog } from '../app/notify.ts';
import { type ServeOptions, serve } from '../app/serve.ts';
import { type StartedDaemon, startDaemon } from '../app/startup.ts';
import { lastNoticesMs, stopDeadlineMs } from '../app/stop-time.ts';
import type { SystemClock } from '../clock/system.ts';
import type { Settings } from '../settings/settings.ts';
import { createLog, type Log } from '../telemetry/logs.ts';
import { typed } from './again.ts';
import { ENDED_EARLY } from './early-signals.ts';
import { type CliIo, printLine } from './io.ts';
import { noneLeft, restLines, unsettledText } from './kill-lines.ts';
import { createLastEvents, type Names, OF_MARKET } from './last-events.ts';
import { createLogTarget, type LogTarget } from './log-target.ts';
import { paintFor } from './paint.ts';
import { runLines } from './run-lines.ts';
import { ScreenKeys } from './screen-keys.ts';
import { screenTitle } from './screen-title.ts';
import { isScreenWanted, type SessionOptions } from './session-options.ts';
import type { ShownState } from './state-schema.ts';
import { moneyText } from './status-lines.ts';
import { openScreen } from './status-screen.ts';
import { obeyTerminal } from './terminal-operator.ts';

type RunOptions = Omit<DaemonOptions, 'log' | 'clock'> &
  Pick<ServeOptions, 'onGuardGone'> & {
    /** Given whom the keys of the terminal are for; absent where nobody reads them. */
    readonly onKey?: ((press: (key: string) => void) => void) | undefined;
  };

/** Lines of the list that stay in the scroll-back when the screen is gone. */
const LINES_LEFT = 8;

export class Session {
  readonly log: Log;
  readonly clock: SystemClock;
  readonly #io: CliIo;
  readonly #target: LogTarget;
  readonly #hasScreen: boolean;
  readonly #waits: { readonly stopMs: number; readonly cancelMs: number };
  readonly #notices: NotifyingLog;
  readonly #lastNoticesMs: number;
  /** A guard cancels when this process is gone, and has words of its own for it: it does not wait for any of ours. */
  #noticesMs = 0;

  /** Opens the log; nothing runs yet. */
  constructor(
    io: CliIo,
    settings: Pick<Settings, 'logging' | 'notifyUrls' | 'guard' | 'timing'>,
    given: SessionOptions & { readonly clock: SystemClock },
  ) {
    this.#io = io;
    this.clock = given.clock;
    this.#hasScreen = isScreenWanted(io, given);
    const { proofDeadlineMs: cancelMs } = settings.timing;
    this.#waits = { stopMs: stopDeadlineMs(settings.guard), cancelMs };
    const { level, format } = settings.logging;
    this.#target = createLogTarget(io.stderr, {
      file: given.logFile,
      format,
      onDropped: (linesTotal) => this.log.warn('log.dropped', { linesTotal }),
    });
    const isOwnTarget = this.#hasScreen || given.logFile !== undefined;
    const log = createLog(
      isOwnTarget ? { level, format: 'json', sink: this.#target } : { level, format },
    );
    this.#lastNoticesMs = lastNoticesMs(settings.guard);
    this.#notices = notifyingLog(log, settings.notifyUrls, this.clock);
    this.log = this.#notices.log;
  }

  /** Runs the daemon to its end, on the screen where there is one. */
  async run(title: string, { onGuardGone, onKey, ...options }: RunOptions): Promise<ExitCode> {
    const { log, clock } = this;
    let started: StartedDaemon | undefined;
    const code = await serve({
      clock,
      log,
      onGuardGone,
      start: async (signals) => await startDaemon({ ...options, log, clock }, signals),
      onStarted: (daemon) => {
        started = daemon;
        if (!this.#hasScreen) return () => {};
        const end = options.guarded?.endAsked ?? (() => process.kill(process.pid, 'SIGINT'));
        const resume = typed(this.#io.env, 'resume', options.source.file);
        return this.#showScreen(title, daemon, { onKey, end, resume });
      },
    });
    printLine(this.#io.stdout, endLine(code, started));
    // The venue of a paper run says itself what was earned there.
    const lines = started ? runLines(started, { withEarned: options.endsWithGuard !== true }) : [];
    for (const line of lines) printLine(this.#io.stdout, line);
    // A guard that is there goes on, and says in the end what is left.
    const isLast = options.guarded?.isGone() !== false;
    if (isLast || code === EXIT.done) this.#noticesMs = this.#lastNoticesMs;
    const rests = isLast ? (started?.daemon.rests ?? []) : [];
    for (const line of restLines(rests)) printLine(this.#io.stdout, line);
    return code;
  }

  /** A line of log that another process has written. */
  write(line: string): void {
    this.#target.write(line);
  }

  async close(): Promise<void> {
    await this.#notices.close(this.#noticesMs);
    await this.log.flush();
    await this.#target.close();
  }

  #showScreen(
    title: string,
    started: StartedDaemon,
    {
      onKey,
      end,
      resume,
    }: Pick<RunOptions, 'onKey'> & {
      readonly end: () => void;
      readonly resume: string;
    },
  ): () => void {
    const { daemon } = started;
    let names: Names = new Map();
    let markets: ShownState['markets'] = [];
    const keys = new ScreenKeys({
      nowMs: () => this.clock.nowMs(),
      markets: () => markets,
      act: async (order) => await obeyTerminal(order, daemon, end),
    });
    const events = createLastEvents(() => names);
    const undivert = this.#target.divert(events);
    const screen = openScreen({
      terminal: this.#io.stdout,
      timers: this.clock.background,
      paint: paintFor({ isTTY: true }, this.#io.env),
      title: screenTitle(
        () => `${title} · ${started.httpAddress ?? 'no HTTP'} · Ctrl-C cancels everything and ends`,
        this.#waits,
        () => performance.now(),
      ),
      state: () => {
        const view = daemon.view();
        names = namesOf(view);
        ({ markets } = view);
        return view;
      },
      events,
      resume,
      ...(onKey === undefined ? {} : { keys }),
    });
    onKey?.((key) => {
      keys.press(key);
      screen.redraw();
    });
    const leave = () => screen.close();
    // Whatever ends the process, the terminal is given back.
    process.once('exit', leave);
    return () => {
      process.off('exit', leave);
      screen.close();
      undivert();
      for (const line of events.last(LINES_LEFT)) printLine(this.#io.stderr, line);
    };
  }
}

function namesOf({ markets }: ShownState): Names {
  return new Map(
    markets.flatMap(({ marketId, title, yesTokenId, noTokenId }) => [
      [marketId, title] as const,
      [yesTokenId, `YES${OF_MARKET}${title}`] as const,
      [noTokenId, `NO${OF_MARKET}${title}`] as const,
    ]),
  );
}

function settlingText(orders: number): string {
  return orders === 0 ? '' : `; ${unsettledText(orders)}`;
}

function endLine(code: ExitCode, started: StartedDaemon | undefined): string {
  if (!started && code === EXIT.unconfirmed) {
    return 'ENDED WITHOUT PROOF before it had started: run `bookend kill`';
  }
  if (!started) return ENDED_EARLY;
  const { account, cancelScope, phase, phaseReason } = started.daemon.view();
  const pnl = account.pnlUsdc;
  // It names what is left, where a list could be read.
  const left = phase === 'stopping' ? `; ${phaseReason}` : '';
  const earned = pnl === undefined ? '' : `; P&L ${moneyText(pnl, true)} USDC`;
  switch (code) {
    case EXIT.done:
      return `stopped: ${noneLeft(cancelScope)}${earned}${settlingText(started.daemon.unsettled)}`;
    case EXIT.unconfirmed:
      return `STOPPED WITHOUT PROOF: orders may be left on the venue; run \`bookend kill\`${earned}${left}`;
    default:
      return `failed: ${noneLeft(cancelScope)}${earned}`;
  }
}
