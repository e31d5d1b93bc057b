// `status`: what a running daemon quotes, holds and earns, and why it does not quote the rest.

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { systemClock } from '../clock/system.ts';
import { inTime } from '../domain/in-time.ts';
import { journalActivity } from '../journal/activity.ts';
import { type KillSettings, loadKillSettings } from '../settings/load.ts';
import { isLocalAddress } from '../settings/warnings.ts';
import { typed } from './again.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { errorText, meantDaemon } from './daemon-http.ts';
import { requestState } from './daemon-state.ts';
import { feedLines } from './feed-lines.ts';
import { figureLines } from './figure-lines.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { paintFor } from './paint.ts';
import { riskLines } from './risk-lines.ts';
import { setsLines } from './sets-lines.ts';
import { shadowLines } from './shadow-lines.ts';
import { type ShownState, shownState } from './state-schema.ts';
import { beliefLines, headLines, marketLines, reasonLines, selectedLines } from './status-lines.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type StatusOptions = RunOptions & { readonly json?: boolean };

/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;
const LOOK_MS_MAX = 1_000;

export function statusCommand(io: CliIo, finish: Finish): Command {
  const status = command('status', 'shows quotes, positions, P&L and why a side is not quoted');
  return withRunOptions(status.requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: StatusOptions) => {
      // A broken edit of the rest of the file keeps nobody from looking.
      const source = { file: options.config, env: io.env };
      const read = loadKillSettings(source, (error) => complain(io, error.message));
      const { settings } = await chosenRun(io, read, options);
      const answer = await readState(settings, typed(io.env, startOf(settings), options.config));
      if (answer.kind === 'failed') {
        complain(io, answer.detail);
        finish(EXIT.failed);
        return;
      }
      printResult(
        io,
        { json: answer.raw, lines: statusLines(io, answer.state, options.config) },
        options,
      );
    });
}

type StateAnswer =
  | { readonly kind: 'ok'; readonly state: ShownState; readonly raw: unknown }
  | { readonly kind: 'failed'; readonly detail: string };

/** What is quoted on this machine is the embedded venue, which `paper` starts, too. */
function startOf({ venue }: KillSettings): 'paper' | 'run' {
  return isLocalAddress(venue.baseUrl) ? 'paper' : 'run';
}

async function readState(settings: KillSettings, start: string): Promise<StateAnswer> {
  const daemon = await meantDaemon(settings);
  const { address } = daemon;
  const answer = await requestState(daemon);
  if (answer.kind === 'failed') {
    const { detail } = answer;
    const means = detail === 'ECONNREFUSED' ? await refusedText(settings, start) : detail;
    return { kind: 'failed', detail: `no daemon answers at ${address}: ${means}` };
  }
  if (answer.status === 401 || answer.status === 403) {
    const means = 'set BOOKEND_CONTROL_TOKEN as for the daemon, or run this as its user';
    return { kind: 'failed', detail: `${address} answers ${answer.status}: ${means}` };
  }
  if (answer.status !== 200) {
    const why = errorText(answer.body) ?? 'is it a daemon?';
    return { kind: 'failed', detail: `${address} answers ${answer.status}: ${why}` };
  }
  const state = shownState.safeParse(answer.body);
  if (state.success) return { kind: 'ok', state: state.data, raw: answer.body };
  const [issue] = state.error.issues;
  const where = issue ? `${issue.path.join('.')}: ${issue.message}` : 'unreadable';
  return { kind: 'failed', detail: `the state of ${address} is of another version: ${where}` };
}

/** A first start quotes before HTTP is served, and what serves it may be started anew beside a daemon that quotes. */
async function refusedText({ journal }: KillSettings, start: string): Promise<string> {
  const nobody = 'nobody listens there (ECONNREFUSED)';
  const look = journalActivity(journal.path).catch(() => undefined);
  const within = { timers: systemClock().background, ms: LOOK_MS_MAX };
  const holder = (await inTime(look, undefined, within))?.holders.find(({ isSeen }) => isSeen);
  if (holder === undefined) return `${nobody}; start it with \`${start}\``;
  return `${nobody}, and process ${holder.pid} holds the journal and may quote: ask again`;
}

function statusLines(io: CliIo, state: ShownState, config: string): readonly string[] {
  const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : PIPE_WIDTH;
  const paint = paintFor({ isTTY: io.stdout.isTTY ?? false }, io.env);
  const shown = { width, paint, resume: typed(io.env, 'resume', config) };
  const risk = riskLines(state, { ...shown, width: PIPE_WIDTH });
  const selected = selectedLines(state, { ...shown, width: PIPE_WIDTH });
  const feeds = feedLines(state, { ...shown, width: PIPE_WIDTH });
  const beliefs = beliefLines(state, { ...shown, width: PIPE_WIDTH });
  const reasons = reasonLines(state, { ...shown, width: PIPE_WIDTH });
  const shadows = shadowLines(state, { ...shown, width: PIPE_WIDTH });
  const sets = setsLines(state, { ...shown, width: PIPE_WIDTH });
  const figures = figureLines(state, width);
  return [
    ...headLines(state, shown),
    '',
    ...marketLines(state.markets, shown),
    ...(figures.length > 0 ? ['', ...figures] : []),
    ...(risk.length > 0 ? ['', ...risk] : []),
    ...(selected.length > 0 ? ['', ...selected] : []),
    ...(feeds.length > 0 ? ['', ...feeds] : []),
    ...(beliefs.length > 0 ? ['', ...beliefs] : []),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    ...(shadows.length > 0 ? ['', ...shadows] : []),
    ...(sets.length > 0 ? ['', ...sets] : []),
    ...state.notReady.map((reason) => `not ready: ${reason}`),
  ];
}
