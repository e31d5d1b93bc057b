// What `pause` and `resume` share: a running daemon is asked over HTTP, and of one that does not run the journal
// is changed, so that its next start does as it was told.

import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { EXIT } from '../app/exit.ts';
import { systemClock } from '../clock/system.ts';
import { BotError } from '../domain/errors.ts';
import { type KillSettings, loadKillSettings } from '../settings/load.ts';
import { shellWord, typed, typedClears } from './again.ts';
import { askerOf } from './ask.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { commandName, errorText, meantDaemon, queryOf, requestJson } from './daemon-http.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { harmless } from './text.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type Action = 'pause' | 'resume';
type ControlOptions = RunOptions & {
  readonly market?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
};

type Told = {
  readonly action: Action;
  readonly isDone: boolean;
  readonly daemon: 'running' | 'stopped';
  readonly detail: string;
};

const SUMMARIES: Readonly<Record<Action, string>> = {
  pause:
    'cancels the quotes and keeps them away until a resume; works beside a stopped daemon, too',
  resume: 'lifts a kill, a pause or a halt; works beside a stopped daemon, too',
};

const QUESTIONS: Readonly<Record<Action, string>> = {
  pause: 'Cancel the quotes and place no more until a resume',
  resume: 'Lift what stops it, and quote again',
};

const MARKET_DOC =
  'one market by its id, or all of an event by its slug; others are quoted as before';

/** One market, or the whole account. */
type Wanted = { readonly action: Action; readonly market: string | undefined };

function ofText(market: string | undefined): string {
  return market === undefined ? '' : `, for ${harmless(market)} only`;
}

/** A trader that turns answers at once; one that is starting takes its time. */
const ANSWER_MS_MAX = 15_000;

/** The command of one action. */
export function controlCommand(action: Action, io: CliIo, finish: Finish): Command {
  return withRunOptions(command(action, SUMMARIES[action]).requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option('--market <id>', MARKET_DOC)
    .option('--yes', 'do not ask')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: ControlOptions) => {
      const read = loadKillSettings({ file: options.config, env: io.env });
      const { settings } = await chosenRun(io, read, options);
      const of = ofText(options.market);
      if (!options.yes && !(await isConfirmed(io, `${QUESTIONS[action]}${of}?`))) {
        complain(io, `nothing is done; ${action} --yes does not ask`);
        finish(EXIT.failed);
        return;
      }
      const wanted = { action, market: options.market };
      const told = await toldBy(wanted, settings);
      const line = typedClears(told.detail, typed(io.env, 'resume', options.config));
      printResult(io, { json: told, lines: [line] }, options);
      finish(told.isDone ? EXIT.done : EXIT.failed);
    });
}

/** Where nobody sits at a terminal there is nobody to ask. */
async function isConfirmed(io: CliIo, question: string): Promise<boolean> {
  const asker = askerOf(io);
  if (asker === undefined) return true;
  try {
    return /^y(?:es)?$/i.test((await asker.ask(`${question} [y/N] `)) ?? '');
  } finally {
    asker.close();
  }
}

/** A daemon that quotes may serve a moment later, as behind its start or where what serves has just ended. */
const SERVES_MS_MAX = 10_000;
const LOOK_MS = 200;

/** @throws {BotError} `journal.busy` where somebody holds the journal and cannot be asked. */
async function toldBy(wanted: Wanted, settings: KillSettings): Promise<Told> {
  const untilMs = performance.now() + SERVES_MS_MAX;
  for (;;) {
    const told = await byDaemon(wanted, settings);
    if (told !== undefined) return told;
    try {
      return await bySelf(wanted, settings);
    } catch (error) {
      const isHeld = error instanceof BotError && error.code === 'journal.busy';
      if (!isHeld || performance.now() >= untilMs) throw error;
    }
    await setTimeout(LOOK_MS);
  }
}

/** `undefined` where no daemon listens. */
async function byDaemon(
  { action, market }: Wanted,
  settings: KillSettings,
): Promise<Told | undefined> {
  const { address, journal, token } = await meantDaemon(settings);
  const answer = await requestJson(`${address}/control/${action}${queryOf(market)}`, {
    ...{ method: 'POST', journal, token },
    by: commandName(action),
    timeoutMs: ANSWER_MS_MAX,
  });
  const daemon = 'running';
  if (answer.kind === 'failed') {
    if (answer.detail === 'ECONNREFUSED') return undefined;
    return { action, isDone: false, daemon, detail: `${address}: ${answer.detail}` };
  }
  const { status, body } = answer;
  const what = market === undefined ? DONE[action] : doneText({ action, market }, body);
  const isKept = !UNKEPT_BODY.safeParse(body).success;
  const done = isKept ? what : `${what}; NOT ON DISK, a new start would quote: make room`;
  if (status === 200) return { action, isDone: true, daemon, detail: done };
  if (status === 202)
    return { action, isDone: true, daemon, detail: `${done}, as soon as it turns` };
  if (status === 401 || status === 403) {
    const means = 'set BOOKEND_CONTROL_TOKEN as for the daemon, or run this as its user';
    return { action, isDone: false, daemon, detail: `${address} answers ${status}: ${means}` };
  }
  const why = harmless(errorText(body) ?? String(status));
  return { action, isDone: false, daemon, detail: `refused: ${why}` };
}

/** Nobody looks behind a pause whether the venue has taken its cancels. */
const LOOK = '(`bookend status` shows what still rests)';

/** Neither does a resume of the account reach them, nor theirs the account. */
const STAY = 'markets that were stopped one by one stay stopped';

const DONE: Readonly<Record<Action, string>> = {
  pause: `paused: quotes are being cancelled ${LOOK}, and stay away until \`bookend resume\``,
  resume: `resumed: it clears the account as a start does, and quotes again; ${STAY}`,
};

/** Which markets it turned out to be. */
function doneText({ action, market = '' }: Wanted, body: unknown): string {
  const found = MARKETS_BODY.safeParse(body);
  const names = found.success ? harmless(found.data.markets.join(', ')) : 'it';
  if (action === 'resume')
    return `resumed: nothing stops ${names} alone any more (\`bookend status\` shows what else does)`;
  const resume = `bookend resume --market ${shellWord(market)}`;
  return `paused: quotes of ${names} are being cancelled ${LOOK}, and stay away until \`${resume}\``;
}

/** As on a full disk: it is tried again, and the state says when it has been taken. */
const UNKEPT_BODY = z.object({ onDisk: z.literal(false) });

const MARKETS_BODY = z.object({ markets: z.array(z.string()) });

async function bySelf({ action, market }: Wanted, settings: KillSettings): Promise<Told> {
  const { journal } = settings;
  const clock = systemClock();
  const { pauseStopped, resumeStopped } = await import('../app/stopped-control.ts');
  const daemon = 'stopped';
  if (market !== undefined) return await marketBySelf(action, market, settings);
  if (action === 'pause') {
    await pauseStopped(journal.path, clock, commandName(action));
    const detail = `no daemon runs; the next start on ${journal.path} is paused until \`bookend resume\``;
    return { action, isDone: true, daemon, detail };
  }
  const {
    lifted,
    stays,
    markets = [],
  } = await resumeStopped(journal.path, clock, commandName(action));
  const isDone = stays.length === 0;
  const what =
    lifted.length === 0 ? 'there was no kill and no pause' : `${lifted.join(' and ')} lifted`;
  const next = isDone ? 'the next start quotes' : `${stays.join(', ')} stays: resume once it runs`;
  const rest =
    markets.length === 0 ? next : `${next}; ${harmless(markets.join(', '))} stay stopped`;
  return { action, isDone, daemon, detail: `no daemon runs; ${what}; ${rest}` };
}

/** Of markets that the journal knows: any other name may be mistyped, and would stop nothing. */
async function marketBySelf(
  action: Action,
  market: string,
  { journal }: KillSettings,
): Promise<Told> {
  const { pauseMarketStopped, resumeMarketStopped } = await import('../app/stopped-control.ts');
  const at = { path: journal.path, clock: systemClock() };
  const by = commandName(action);
  const isDone =
    action === 'pause'
      ? await pauseMarketStopped(at, market, by)
      : await resumeMarketStopped(at, market, by);
  const name = harmless(market);
  const done = action === 'pause' ? `${name} is paused` : `${name} is resumed`;
  const unknown =
    action === 'pause' ? `the journal knows no market ${name}` : `${name} is not stopped`;
  const detail = `no daemon runs; ${isDone ? `${done} for the next start` : `${unknown}, nothing is done`}`;
  return { action, isDone, daemon: 'stopped', detail };
}
