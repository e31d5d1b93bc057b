// What is asked of the venue before anything may be placed. All problems at once, none is guessed.

import type { MarketChoice } from '../domain/input.ts';
import type { Event } from '../domain/market.ts';
import type { Failure } from '../domain/message.ts';
import type { VenueHttp } from '../venue/http/venue-http.ts';
import { TIMESTAMP_WINDOW_SEC } from '../wire/limits.ts';

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
  readonly markets: readonly MarketChoice[];
};

export type PreflightResult = { readonly clockOffsetMs: number };

/**
 * Half of the window in which the venue takes a signature. We sign with corrected time, yet a host
 * this far off has no time service, and its error may grow.
 */
const OFFSET_MS_MAX = (TIMESTAMP_WINDOW_SEC * 1_000) / 2;

/**
 * Asks the venue for its time, the account and every configured market.
 *
 * @throws {PreflightError} With all that speaks against a start.
 */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const clock = await options.http.measureClock();
  if (clock.kind !== 'ok') {
    throw new PreflightError([`cannot reach the venue at ${options.baseUrl}: ${failure(clock)}`]);
  }
  const { offsetMs } = clock.value;
  const found = await Promise.all([
    offsetProblems(offsetMs),
    accountProblems(options),
    marketProblems(options),
  ]);
  const problems = found.flat();
  if (problems.length > 0) throw new PreflightError(problems);
  return { clockOffsetMs: offsetMs };
}

function offsetProblems(offsetMs: number): readonly string[] {
  if (Math.abs(offsetMs) <= OFFSET_MS_MAX) return [];
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const way = offsetMs > 0 ? 'behind' : 'ahead of';
  return [
    `the clock of this machine is ${seconds} s ${way} the venue's, at most ${OFFSET_MS_MAX / 1_000} s are allowed; set it by a time service`,
  ];
}

async function accountProblems(options: PreflightOptions): Promise<readonly string[]> {
  if (!options.hasCredentials) {
    return [
      'no credentials: set VENUE_API_KEY, VENUE_API_SECRET and VENUE_API_PASSPHRASE, or VENUE_CREDENTIALS_FILE',
    ];
  }
  const balances = await options.http.readBalances();
  if (balances.kind === 'ok') return [];
  const code = balances.kind === 'refused' ? balances.refusal.code : undefined;
  const cause = code === undefined ? undefined : ACCOUNT_CAUSES.get(code);
  return [`the account cannot be read: ${cause ?? failure(balances)}`];
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
  ['expired_timestamp', 'the clock of this machine is too far off (expired_timestamp)'],
  ['account_restricted', 'this account may not trade (account_restricted)'],
]);

async function marketProblems(options: PreflightOptions): Promise<readonly string[]> {
  const names = [...new Set(options.markets.map((choice) => choice.event))];
  if (names.length === 0) return [];
  const listing = await options.http.readNamedEvents(names);
  if (listing.kind !== 'ok') return [`the events cannot be read: ${failure(listing)}`];
  return options.markets.flatMap((choice) => choiceProblems(choice, listing.value.events));
}

function choiceProblems(choice: MarketChoice, events: readonly Event[]): readonly string[] {
  const event = events.find(({ id, slug }) => id === choice.event || slug === choice.event);
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
