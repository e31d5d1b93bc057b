// What `bookend kill` does once it knows where: it cancels and looks by itself, and what may place again meanwhile,
// a daemon or another process of the journal, has to say that it stopped before anything is called confirmed.

import { z } from 'zod';
import { accountMark } from '../app/account-mark.ts';
import { NOT_QUOTED } from '../app/control-refused.ts';
import { InFlightTracker } from '../app/in-flight-tracker.ts';
import type { LedgerOwn } from '../app/ledger-own.ts';
import { killAt } from '../app/venue-access.ts';
import type { CancelScope } from '../domain/message.ts';
import type { Clock } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';
import type { KillStep } from '../guard/sweep.ts';
import type { JournalHolder } from '../journal/activity.ts';
import type { KillSettings } from '../settings/load.ts';
import { shellWord } from './again.ts';
import {
  commandName,
  daemonTokenOf,
  httpAddressOf,
  type JsonAnswer,
  meantDaemon,
  queryOf,
  requestJson,
} from './daemon-http.ts';
import type { ErrandLatch } from './errand-latch.ts';
import { type CliIo, complain } from './io.ts';
import { unreadText } from './kill-lines.ts';
import { ledgerOwn } from './kill-own.ts';
import type { KillRecord } from './kill-record.ts';
import type { KillTime } from './kill-time.ts';
import type { ErrandAccess } from './options.ts';
import { harmless } from './text.ts';
import type { Unlisted } from './unlisted.ts';

/** Beyond the daemon's own deadline; the independent kill runs beside it and waits for nothing. */
const DAEMON_MARGIN_MS = 5_000;
/** Its own time alone ends it, whatever is still listed. */
const UNTIL_CONFIRMED = { deadlineMs: Number.POSITIVE_INFINITY } as const;
/** Whether a process of the journal has confirmed is looked at this often, and told so often. */
const LOOK_MS = 200;
const TELL_MS = 5_000;

export type Errand = {
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

/** Own orders only: without the ledger nobody but a running daemon knows which these are. */
export async function killOwn(errand: Errand): Promise<KillResult> {
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
export async function killBlind(errand: Errand, isOwn: boolean, why: string): Promise<KillResult> {
  const isConfirmed = errand.scope.kind === 'account' && (await stopDaemon(errand));
  const counts = { scope: isOwn ? 'own' : 'account', cancelled: 0, tookMs: 0 } as const;
  if (isConfirmed) return { kind: 'confirmed', ...counts };
  const detail = `${why}; nothing was cancelled from here`;
  return { kind: 'unconfirmed', ...counts, left: isOwn ? [] : undefined, detail };
}

/** Cancels at once; the proof may take as long as something sent before can still be accepted. */
export async function killWith(errand: Errand, own: LedgerOwn | undefined): Promise<KillResult> {
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
  void stopDaemon(errand).then((isConfirmed) => {
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
    ...UNTIL_CONFIRMED,
    withinMs,
  };
  const result = await killAt(access, what);
  if (result.kind === 'unconfirmed') return result;
  const unconfirmed = await inFlightTracker.unconfirmed();
  for (const file of inFlightTracker.silentClaims) {
    complain(io, `${file} is of a process that cannot be seen; it showed no sign of activity`);
  }
  if (unconfirmed === undefined) return result;
  const word = await awaitWord(errand, inFlightTracker, unconfirmed);
  if (word === 'confirmed') return result;
  if (word === 'runs') return notConfirmed(result, `${unconfirmedText(unconfirmed)}; end it`);
  // Until its end it may have placed what the last list did not show.
  const again = await killWith(errand, own);
  return { ...again, cancelled: result.cancelled + again.cancelled };
}

/** Until a process of the journal has confirmed the kill, or has ended, within the time that there is. */
async function awaitWord(
  { io, access, clock, time }: Errand,
  inFlightTracker: InFlightTracker,
  holder: JournalHolder,
): ReturnType<InFlightTracker['wordOf']> {
  const untilMs = clock.nowMs() + time.sweepMs();
  let tellAtMs = 0;
  for (;;) {
    const word = await inFlightTracker.wordOf(holder);
    if (word !== 'runs' || clock.nowMs() >= untilMs) return word;
    if (clock.nowMs() >= tellAtMs) {
      complain(io, `nothing is open; ${unconfirmedText(holder)}${time.leftText()}`);
      tellAtMs = clock.nowMs() + TELL_MS;
    }
    await new Promise<void>((resolve) => void access.timers.after(LOOK_MS, resolve));
  }
}

/**
 * What a process of the journal is to the market of a kill: not known yet, one that has stopped there and confirmed it,
 * one that has been told and has not, one that does not quote it, or one that may place there again.
 */
type MarketWord = 'asked' | 'stopped' | 'stopping' | 'elsewhere' | 'goes on';

/** A running daemon goes on with all else. Of a market it is told, and has to say that it stopped there. */
async function killPart(
  errand: Errand,
  inFlightTracker: InFlightTracker,
  own: LedgerOwn | undefined,
): Promise<KillResult> {
  const { io, access, clock, scope, time, unlisted } = errand;
  const { holders } = inFlightTracker;
  const holder = holders.find(({ isSeen }) => isSeen) ?? holders[0];
  let word: MarketWord | undefined = holder === undefined ? undefined : 'asked';
  // Beside the cancel, which waits for no daemon.
  const told = holder === undefined ? undefined : stopMarket(errand, holder);
  void told?.then((said) => {
    word = said;
  });
  // What it has sent there is its own to wait for, unless it has not confirmed, or may have ended.
  const isItsOwn = () =>
    word === 'stopped' || word === 'elsewhere' || (word === 'goes on' && holder?.isSeen === true);
  const result = await killAt(access, {
    scope,
    own,
    clock,
    onProgress: tell(io, time),
    ...UNTIL_CONFIRMED,
    withinMs: time.sweepMs(),
    isUnlisted: () => word !== 'asked' && unlisted.isKnown,
    inFlightUntilMs: (sofar) => (isItsOwn() ? undefined : inFlightTracker.untilMs(sofar)),
  });
  if (holder === undefined || scope.kind !== 'market') return result;
  const said = await told;
  if (unlisted.isOther) return ofEvent(result, said);
  const isAlive = said === 'goes on' && (await inFlightTracker.unconfirmed()) !== undefined;
  return isAlive ? notConfirmed(result, goesOnText(holder)) : result;
}

/** Of the name of an event the venue knows no orders: there the word of its daemon is all. */
function ofEvent(result: KillResult, word: MarketWord | undefined): KillResult {
  const { scope = 'account', cancelled, tookMs } = result;
  if (word === 'stopped') return { kind: 'confirmed', scope, cancelled, tookMs };
  return notConfirmed(result, 'the daemon has not confirmed it yet');
}

function goesOnText(holder: JournalHolder): string {
  return `${holderText(holder)} holds the journal and goes on: it may place here again`;
}

/** Tells the daemon of this journal to quote the market no more; what only names a token it cannot be told. */
async function stopMarket(
  { io, settings, scope, time, record, unlisted }: Errand,
  holder: JournalHolder,
): Promise<MarketWord> {
  const goesOn = (): MarketWord => {
    complain(io, goesOnText(holder));
    return 'goes on';
  };
  const meant = await meantDaemon(settings).catch(() => undefined);
  if (scope.kind !== 'market' || meant?.token === undefined) return goesOn();
  const { address, journal, token } = meant;
  // Another daemon that has the port, as the dry run beside a live one, would confirm what goes on here.
  const answer = await requestJson(`${address}/control/kill${queryOf(scope.marketId)}`, {
    ...{ method: 'POST', journal, token, by: commandName('kill'), timeoutMs: time.sweepMs() },
  });
  const { markets, kind, onDisk } = MARKET_BODY.safeParse(bodyOf(answer)).data ?? {};
  if (kind === NOT_QUOTED) {
    complain(io, 'the daemon does not quote it now, and was not stopped there');
    return 'elsewhere';
  }
  if (!isTaken(answer)) return goesOn();
  record.leaveToDaemon();
  if (markets !== undefined && !markets.includes(scope.marketId)) unlisted.isOther = true;
  const names = markets === undefined ? 'it' : harmless(markets.join(', '));
  const resume = `bookend resume --market ${shellWord(scope.marketId)}`;
  const lost = onDisk === false ? '; NOT ON DISK, a new start would quote: make room' : '';
  complain(io, `the daemon does not quote ${names} until \`${resume}\`${lost}`);
  return answer.kind === 'answer' && answer.status === 200 ? 'stopped' : 'stopping';
}

const MARKET_BODY = z.object({
  markets: z.array(z.string()).optional(),
  kind: z.string().optional(),
  onDisk: z.boolean().optional(),
});

function bodyOf(answer: JsonAnswer): unknown {
  return answer.kind === 'answer' ? answer.body : undefined;
}

/** The daemon does it, or has done it. */
function isTaken(answer: JsonAnswer): boolean {
  return answer.kind === 'answer' && (answer.status === 200 || answer.status === 202);
}

function tell(io: CliIo, time: KillTime): (step: KillStep) => void {
  return ({ detail }) => complain(io, `${detail}${time.leftText()}`);
}

/** A living process that did not confirm may place again: no list of today confirms otherwise. */
function notConfirmed(result: KillResult, detail: string): KillResult {
  if (result.kind === 'unconfirmed') return { ...result, detail: `${detail}; ${result.detail}` };
  return { ...result, kind: 'unconfirmed', left: [], detail };
}

function unconfirmedText(holder: JournalHolder): string {
  return `${holderText(holder)} holds the journal and has not confirmed the kill`;
}

function holderText({ pid, file }: JournalHolder): string {
  return pid === undefined ? `a process whose claim cannot be read (${file})` : `process ${pid}`;
}

/**
 * Tells a running daemon, by the latch on disk and by its control route; neither is needed.
 * @returns Whether it has confirmed the kill over its control route, and is of this account: what answers at
 *   the address of a configuration that is used elsewhere may be another daemon.
 */
export async function stopDaemon({
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
  if (answer.kind === 'failed') {
    complain(io, `no daemon was told over HTTP: ${answer.detail}`);
    return false;
  }
  complain(io, `the daemon answered the kill with ${answer.status}`);
  if (isTaken(answer)) record.leaveToDaemon();
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
