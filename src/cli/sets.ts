// What `split`, `merge` and `redeem` share: complete sets made from cash, turned into cash, or
// winnings taken.
// A running daemon does it itself, so that its own books stay right; without one it is done here.

import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { eventNames } from '../app/compose.ts';
import { EXIT } from '../app/exit.ts';
import { selectedNow } from '../app/selected-now.ts';
import { changeSets, previewSets, type SetsPreview, type SetsResult } from '../app/sets-errand.ts';
import { recordStopped } from '../app/stopped-control.ts';
import { withVenueHttp } from '../app/venue-access.ts';
import { systemClock } from '../clock/system.ts';
import { type MarketId, marketId } from '../domain/ids.ts';
import type { SetsOrder, SetsState } from '../domain/sets.ts';
import { formatShares, type MicroShares, parseShares } from '../domain/shares.ts';
import { lockJournal } from '../journal/lock.ts';
import type { Settings } from '../settings/settings.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG, parsed } from './command.ts';
import { commandName, type MeantDaemon, meantDaemon, requestJson } from './daemon-http.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { configured, venueAccess } from './options.ts';
import { Progress } from './progress.ts';
import { duration } from './status-lines.ts';

type Action = SetsOrder['action'];

type SetsOptions = {
  readonly config: string;
  readonly market: MarketId;
  readonly amount?: MicroShares;
  readonly event?: string;
  readonly wait: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
};

type SetsRequest = Omit<SetsOrder, 'id' | 'by'>;

/** Positions lag by up to two minutes; the proof waits for them. */
const WAIT_SEC = 180;
/** Pause between two looks at the daemon's state. */
const LOOK_MS = 500;

const SUMMARIES: Readonly<Record<Action, string>> = {
  split: 'turns USDC into complete sets, one share of every outcome each',
  merge: 'turns complete sets back into USDC',
  redeem: 'turns winning shares of a resolved market into USDC',
};

/** The command of one action. */
export function setsCommand(action: Action, io: CliIo, finish: Finish): Command {
  const made = command(action, `${SUMMARIES[action]}; sent once, confirmed by balances`)
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .requiredOption('--market <id>', 'market id, see `bookend markets`', parseMarket)
    .option('--event <slug>', 'its event, when the configuration does not name it')
    .option('--wait <seconds>', 'how long to wait for the proof', parseWait, WAIT_SEC)
    .option('--dry-run', 'only say what it would do')
    .option(JSON_FLAG, JSON_DOC);
  if (action !== 'redeem') {
    made.requiredOption('--amount <sets>', 'sets, each worth one USDC', parseAmount);
  }
  return made.action(async (options: SetsOptions) => await run({ action, io, finish }, options));
}

type Setup = { readonly action: Action; readonly io: CliIo; readonly finish: Finish };

async function run({ action, io, finish }: Setup, options: SetsOptions): Promise<void> {
  const { settings } = await configured(io, options.config);
  const access = venueAccess(io, settings);
  const request: SetsRequest = { action, marketId: options.market, amount: options.amount };
  await withVenueHttp(access, async (http) => {
    const configuredNames = async () =>
      eventNames((await selectedNow(http, settings, access)).settings);
    const names = options.event === undefined ? await configuredNames() : [options.event];
    const preview = await previewSets(http, request, names);
    const plan = planOf(request, preview);
    if (options.dryRun || preview.fault !== undefined) {
      const state = preview.fault === undefined ? 'dry-run' : 'refused';
      const json = { ...plan, state, detail: preview.fault ?? '' };
      printResult(io, { json, lines: planLines(plan) }, options);
      finish(preview.fault === undefined ? EXIT.done : EXIT.failed);
      return;
    }
    const direct = async () => {
      const progress = new Progress(io);
      const onWait = (leftMs: number) => progress.show(() => waitText('sent', leftMs));
      const proof = { timers: access.timers, deadlineMs: options.wait * 1_000, onWait };
      return await changeSets(http, request, preview, proof).finally(() => progress.clear());
    };
    const result =
      (await byDaemon({ io, settings, waitSec: options.wait }, request)) ??
      (await alone({ io, settings, clock: access.clock }, request, direct));
    printResult(io, { json: { ...plan, ...result }, lines: resultLines(plan, result) }, options);
    finish(result.state === 'confirmed' ? EXIT.done : EXIT.failed);
  });
}

type Daemon = { readonly io: CliIo; readonly settings: Settings; readonly waitSec: number };

/** Asks a running daemon; `undefined` when none is to be reached. */
async function byDaemon(
  { io, settings, waitSec }: Daemon,
  request: SetsRequest,
): Promise<SetsResult | undefined> {
  const daemon = await meantDaemon(settings);
  const { address, journal, token } = daemon;
  if (token === undefined) return undefined;
  const id = randomUUID();
  const amount = request.amount === undefined ? undefined : formatShares(request.amount);
  const body = { id, action: request.action, market: request.marketId, amount };
  const by = commandName(request.action);
  const asked = { method: 'POST', journal, token, body, by } as const;
  const answer = await requestJson(`${address}/control/sets`, asked);
  if (answer.kind === 'failed') {
    if (answer.detail === 'ECONNREFUSED') return undefined;
    return { state: 'unknown', detail: `the daemon did not answer: ${answer.detail}` };
  }
  if (answer.status === 202) {
    return { state: 'unknown', detail: 'told to the daemon, which has not turned yet' };
  }
  if (answer.status !== 200) return { state: 'refused', detail: JSON.stringify(answer.body) };
  complain(io, `the daemon has taken it up as ${id}`);
  return await followed(io, daemon, { id, waitSec });
}

/** A wait that can end at any moment, and does at its end. */
function waitText(state: string, leftMs: number): string {
  return `${state}; waiting for balances to show it, ${duration(leftMs)} left at the most`;
}

async function followed(
  io: CliIo,
  { address, journal, token }: MeantDaemon,
  { id, waitSec }: { readonly id: string; readonly waitSec: number },
): Promise<SetsResult> {
  let last: SetsResult = { state: 'sent', detail: 'recovered by the daemon' };
  const progress = new Progress(io);
  for (let waitedMs = 0; waitedMs < waitSec * 1_000; waitedMs += LOOK_MS) {
    // Markets may be thousands, and what is followed here is none of them.
    const state = await requestJson(`${address}/api/state?limit=0`, { journal, token });
    if (state.kind === 'answer') last = setsOf(state.body, id) ?? last;
    if (ENDED.has(last.state)) break;
    progress.show(() => waitText(last.state, waitSec * 1_000 - waitedMs));
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MS));
  }
  progress.clear();
  return last;
}

const ENDED: ReadonlySet<SetsState> = new Set(['confirmed', 'refused', 'absent']);
const setsState = z.object({
  sets: z.array(
    z.object({
      id: z.string(),
      state: z.enum(['sent', 'accepted', 'unknown', 'confirmed', 'refused', 'absent']),
      detail: z.string(),
    }),
  ),
});

function setsOf(body: unknown, id: string): SetsResult | undefined {
  return setsState.safeParse(body).data?.sets.find((each) => each.id === id);
}

type Alone = {
  readonly io: CliIo;
  readonly settings: Settings;
  readonly clock: Parameters<typeof lockJournal>[0]['clock'];
};

/** Without a daemon on this journal; one that runs and cannot be asked is not passed over. */
async function alone(
  { io, settings, clock }: Alone,
  { action, marketId: target, amount }: SetsRequest,
  change: () => Promise<SetsResult>,
): Promise<SetsResult> {
  const { path } = settings.journal;
  const lock = await lockJournal({ journal: path, clock, onLost: () => {} });
  const by = commandName(action);
  const size = amount === undefined ? '' : formatShares(amount);
  const record = async ({ state, detail }: SetsResult): Promise<void> => {
    const told = { by, action, target, result: state, detail: `${size} ${detail}`.trim() };
    // What is done with money is done, whatever becomes of the record of it.
    await recordStopped({ path, clock: systemClock() }, told).catch((error: unknown) =>
      complain(io, `not on record: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  try {
    await record({ state: 'sent', detail: '' });
    const result = await change();
    await record(result);
    return result;
  } finally {
    await lock.release();
  }
}

type Plan = {
  readonly action: Action;
  readonly market: string;
  readonly title: string;
  readonly amount: string | undefined;
  readonly cashUsdc: string;
  readonly availableUsdc: string;
  readonly yes: string;
  readonly no: string;
  readonly fault: string | undefined;
};

function planOf(request: SetsRequest, { market, before, fault }: SetsPreview): Plan {
  return {
    action: request.action,
    market: market.id,
    title: market.title,
    amount: request.amount === undefined ? undefined : formatShares(request.amount),
    cashUsdc: before.cash.toFixed(),
    availableUsdc: before.available.toFixed(),
    yes: formatShares(before.yes),
    no: formatShares(before.no),
    fault,
  };
}

function planLines(plan: Plan): readonly string[] {
  const what = plan.amount === undefined ? plan.action : `${plan.action} ${plan.amount} sets`;
  return [
    `${what} of ${plan.title} (${plan.market})`,
    `now: cash ${plan.cashUsdc}, available ${plan.availableUsdc}, YES ${plan.yes}, NO ${plan.no}`,
    plan.fault === undefined ? 'nothing speaks against it' : `NOT POSSIBLE: ${plan.fault}`,
  ];
}

function resultLines(plan: Plan, { state, detail }: SetsResult): readonly string[] {
  const isOpen = state === 'unknown' || state === 'accepted' || state === 'sent';
  const warning = 'it may still take effect: look at the balances before you ask for it again';
  return [...planLines(plan).slice(0, 2), `${state}: ${detail}`, ...(isOpen ? [warning] : [])];
}

function parseMarket(text: string): MarketId {
  const id = parsed(marketId, text);
  if (id === undefined) throw new InvalidArgumentError('not a market id');
  return id;
}

function parseAmount(text: string): MicroShares {
  const amount = parsed(parseShares, text);
  if (amount !== undefined && amount > 0) return amount;
  throw new InvalidArgumentError('not a number of sets above 0 with up to 6 decimals');
}

function parseWait(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 3_600) {
    throw new InvalidArgumentError('not a number of seconds, 0 to 3600');
  }
  return seconds;
}
