// Whether the venue has what a kill of a part names. A wrong id cancels nothing, and "no open order is left" would then
// be true and about nothing: `kill` asks beside its cancel, which waits for no answer to it.

import { type VenueAccess, withVenueHttp } from '../app/venue-access.ts';
import { inTime } from '../domain/in-time.ts';
import type { Event } from '../domain/market.ts';
import type { CancelScope, ReadOutcome } from '../domain/message.ts';
import type { Timers } from '../domain/time.ts';
import type { KillResult } from '../guard/kill.ts';
import { nearest } from '../settings/suggest.ts';
import type { VenueHttp } from '../venue/http/venue-http.ts';
import { isNotThere } from '../wire/codes.ts';

/** A venue with hundreds of pages of events is not read whole for this. */
const ASK_MS_MAX = 5_000;
/** Names that are told where none is near. */
const NAMED_MAX = 5;

export class Unlisted {
  readonly #asked: Promise<string | undefined>;
  #text: string | undefined;
  /** A daemon has stopped other markets by that name, as those of an event. */
  isOther = false;

  /** Asks at once; nobody is asked about the whole account. */
  constructor(access: VenueAccess, scope: CancelScope, timers: Timers) {
    this.#asked =
      scope.kind === 'account' ? Promise.resolve(undefined) : asked(access, scope, timers);
    void this.#asked.then((text) => {
      this.#text = text;
    });
  }

  /** The venue has answered that there is no such thing. */
  get isKnown(): boolean {
    return this.#text !== undefined;
  }

  /** What to tell in place of the result; `undefined` where orders were found after all, or nobody can say. */
  async textOf(result: KillResult): Promise<string | undefined> {
    if (this.isOther) return undefined;
    const left = result.kind === 'confirmed' ? 0 : (result.left?.length ?? 0);
    return result.cancelled + left === 0 ? await this.#asked : undefined;
  }
}

type Part = Exclude<CancelScope, { readonly kind: 'account' }>;

async function ask(access: VenueAccess, scope: Part): Promise<string | undefined> {
  return await withVenueHttp(access, async (http) => {
    const [alone, all] = await Promise.all([readAlone(http, scope), http.readAllEvents()]);
    // What the list left out may be it.
    if (!isNotFound(alone) || all.kind !== 'ok' || all.value.skipped.length > 0) return undefined;
    const { events } = all.value;
    return has(events, scope) ? undefined : unlistedText(events, scope);
  });
}

/** One answer that does not hang on what a list may leave out; a book with a bare side answers so, too. */
async function readAlone(http: VenueHttp, scope: Part): Promise<ReadOutcome<unknown>> {
  return scope.kind === 'market'
    ? await http.readMarket(scope.marketId)
    : await http.readMidpoint(scope.tokenId);
}

function isNotFound(outcome: ReadOutcome<unknown>): boolean {
  return outcome.kind === 'refused' && isNotThere(outcome.refusal);
}

function has(events: readonly Event[], scope: Part): boolean {
  return idsOf(events, scope.kind).includes(nameOf(scope));
}

function nameOf(scope: Part): string {
  return scope.kind === 'market' ? scope.marketId : scope.tokenId;
}

function idsOf(events: readonly Event[], kind: Part['kind']): readonly string[] {
  const markets = events.flatMap((event) => event.markets);
  return kind === 'market'
    ? markets.map(({ id }) => id)
    : markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]);
}

/** `the venue has no market mkt-rain-x; did you mean mkt-rain-1?` */
export function unlistedText(events: readonly Event[], scope: Part): string {
  const name = nameOf(scope);
  const event = events.find(({ id, slug }) => id === name || slug === name);
  const markets = event?.markets.map(({ id }) => id).join(', ');
  const said = `the venue has no ${scope.kind} ${name}, and nothing was cancelled`;
  if (markets !== undefined) return `${said}; that is an event, and its markets are ${markets}`;
  const known = idsOf(events, scope.kind);
  const near = nearest(name, known);
  const some = known.slice(0, NAMED_MAX).join(', ');
  const more = known.length > NAMED_MAX ? ` and ${known.length - NAMED_MAX} more` : '';
  const hint = near === undefined ? `it has ${some}${more}` : `did you mean ${near}?`;
  return `${said}; ${hint} (\`bookend markets\` lists them)`;
}

/** What fails, or takes too long, says nothing. */
async function asked(
  access: VenueAccess,
  scope: Part,
  timers: Timers,
): Promise<string | undefined> {
  const answer = ask(access, scope).catch(() => undefined);
  return await inTime(answer, undefined, { timers, ms: ASK_MS_MAX });
}
