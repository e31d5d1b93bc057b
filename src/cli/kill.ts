// `kill`: the independent kill switch. It needs no daemon, asks a running one to stop quoting where
// it can, and in any case cancels and confirms by itself.

import { type Command, InvalidArgumentError } from 'commander';
import { accountMark } from '../app/account-mark.ts';
import { EXIT } from '../app/exit.ts';
import { InFlightTracker } from '../app/in-flight-tracker.ts';
import type { LedgerOwn } from '../app/ledger-own.ts';
import { stopDeadlineMs } from '../app/stop-time.ts';
import { killAt } from '../app/venue-access.ts';
import { systemClock } from '../clock/system.ts';
import type { CancelScope } from '../domain/message.ts';
import type { Clock } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';
import type { KillStep } from '../guard/sweep.ts';
import type { JournalHolder } from '../journal/activity.ts';
import { type KillSettings, loadKillSettings } from '../settings/load.ts';
import type { SettingsError } from '../settings/problems.ts';
import { shellWord, typed } from './again.ts';
import { commandName, daemonTokenOf, httpAddressOf, queryOf, requestJson } from './daemon-http.ts';
import { ErrandLatch } from './errand-latch.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { killLines, unreadText } from './kill-lines.ts';
import { ledgerOwn } from './kill-own.ts';
import { KillRecord } from './kill-record.ts';
import { marketScope, tokenScope } from './kill-scope.ts';
import { KillTime } from './kill-time.ts';
import { isNobodyThere } from './nobody-there.ts';
import {
  CONFIG_DOC,
  CONFIG_FLAG,
  command,
  type ErrandAccess,
  JSON_DOC,
  JSON_FLAG,
  venueAccess,
} from './options.ts';
import { Unlisted } from './unlisted.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type KillOptions = RunOptions & {
  readonly token?: CancelScope;
  readonly market?: CancelScope;
  readonly own?: boolean;
  readonly account?: boolean;
  readonly json?: boolean;
  readonly deadline?: number;
};

const NO_CREDENTIALS =
  'no credentials, and no paper run has left an account here: set VENUE_API_KEY, VENUE_API_SECRET and VENUE_API_PASSPHRASE, or VENUE_CREDENTIALS_FILE';
const PAST_DEADLINE: KillResult = {
  kind: 'unconfirmed',
  cancelled: 0,
  tookMs: 0,
  left: undefined,
  detail: 'the deadline came first: a disk or a daemon did not answer',
};

/** Beyond the daemon's own deadline; the independent kill runs beside it and waits for nothing. */
const DAEMON_MARGIN_MS = 5_000;

export function killCommand(io: CliIo, finish: Finish): Command {
  const killing = command(
    'kill',
    'cancels the open orders of the account and confirms it; exit 0 confirmed, 4 not',
  );
  return withRunOptions(killing.requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option('--account', 'every order, whoever placed it (default where orders.scope is account)')
    .option('--own', 'only orders that the ledger of this journal knows as sent from here')
    .option('--token <id>', 'only orders of this token; a running daemon goes on', tokenScope)
    .option(
      '--market <id>',
      'only orders of this market; a running daemon quotes it no more',
      marketScope,
    )
    .option(
      '--deadline <seconds>',
      'ends by then, confirmed or not; 0 goes on until it is confirmed (default: guard.stopDeadlineSec)',
      seconds,
    )
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: KillOptions, self: Command) => {
      const refuse = (text: string) => self.error(`error: ${text}`, { exitCode: EXIT.usage });
      if (options.token && options.market) refuse('give --token or --market, not both');
      if (options.own && options.account) refuse('give --own or --account, not both');
      await kill(io, finish, options);
    });
}

function brokenText({ file, problems }: SettingsError): string {
  const [first] = problems;
  const line = first?.line === undefined ? '' : ` (line ${first.line})`;
  return `${file}: ${first?.message ?? 'is broken'}${line}; read are the sections that a kill needs`;
}

type Errand = {
  readonly io: CliIo;
  readonly settings: KillSettings;
  readonly access: ErrandAccess<KillSettings>;
  /** By which it is confirmed: nobody sets it. */
  readonly clock: Clock;
  readonly scope: CancelScope;
  /** ISO 8601; a proof that was noted before is of an earlier kill. */
  readonly at: string;
  readonly latch: ErrandLatch;
  readonly time: KillTime;
  readonly record: KillRecord;
  readonly unlisted: Unlisted;
};

async function kill(io: CliIo, finish: Finish, options: KillOptions): Promise<void> {
  const source = { file: options.config, env: io.env };
  const read = loadKillSettings(source, (error) => complain(io, brokenText(error)));
  const { settings, isDry } = await chosenRun(io, read, options, true);
  const scope = options.token ?? options.market ?? ({ kind: 'account' } as const);
  const at = new Date().toISOString();
  const clock = systemClock();
  const { stopDeadlineSec = settings.guard.stopDeadlineSec } = {
    stopDeadlineSec: options.deadline,
  };
  const time = new KillTime(clock, stopDeadlineMs({ stopDeadlineSec }));
  const resume = typed(io.env, 'resume', options.config);
  const latch = new ErrandLatch({ io, journal: settings.journal.path, at, timers: clock, resume });
  const record = new KillRecord({ io, journal: settings.journal.path, clock, time, scope });
  const access = await accessOf({ io, settings, latch, time, record, isDry }, scope);
  const steady = access.clock.steady();
  const known = { io, settings, access, clock: steady, scope, at, latch, time, record };
  if (access.isPaper && (await isNobodyThere(access.settings.venue.baseUrl))) {
    await finishWithoutVenue(known, finish, options);
    return;
  }
  const errand = { ...known, unlisted: new Unlisted(access, scope, access.clock.background) };
  const isOwn = options.own ?? (options.account === true ? false : settings.orders.scope === 'own');
  const isSigned = access.credentials.current() !== undefined;
  const killed = !isSigned
    ? killBlind(errand, isOwn, NO_CREDENTIALS)
    : isOwn
      ? killOwn(errand)
      : killWith(errand, undefined);
  const result = await time.bounded(
    killed.then(async (each) => await latch.settle(each)),
    PAST_DEADLINE,
  );
  const unlisted = await time.bounded(errand.unlisted.textOf(result), undefined);
  if (unlisted !== undefined) {
    complain(io, `error: ${unlisted}`);
    finish(EXIT.usage);
    return;
  }
  await record.note(result);
  printResult(io, { json: result, lines: killLines(result, scope) }, options);
  finish(result.kind === 'confirmed' ? EXIT.done : EXIT.unconfirmed);
}

/** An embedded venue keeps nothing: with its process its orders are gone. The latch is set all the same. */
async function finishWithoutVenue(
  { io, scope, latch, access, record }: Omit<Errand, 'unlisted'>,
  finish: Finish,
  options: KillOptions,
): Promise<void> {
  if (scope.kind === 'account') await latch.set();
  const { baseUrl } = access.settings.venue;
  complain(
    io,
    `the embedded venue of this configuration (${baseUrl}) does not run: it has no orders`,
  );
  const result = await latch.settle({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
  await record.note(result);
  printResult(io, { json: result, lines: killLines(result, scope) }, options);
  finish(result.kind === 'confirmed' ? EXIT.done : EXIT.unconfirmed);
}

/**
 * Credentials that cannot be used here, as of a file that its daemon alone may read, keep nobody from telling
 * that daemon.
 * @throws {BotError} `settings.credentials`
 */
async function accessOf(
  daemon: Pick<Errand, 'io' | 'settings' | 'latch' | 'time' | 'record'> & {
    readonly isDry: boolean;
  },
  { kind }: CancelScope,
): Promise<Errand['access']> {
  try {
    return venueAccess(daemon.io, daemon.settings, daemon.isDry);
  } catch (error) {
    if (kind === 'account') await stopDaemon(daemon);
    throw error;
  }
}

/** Own orders only: without the ledger nobody but a running daemon knows which these are. */
async function killOwn(errand: Errand): Promise<KillResult> {
  const { io, settings } = errand;
  const own = await ledgerOwn(errand);
  if (typeof own === 'string') {
    complain(io, `${own}; to cancel everything all the same: bookend kill --account`);
    return await killBlind(errand, true, own);
  }
  if (settings.orders.scope === 'account') {
    complain(io, 'orders.scope is account: a running daemon of this journal cancels all the same');
  }
  return await killWith(errand, own);
}

/**
 * Nothing is cancelled from here, since it might be an external order's or nobody may sign; a running daemon can do it.
 * To ask the venue again and again would change nothing.
 */
async function killBlind(errand: Errand, isOwn: boolean, why: string): Promise<KillResult> {
  const isConfirmed = errand.scope.kind === 'account' && (await stopDaemon(errand));
  const counts = { scope: isOwn ? 'own' : 'account', cancelled: 0, tookMs: 0 } as const;
  if (isConfirmed) return { kind: 'confirmed', ...counts };
  const detail = `${why}; nothing was cancelled from here`;
  return { kind: 'unconfirmed', ...counts, left: isOwn ? [] : undefined, detail };
}

/** Cancels at once; the proof may take as long as something sent before can still be accepted. */
async function killWith(errand: Errand, own: LedgerOwn | undefined): Promise<KillResult> {
  const { settings, access, clock, scope, at } = errand;
  const inFlightTracker = await InFlightTracker.of({
    journal: settings.journal.path,
    clock,
    horizonMs: settings.timing.unknownHorizonMs,
    learnt: async () => await learntMs(errand),
    onUnread: (detail, horizonMs) => complain(errand.io, unreadText(detail, horizonMs)),
    timers: access.clock.background,
    own,
    isNarrow: scope.kind !== 'account',
    latchedAt: at,
  });
  try {
    return scope.kind === 'account'
      ? await killAccount(errand, inFlightTracker, own)
      : await killPart(errand, inFlightTracker, own);
  } finally {
    inFlightTracker.close();
  }
}

/** Beside the cancels, which wait for no ledger; a kill must not depend on what reads one. */
async function learntMs({ settings, access }: Errand): Promise<number> {
  const { learntHorizonMs } = await import('../app/learnt.ts');
  const { unknownHorizonMs: horizonMs } = settings.timing;
  return await learntHorizonMs({ path: settings.journal.path, clock: access.clock, horizonMs });
}

async function killAccount(
  errand: Errand,
  inFlightTracker: InFlightTracker,
  own: LedgerOwn | undefined,
): Promise<KillResult> {
  const { io, access, clock, scope, time } = errand;
  const daemon = stopDaemon(errand).then((isConfirmed) => {
    if (isConfirmed) inFlightTracker.vouch();
  });
  const { untilMs } = inFlightTracker;
  const withinMs = time.sweepMs();
  const what = {
    scope,
    own,
    clock,
    onProgress: tell(io, time),
    inFlightUntilMs: untilMs,
    withinMs,
  };
  const result = await killAt(access, what);
  if (result.kind === 'unconfirmed') return result;
  const unconfirmed = await inFlightTracker.unconfirmed();
  for (const file of inFlightTracker.silentClaims) {
    complain(io, `${file} is of a process that cannot be seen; it showed no sign of activity`);
  }
  // Whoever has confirmed need not be waited for; a daemon that hangs must not hold a result up.
  if (unconfirmed === undefined) return result;
  await daemon;
  const still = await inFlightTracker.unconfirmed();
  return still === undefined ? result : unstopped(result, still);
}

/** A running daemon goes on with all else, so that there is nothing to wait for. */
async function killPart(
  errand: Errand,
  inFlightTracker: InFlightTracker,
  own: LedgerOwn | undefined,
): Promise<KillResult> {
  const { io, access, clock, scope, time, unlisted } = errand;
  const [holder] = inFlightTracker.holders;
  const { untilMs } = inFlightTracker;
  // Beside the cancel, which waits for no daemon.
  const told = holder === undefined ? undefined : stopMarket(errand, holder);
  const result = await killAt(access, {
    scope,
    own,
    clock,
    onProgress: tell(io, time),
    withinMs: time.sweepMs(),
    isUnlisted: () => unlisted.isKnown,
    ...(holder === undefined ? { inFlightUntilMs: untilMs } : {}),
  });
  await told;
  return result;
}

/** Tells the daemon of this journal to quote the market no more; what only names a token it cannot be told. */
async function stopMarket(
  { io, settings, scope, time, record }: Errand,
  holder: JournalHolder,
): Promise<void> {
  const goesOn = `${holderText(holder)} holds the journal and goes on: it may place here again`;
  const token = await daemonTokenOf(settings);
  if (scope.kind !== 'market' || token === undefined) {
    complain(io, goesOn);
    return;
  }
  const url = `${httpAddressOf(settings)}/control/kill${queryOf(scope.marketId)}`;
  const answer = await requestJson(url, {
    ...{ method: 'POST', token, by: commandName('kill'), timeoutMs: time.leftMs() },
  });
  const isTold = answer.kind === 'answer' && (answer.status === 200 || answer.status === 202);
  if (isTold) record.leaveToDaemon();
  complain(
    io,
    isTold
      ? `the daemon does not quote it until \`bookend resume --market ${shellWord(scope.marketId)}\``
      : goesOn,
  );
}

function tell(io: CliIo, time: KillTime): (step: KillStep) => void {
  return ({ detail }) => complain(io, `${detail}${time.leftText()}`);
}

/** A living process that did not confirm may place again: no list of today confirms otherwise. */
function unstopped(result: KillResult, holder: JournalHolder): KillResult {
  const detail = `${holderText(holder)} holds the journal and has not confirmed the kill; end it`;
  return { ...result, kind: 'unconfirmed', left: [], detail };
}

function holderText({ pid, file }: JournalHolder): string {
  return pid === undefined ? `a process whose claim cannot be read (${file})` : `process ${pid}`;
}

/**
 * Tells a running daemon, by the latch on disk and by its control route; neither is needed.
 * @returns Whether it has confirmed the kill over its control route, and is of this account: what answers at
 *   the address of a configuration that is used elsewhere may be another daemon.
 */
async function stopDaemon({
  io,
  settings,
  access,
  latch,
  time,
  record,
}: Pick<Errand, 'io' | 'settings' | 'latch' | 'time' | 'record'> &
  Partial<Pick<Errand, 'access'>>): Promise<boolean> {
  await latch.set();
  const token = await daemonTokenOf(settings);
  if (token === undefined) return false;
  const address = httpAddressOf(settings);
  const answer = await requestJson(`${address}/control/kill?wait=proof`, {
    method: 'POST',
    token,
    by: commandName('kill'),
    timeoutMs: time.leftMs(settings.timing.proofDeadlineMs + DAEMON_MARGIN_MS),
  });
  if (answer.kind === 'failed') complain(io, `no daemon was told over HTTP: ${answer.detail}`);
  else complain(io, `the daemon answered the kill with ${answer.status}`);
  if (answer.kind === 'failed') return false;
  if (answer.status === 200 || answer.status === 202) record.leaveToDaemon();
  if (answer.status !== 200) return false;
  const { venue } = access?.settings ?? settings;
  const account = accountMark(venue.baseUrl, access?.credentials.current());
  const isOurs = account !== undefined && markOf(answer.body) === account;
  if (!isOurs)
    complain(io, `it is not known to be of this account: ${address} confirms nothing here`);
  return isOurs;
}

function markOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'account') : undefined;
}

function seconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('not a whole number of seconds');
  return Number(text);
}
