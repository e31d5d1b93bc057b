// `kill`: the independent kill switch. It needs no daemon, asks a running one to stop quoting where
// it can, and in any case cancels and confirms by itself.

import { type Command, InvalidArgumentError } from 'commander';
import { EXIT } from '../app/exit.ts';
import { stopDeadlineMs } from '../app/stop-time.ts';
import { systemClock } from '../clock/system.ts';
import type { CancelScope } from '../domain/message.ts';
import type { KillResult } from '../guard/kill.ts';
import { loadKillSettings } from '../settings/load.ts';
import type { SettingsError } from '../settings/problems.ts';
import { typed } from './again.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { ErrandLatch } from './errand-latch.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { type Errand, killBlind, killOwn, killWith, stopDaemon } from './kill-errand.ts';
import { killLines } from './kill-lines.ts';
import { KillRecord } from './kill-record.ts';
import { marketScope, scopeName, tokenScope } from './kill-scope.ts';
import { KillTime } from './kill-time.ts';
import { isNobodyThere } from './nobody-there.ts';
import { venueAccess } from './options.ts';
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

async function kill(io: CliIo, finish: Finish, options: KillOptions): Promise<void> {
  const source = { file: options.config, env: io.env };
  const read = loadKillSettings(source, (error) => complain(io, brokenText(error)));
  const { settings, isDry } = await chosenRun(io, read, options, true);
  const scope = options.token ?? options.market ?? ({ kind: 'account' } as const);
  const at = new Date().toISOString();
  const clock = systemClock();
  const stopDeadlineSec = options.deadline ?? settings.guard.stopDeadlineSec;
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
  await end(known, result, { finish, options });
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
  await end({ io, scope, record }, result, { finish, options });
}

async function end(
  { io, scope, record }: Pick<Errand, 'io' | 'scope' | 'record'>,
  result: KillResult,
  { finish, options }: { readonly finish: Finish; readonly options: KillOptions },
): Promise<void> {
  await record.note(result);
  const json = scope.kind === 'account' ? result : { target: scopeName(scope), ...result };
  printResult(io, { json, lines: killLines(result, scope) }, options);
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

function seconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('not a whole number of seconds');
  return Number(text);
}
