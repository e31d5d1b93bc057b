// `doctor`: everything about venue, account and configuration that can be known without an order.

import type { Command } from 'commander';
import { failure } from '../app/preflight.ts';
import { type VenueAccess, withVenueHttp } from '../app/venue-access.ts';
import { feedChoices } from '../settings/feed-choice.ts';
import type { Settings } from '../settings/settings.ts';
import type { VenueHttp } from '../venue/http/venue-http.ts';
import { TIMESTAMP_WINDOW_SEC } from '../wire/limits.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { accountFindings, limitFindings } from './doctor/account.ts';
import { CardFailure, type HarmlessBench, type HarmlessCard, type Rest } from './doctor/card.ts';
import { ACCOUNT_CARDS } from './doctor/cards-account.ts';
import { MARKET_CARDS } from './doctor/cards-market.ts';
import { PUBLIC_CARDS } from './doctor/cards-public.ts';
import { credentialsFinding } from './doctor/credentials.ts';
import { feedFindings } from './doctor/feeds.ts';
import {
  exitOf,
  type Finding,
  failed,
  findingLines,
  note,
  ok,
  refused,
  skipped,
} from './doctor/finding.ts';
import { checkMarkets } from './doctor/markets.ts';
import { probe, Unanswered } from './doctor/probe.ts';
import { socketFindings } from './doctor/socket.ts';
import { targetOf } from './doctor/target.ts';
import { type CliIo, type Finish, printResult } from './io.ts';
import { configured, venueAccess } from './options.ts';
import { harmless } from './text.ts';

type DoctorOptions = { readonly config: string; readonly json?: boolean };

export function doctorCommand(io: CliIo, finish: Finish): Command {
  return command('doctor', 'examines venue, credentials, markets and limits; places nothing')
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: DoctorOptions) => {
      const { settings } = await configured(io, options.config);
      const access = venueAccess(io, settings);
      const findings = [
        ...(await examine(access, access.settings)),
        ...(await feedFindings(feedChoices(settings, io.env), access.clock)),
      ];
      const lines = findingLines(findings).map(harmless);
      printResult(io, { json: { findings, exitCode: exitOf(findings) }, lines }, options);
      finish(exitOf(findings));
    });
}

/** Later questions make no sense where an earlier one has no answer. */
async function examine(access: VenueAccess, settings: Settings): Promise<readonly Finding[]> {
  return await withVenueHttp(access, async (http) => {
    const reached = await clockFindings(http, settings);
    if (reached.some(({ kind }) => kind === 'failed')) return reached;
    const hasCredentials = access.credentials.current() !== undefined;
    const rest = probe({
      baseUrl: settings.venue.baseUrl,
      credentials: access.credentials.current(),
      venueNowMs: () => http.venueNowMs(),
      timeoutMs: settings.venue.requestTimeoutMs,
    });
    const letIn = await credentialsFinding(rest, hasCredentials);
    const isLetIn = letIn.kind === 'ok';
    const { findings: markets, events } = await checkMarkets(access, settings);
    return [
      ...reached,
      letIn,
      ...markets,
      ...(isLetIn ? await accountFindings(http, settings) : [skipped('balances', NO_ACCESS)]),
      ...limitFindings(settings),
      ...(await socketFindings(access, events, hasCredentials)),
      ...(await cardFindings(rest, events[0]?.slug, { isLetIn, nowMs: () => http.venueNowMs() })),
    ];
  });
}

const NO_ACCESS = 'needs working credentials';
/** Five probes narrow an offset that the venue tells in whole seconds. */
const PROBES = 5;

async function clockFindings(http: VenueHttp, { venue }: Settings): Promise<readonly Finding[]> {
  const first = await http.measureClock();
  if (first.kind !== 'ok') {
    const cure = 'check venue.baseUrl (it ends in /api) and the network';
    return [failed('address', `${venue.baseUrl}: ${failure(first)}`, cure)];
  }
  const answers = [first];
  for (let count = 1; count < PROBES; count += 1) {
    const again = await http.measureClock();
    if (again.kind === 'ok') answers.push(again);
  }
  const fastestMs = Math.min(...answers.map(({ value }) => value.roundTripMs));
  const offsetMs = Math.round(http.clockOffsetMs());
  return [ok('address', `${venue.baseUrl} answers in ${fastestMs} ms`), clockFinding(offsetMs)];
}

function clockFinding(offsetMs: number): Finding {
  // Answers in whole seconds tell no better than this in so few probes.
  const way = offsetMs < 0 ? 'behind' : 'ahead';
  const detail = `the venue is ${(Math.abs(offsetMs) / 1_000).toFixed(1)} s ${way}, give or take 0.5 s`;
  const halfMs = (TIMESTAMP_WINDOW_SEC * 1_000) / 2;
  const cure = 'set this machine’s clock by a time service';
  if (Math.abs(offsetMs) > halfMs) return refused('clock', `${detail}; ${tooFar(halfMs)}`, cure);
  return Math.abs(offsetMs) > 2_000 ? note('clock', detail, cure) : ok('clock', detail);
}

function tooFar(msMax: number): string {
  return `more than ${msMax / 1_000} s: requests carry the venue’s time once \`/time\` has told it, logs and journal never do`;
}

/** The harmless cards of the conformance suite, as one line unless something is wrong. */
async function cardFindings(
  rest: Rest,
  event: string | undefined,
  known: { readonly isLetIn: boolean; readonly nowMs: HarmlessBench['nowMs'] },
): Promise<readonly Finding[]> {
  try {
    const bench = { rest, target: await targetOf(rest, event), nowMs: known.nowMs };
    const cards = [...PUBLIC_CARDS, ...MARKET_CARDS, ...(known.isLetIn ? ACCOUNT_CARDS : [])];
    const wrong: Finding[] = [];
    const patience = { unanswered: 0 };
    for (const card of cards) wrong.push(...(await cardFinding(card, bench, patience)));
    const held = ok('interface', `${cards.length - wrong.length} of ${cards.length} cards hold`);
    return [held, ...wrong];
  } catch (error) {
    return [failed('interface', textOf(error), 'no market could be asked about')];
  }
}

/** Of a venue that answers no more, each card would be waited for in vain. */
const UNANSWERED_MAX = 3;

async function cardFinding(
  card: HarmlessCard,
  bench: HarmlessBench,
  patience: { unanswered: number },
): Promise<readonly Finding[]> {
  if (patience.unanswered >= UNANSWERED_MAX) {
    return [skipped(`interface ${card.id}`, 'the venue has given no answer to others')];
  }
  try {
    await card.run(bench);
    return [];
  } catch (error) {
    if (error instanceof Unanswered) patience.unanswered += 1;
    const cure = `the venue differs from its interface: ${card.spec}`;
    return [failed(`interface ${card.id}`, `${card.title}: ${textOf(error)}`, cure)];
  }
}

function textOf(error: unknown): string {
  if (error instanceof CardFailure) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
