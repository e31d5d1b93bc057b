// The guard process put together: its own warm connections, its trader, its signals. Nothing of the
// daemon is loaded here, so that nothing of it can fail here.

import { existsSync } from 'node:fs';
import process from 'node:process';
import type { SystemClock } from '../clock/system.ts';
import type { Part } from '../guard/child.ts';
import { Faults } from '../guard/fault.ts';
import { Held } from '../guard/held.ts';
import type { HorizonUpdate } from '../guard/horizon.ts';
import type { OwnOrders } from '../guard/own-book.ts';
import type { HttpPlace } from '../guard/protocol.ts';
import { Supervisor } from '../guard/supervisor.ts';
import type { GuardEnd, SupervisorSettings } from '../guard/supervisor-options.ts';
import { setLatch } from '../journal/latch.ts';
import { heldOf } from '../settings/held.ts';
import type { GuardSettings } from '../settings/load.ts';
import { readRoleTokens } from '../settings/role-tokens.ts';
import type { Log } from '../telemetry/logs.ts';
import { createVenueHttp, type VenueHttp } from '../venue/http/venue-http.ts';
import type { CredentialsProvider } from '../venue/options.ts';
import { accountMark } from './account-mark.ts';
import { controlTokenOf } from './control-token.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { GuardHold } from './guard-hold.ts';
import { GuardKeys, type KeyTerminal } from './guard-keys.ts';
import { GuardKill } from './guard-kill.ts';
import { HttpParent, type Killer, proofMsMax } from './http-parent.ts';
import { KeptOwn } from './kept-own.ts';
import { Launcher } from './launcher.ts';
import { isFree } from './ports.ts';
import { stopDeadlineMs } from './stop-time.ts';
import { hangUpOnce, isTerminalGone, onTerminalLost } from './terminal.ts';
import { traderPart } from './trader-part.ts';
import { KILL_RETRY_AFTER_MS_MAX, venueHttpOptions } from './venue-access.ts';

export type GuardOptions = {
  readonly settings: GuardSettings;
  readonly credentials: CredentialsProvider;
  readonly clock: SystemClock;
  readonly log: Log;
  /** The command of the trader and its options. */
  readonly args: readonly string[];
  /** The first trader, where it loads already. */
  readonly ahead?: Part | undefined;
  readonly configFile: string;
  /** HTTP is served on another port where the wanted one is taken. */
  readonly mayMovePort?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What a trader is told beside what the guard knows. */
  readonly extra?: unknown;
  /** A trader is gone that could not put its screen away. */
  readonly onGone: () => void;
  /** Given a way to write lines where a trader has its screen; false when there is no trader. */
  readonly onTell: (tell: (line: string) => boolean) => void;
  /** Absent where nobody takes keys. */
  readonly keys?: KeyTerminal;
  /** Resolves when there is nothing left to trade on. */
  readonly venueGone?: Promise<void>;
  /** Why it shows nothing more; never settles while it does. */
  readonly venueFault?: Promise<string>;
  /** The venue begins anew with this process: nothing of an earlier run can rest there. */
  readonly isVenueNew?: boolean;
};

/** Runs a trader to its end, however often it dies on the way. */
export async function runGuard(options: GuardOptions): Promise<GuardEnd> {
  const { settings, credentials, clock } = options;
  const unhookFaults = hookFaults(options);
  const access = { settings, credentials, clock, timers: clock };
  const keepAliveMs = settings.guard.warmMs * KEEP_ALIVE_PERIODS;
  const retryAfterMsMax = KILL_RETRY_AFTER_MS_MAX;
  const door = createVenueHttp(venueHttpOptions({ ...access, keepAliveMs, retryAfterMsMax }));
  const callOffWarming = keepWarm(door, options);
  const kept: { supervisor?: Supervisor } = {};
  const held = new Held(options.log);
  const killer = killerOf(options, { door, held }, () => kept.supervisor?.known);
  const isPortFree = await mayServe(options);
  const http = await httpOf(options, killer);
  const launcher = launcherOf(options, { path: http.path, isPortFree });
  const hold = new GuardHold(settings.journal.path, clock);
  const supervisor = supervisorOf(options, door, { launcher, hold, held, killer });
  kept.supervisor = supervisor;
  options.onTell((line) => supervisor.tell({ kind: 'line', line }));
  takeKeys(options, killer, supervisor);
  const unhook = hookSignals(supervisor);
  void options.venueGone?.then(() => supervisor.abandon());
  void options.venueFault?.then((detail) => launcher.venueFault(detail));
  try {
    return await supervisor.run();
  } finally {
    unhook();
    callOffWarming();
    launcher.close();
    http.close();
    await hold.release();
    await door.stop();
    unhookFaults();
  }
}

/** The exit code of the command, where the trader did not give it. */
export function exitOfGuard(end: GuardEnd): ExitCode {
  if (end.kind === 'passed') {
    // A start that was called off in good order, and nobody has looked at what an earlier run left.
    if (end.code === EXIT.done && end.earlier?.kind === 'left') return EXIT.unconfirmed;
    return Object.values(EXIT).find((code) => code === end.code) ?? 1;
  }
  if (!end.isConfirmed) return EXIT.unconfirmed;
  if (!end.isLatched) return EXIT.failed;
  return end.isStopped ? EXIT.done : EXIT.failed;
}

/** A trader that has missed so many of its signs does not answer to a key. */
const SIGNS_MISSED = 4;

function takeKeys(options: GuardOptions, killer: Killer, supervisor: Supervisor): void {
  const { keys, clock, settings } = options;
  if (keys === undefined) return;
  const answersMs = settings.guard.heartbeatMs * SIGNS_MISSED;
  const guardKeys = new GuardKeys({
    ...{ killer, terminal: keys, clock: clock.steady() },
    isAnswering: () => (supervisor.silentMs ?? answersMs) < answersMs,
    pass: (key) => supervisor.tell({ kind: 'key', key }),
  });
  keys.onPress((key) => guardKeys.press(key));
}

/** A connection outlives a read that came late. */
const KEEP_ALIVE_PERIODS = 3;

async function mayServe({ settings: { http }, mayMovePort }: GuardOptions): Promise<boolean> {
  return mayMovePort === true || http.port === 0 || (await isFree(http.host, http.port));
}

/** Served beside the trader, so that it answers whatever becomes of one. */
async function httpOf(options: GuardOptions, killer: Killer): Promise<HttpParent> {
  const { settings, env, clock, log, configFile, mayMovePort = false } = options;
  const { timing, journal, http } = settings;
  const controlToken = await controlTokenOf({ ...settings, journal: journal.path }, log);
  return new HttpParent({
    ...{ http, configFile, controlToken, env, log, timers: clock, mayMove: mayMovePort },
    proofMsMax: proofMsMax(timing),
    journal: journal.path,
    roleTokens: readRoleTokens(env),
    killer,
  });
}

function killerOf(
  { settings, credentials, clock, log }: GuardOptions,
  { door, held }: { readonly door: VenueHttp; readonly held: Held },
  known: () => Supervisor['known'] | undefined,
): GuardKill {
  const { journal, timing, venue } = settings;
  return new GuardKill({
    ...{ door, held, timing, log, timers: clock, clock: clock.steady() },
    latch: async (by) => {
      const at = new Date(clock.nowMs()).toISOString();
      await setLatch(journal.path, { by, reason: 'kill', at });
    },
    known: () => known() ?? { own: undefined, horizonMs: timing.unknownHorizonMs },
    account: () => accountMark(venue.baseUrl, credentials.current()),
  });
}

function launcherOf(options: GuardOptions, http: HttpPlace): Launcher {
  const { args, env, extra, clock, settings, ahead } = options;
  const hasReserve = settings.guard.reserve;
  const held = heldOf(settings);
  const part = traderPart(args, env);
  return new Launcher({ ...part, extra, settings: held, timers: clock, hasReserve, http, ahead });
}

function supervisorOf(
  options: GuardOptions,
  door: VenueHttp,
  {
    launcher,
    hold,
    held,
    killer,
  }: {
    readonly launcher: Launcher;
    readonly hold: GuardHold;
    readonly held: Held;
    readonly killer: GuardKill;
  },
): Supervisor {
  const { settings, clock, log, onGone } = options;
  return new Supervisor({
    settings: supervisorSettings(settings),
    // A time of day that is set ahead confirms nothing.
    clock: clock.steady(),
    wallClock: clock,
    timers: clock,
    ...{ door, log, held, onGone },
    hadJournal: options.isVenueNew !== true && existsSync(settings.journal.path),
    hasLeft: async () => await hasLeft(options),
    launch: (facts) => launcher.launch(facts),
    onStarted: () => launcher.prepare(),
    onResumed: () => killer.resumed(),
    hold: async () => await hold.take(),
    own: (told) => keptOwn(options, told),
    learn: async () => await learn(options),
    latch: async (reason) => {
      const at = new Date(clock.nowMs()).toISOString();
      await setLatch(settings.journal.path, { by: 'guard', reason, at });
    },
  });
}

/** Loaded where a start is called off that early, and nowhere else. */
async function hasLeft({ settings, clock }: GuardOptions): Promise<boolean> {
  const { hasLeftOrders } = await import('./earlier.ts');
  const { baseUrl } = settings.venue;
  return await hasLeftOrders({ path: settings.journal.path, baseUrl, clock });
}

/** For a guard that no trader has told anything; loaded after a death as well. */
async function learn({ settings, clock }: GuardOptions): Promise<HorizonUpdate> {
  const { learntLateness } = await import('./learnt.ts');
  const { unknownHorizonMs: horizonMs } = settings.timing;
  return await learntLateness({ path: settings.journal.path, clock, horizonMs });
}

/** Nothing of a ledger is loaded before a death, and nothing depends on it. */
function keptOwn({ settings, clock, log }: GuardOptions, told: OwnOrders): OwnOrders {
  const { path } = settings.journal;
  const { baseUrl } = settings.venue;
  return new KeptOwn({
    told,
    clock,
    open: async () => {
      const { LedgerOwn } = await import('./ledger-own.ts');
      return await LedgerOwn.open({ path, baseUrl, clock });
    },
    onFailed: (error) => log.warn('guard.ledger_unread', { detail: String(error) }),
  });
}

function supervisorSettings({ guard, timing, orders }: GuardSettings): SupervisorSettings {
  const { scope } = orders;
  return {
    ...guard,
    scope,
    horizonMs: timing.unknownHorizonMs,
    tellMs: timing.proofDeadlineMs,
    stopDeadlineMs: stopDeadlineMs(guard),
  };
}

/** A cancel on a new connection would take three times as long as on one that is open. */
function keepWarm(door: VenueHttp, { settings, clock, log }: GuardOptions): () => void {
  let callOff = () => {};
  let isReached: boolean | undefined;
  let isOver = false;
  const warm = async (): Promise<void> => {
    const { kind } = await door.keepWarm();
    if (isOver) return;
    const isNow = kind === 'ok';
    if (isNow && isReached === false) log.info('guard.venue_reached');
    if (!isNow && isReached !== false) log.warn('guard.venue_unreachable', { answer: kind });
    isReached = isNow;
    callOff = clock.after(settings.guard.warmMs, () => void warm());
  };
  void warm();
  return () => {
    isOver = true;
    callOff();
  };
}

/**
 * Node would end a process for an error that nobody caught, amid a cancel too: whoever watches, starts and cancels
 * catches his own, and anything else may fail without them.
 */
function hookFaults({ log, clock }: GuardOptions): () => void {
  const faults = new Faults(log, clock.steady());
  const onFault = (error: unknown): void => {
    try {
      faults.onFault(error);
    } catch {
      // To say it fails as well.
    }
  };
  const names = ['uncaughtException', 'unhandledRejection'] as const;
  for (const name of names) process.on(name, onFault);
  return () => {
    for (const name of names) process.off(name, onFault);
  };
}

/** SIGHUP is for the trader, unless it says that the terminal is gone. */
function hookSignals(supervisor: Supervisor): () => void {
  const onGone = hangUpOnce(() => supervisor.stop('SIGTERM'));
  const hangUp = (): void => {
    if (isTerminalGone()) onGone();
    else supervisor.reload();
  };
  const listeners = [
    ['SIGTERM', () => supervisor.stop('SIGTERM')],
    ['SIGINT', () => supervisor.stop('SIGINT')],
    ['SIGQUIT', () => supervisor.stop('SIGTERM')],
    ['SIGHUP', hangUp],
  ] as const;
  for (const [name, listener] of listeners) process.on(name, listener);
  const unhookTerminal = onTerminalLost(onGone);
  return () => {
    unhookTerminal();
    for (const [name, listener] of listeners) process.off(name, listener);
  };
}
