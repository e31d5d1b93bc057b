// What is asked of the venue before anything may be placed. All problems at once, none is guessed; what passes by
// itself is waited for.

import type { MarketChoice } from '../domain/input.ts';
import type { Failure } from '../domain/message.ts';
import type { Timers } from '../domain/time.ts';
import type { Listing } from '../venue/http/events.ts';
import type { VenueHttp } from '../venue/http/venue-http.ts';
import { namedPath } from '../wire/events.ts';

/** The venue, the account or the markets are not as the configuration says; nothing was placed. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`preflight refused:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export type PreflightVenue = Pick<VenueHttp, 'measureClock' | 'readBalances' | 'readNamedEvents'>;

export type PreflightOptions = {
  readonly http: PreflightVenue;
  readonly baseUrl: string;
  readonly hasCredentials: boolean;
  readonly markets: readonly Pick<MarketChoice, 'event' | 'market'>[];
  /** Whether an earlier run had it: what is wrong with it now is no mistake, and ends no start. */
  readonly wasListed: (choice: Pick<MarketChoice, 'event' | 'market'>) => boolean;
  /** Reads what filters choose. @returns Why one could not be read. */
  readonly select: () => Promise<Failure | undefined>;
  readonly timers: Timers;
  /** It asks no more once this is aborted. */
  readonly calledOff: AbortSignal;
  /** Told before each wait. */
  readonly onWait: (wait: Waiting) => void;
};

export type PreflightResult = {
  readonly clockOffsetMs: number;
  /** What an earlier run quoted and this one cannot; the others begin without it. */
  readonly unlisted: readonly string[];
};

/** The venue asks for time, or does not answer. */
export type Waiting = { readonly detail: string; readonly retryMs: number };

/** What one look found: mistakes that only a person mends, what passes by itself, and what is left out. */
type Found = {
  readonly problems: readonly string[];
  readonly passing?: Failure;
  readonly unlisted?: readonly string[];
};

const NOTHING_WRONG: Found = { problems: [] };

/**
 * Between two looks at a venue that names no time: a tenth of what was waited so far. A look that fails is one
 * request, and a start comes no more than a tenth later than the outage was long.
 */
const RETRY_PART = 0.1;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 15_000;

/**
 * Asks the venue for its time, the account and every configured market. What passes by itself is waited for: a
 * limit, maintenance, an outage. Only credentials, configuration and wrong addresses end a start.
 *
 * @throws {PreflightError} With all that speaks against a start.
 */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  for (let waitedMs = 0; ; ) {
    const { offsetMs, found } = await look(options);
    const problems = found.flatMap((each) => each.problems);
    if (problems.length > 0) throw new PreflightError(problems);
    const passing = found.flatMap((each) => each.passing ?? []);
    const [first] = passing;
    if (first === undefined) {
      return { clockOffsetMs: offsetMs, unlisted: found.flatMap((each) => each.unlisted ?? []) };
    }
    options.calledOff.throwIfAborted();
    const retryMs = Math.max(...passing.map((each) => waitMs(each, waitedMs)));
    options.onWait({ detail: `the venue does not serve us yet: ${failure(first)}`, retryMs });
    await pause(options, retryMs);
    waitedMs += retryMs;
  }
}

type Look = { readonly offsetMs: number; readonly found: readonly Found[] };

async function look(options: PreflightOptions): Promise<Look> {
  const clock = await options.http.measureClock();
  if (clock.kind !== 'ok') return { offsetMs: 0, found: [addressProblems(options, clock)] };
  const found = await Promise.all([
    accountProblems(options),
    marketProblems(options),
    selectionProblems(options),
  ]);
  return { offsetMs: clock.value.offsetMs, found };
}

/** Only a text that no venue of this interface sends, or a host that does not exist, is a wrong address. */
function addressProblems({ baseUrl }: PreflightOptions, of: Failure): Found {
  if (passes(of)) return { problems: [], passing: of };
  return { problems: [`cannot reach the venue at ${baseUrl}: ${failure(of)}`] };
}

/** Codes of what ends by itself. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'maintenance',
  // The clock is measured anew before the next look.
  'expired_timestamp',
  // It may not trade now: the daemon reduces at most, and asks now and then.
  'account_restricted',
  'geo_restricted',
]);
/** Of an address that names no host, or a host that is none of ours. */
const WRONG_ADDRESS = /ENOTFOUND|CERT|certificate|EPROTO|ERR_SSL|ERR_TLS/;

function passes(of: Failure): boolean {
  switch (of.kind) {
    case 'refused': {
      const { code, httpStatus = 0 } = of.refusal;
      return httpStatus >= 500 || httpStatus === 429 || PASSING_CODES.has(code ?? '');
    }
    case 'unknown':
      return of.cause !== 'unreadable' && !WRONG_ADDRESS.test(of.detail);
    case 'notSent':
      return !WRONG_ADDRESS.test(of.detail);
  }
}

/** As long as the venue asks for, or longer with each look; `Retry-After: 0` asks for no pace of its own. */
function waitMs(of: Failure, waitedMs: number): number {
  const asked = of.kind === 'refused' ? of.refusal.retryAfterMs : undefined;
  if (asked !== undefined && asked >= RETRY_MS_MIN) return asked;
  return Math.min(Math.max(RETRY_MS_MIN, waitedMs * RETRY_PART), RETRY_MS_MAX);
}

/** @throws What it was called off with. */
async function pause({ timers, calledOff }: PreflightOptions, durationMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      callOff();
      calledOff.removeEventListener('abort', wake);
      resolve();
    };
    const callOff = timers.after(durationMs, wake);
    calledOff.addEventListener('abort', wake, { once: true });
  });
  calledOff.throwIfAborted();
}

async function accountProblems(options: PreflightOptions): Promise<Found> {
  if (!options.hasCredentials) {
    return {
      problems: [
        'no credentials: set VENUE_API_KEY, VENUE_API_SECRET and VENUE_API_PASSPHRASE, or VENUE_CREDENTIALS_FILE',
      ],
    };
  }
  const balances = await options.http.readBalances();
  if (balances.kind === 'ok') return NOTHING_WRONG;
  if (passes(balances)) return { problems: [], passing: balances };
  const code = balances.kind === 'refused' ? balances.refusal.code : undefined;
  const cause = code === undefined ? undefined : ACCOUNT_CAUSES.get(code);
  return { problems: [`the account cannot be read: ${cause ?? failure(balances)}`] };
}

/** What each refusal of a signed request says about the configuration. @spec Errors */
const ACCOUNT_CAUSES: ReadonlyMap<string, string> = new Map([
  ['missing_credentials', 'the venue saw no credentials (missing_credentials)'],
  [
    'unknown_api_key',
    'the venue does not know this API key; was it regenerated? (unknown_api_key)',
  ],
  [
    'invalid_signature',
    'the signature does not match: the API secret is wrong, or a proxy changes the path (invalid_signature)',
  ],
  ['invalid_passphrase', 'the passphrase does not belong to this API key (invalid_passphrase)'],
]);

async function marketProblems(options: PreflightOptions): Promise<Found> {
  const names = [...new Set(options.markets.map((choice) => choice.event))];
  if (names.length === 0) return NOTHING_WRONG;
  const listing = await options.http.readNamedEvents(names);
  if (listing.kind === 'ok') {
    const wrongWith = (isOfBefore: boolean) =>
      options.markets
        .filter((choice) => options.wasListed(choice) === isOfBefore)
        .flatMap((choice) => choiceProblems(choice, listing.value));
    return { problems: wrongWith(false), unlisted: wrongWith(true) };
  }
  if (passes(listing)) return { problems: [], passing: listing };
  return { problems: [`the events cannot be read: ${failure(listing)}`] };
}

async function selectionProblems({ select }: PreflightOptions): Promise<Found> {
  const failed = await select();
  if (failed === undefined) return NOTHING_WRONG;
  if (passes(failed)) return { problems: [], passing: failed };
  return { problems: [`the listing for markets[].select cannot be read: ${failure(failed)}`] };
}

function choiceProblems(
  choice: Pick<MarketChoice, 'event' | 'market'>,
  { events, skipped }: Listing,
): readonly string[] {
  const event = events.find(({ id, slug }) => id === choice.event || slug === choice.event);
  const unread = skipped.find(({ path }) => path === namedPath(choice.event));
  if (unread) return [`the event ${choice.event} cannot be read: ${clipped(unread.detail)}`];
  if (!event) return [`the venue has no event ${choice.event}`];
  if (event.markets.length === 0) return [`the event ${choice.event} has no market we can read`];
  if (choice.market === undefined) return [];
  if (event.markets.some((market) => market.id === choice.market)) return [];
  const known = event.markets.map((market) => market.id).slice(0, MARKETS_NAMED_MAX);
  return [`the event ${choice.event} has no market ${choice.market}; it has ${known.join(', ')}`];
}

/** A complaint names enough markets to find the right one, not all of a large event. */
const MARKETS_NAMED_MAX = 20;

/** A failed request in a few words. */
export function failure(of: Failure): string {
  switch (of.kind) {
    case 'refused':
      return `${of.refusal.code ?? `status ${of.refusal.httpStatus ?? 'unknown'}`}: ${clipped(of.refusal.message)}`;
    case 'unknown':
      return `${of.cause}: ${clipped(of.detail)}`;
    case 'notSent':
      return clipped(of.detail);
  }
}

function clipped(text: string): string {
  return text.slice(0, 200);
}
