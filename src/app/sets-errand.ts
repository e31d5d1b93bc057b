// A split, merge or redeem without a daemon: looked at first, sent once, confirmed by balances.

import { BotError } from '../domain/errors.ts';
import type { EventId, TokenId } from '../domain/ids.ts';
import type { Event, Market } from '../domain/market.ts';
import type { Balances, ReadOutcome, SetsOutcome } from '../domain/message.ts';
import type { SetsOrder, SetsState } from '../domain/sets.ts';
import {
  formatShares,
  MICRO_PER_SHARE,
  type MicroShares,
  microShares,
  NO_SHARES,
} from '../domain/shares.ts';
import type { Timers } from '../domain/time.ts';
import type { Usdc } from '../domain/usdc.ts';
import type { VenueHttp } from '../venue/http/venue-http.ts';
import { failure } from './preflight.ts';

/** What a change would meet, as the venue shows it now. */
export type SetsPreview = {
  readonly event: Event;
  readonly market: Market;
  readonly before: Holding;
  /** Why it must not be sent; `undefined` when nothing speaks against it. */
  readonly fault: string | undefined;
};

type Holding = {
  readonly cash: Usdc;
  readonly available: Usdc;
  readonly yes: MicroShares;
  readonly no: MicroShares;
  readonly yesFree: MicroShares;
  readonly noFree: MicroShares;
};

export type SetsResult = { readonly state: SetsState; readonly detail: string };

/** Pause between two looks at the balances. */
const LOOK_MS = 1_000;

/** @throws {BotError} `venue.read` or `catalogue.unknown`: a failed read is no answer. */
export async function previewSets(
  http: VenueHttp,
  order: Omit<SetsOrder, 'id' | 'by'>,
  eventNames: readonly string[],
): Promise<SetsPreview> {
  const listing = must('events', await http.readNamedEvents(eventNames));
  const found = listing.events.flatMap((event) =>
    event.markets.filter(({ id }) => id === order.marketId).map((market) => ({ event, market })),
  )[0];
  if (found === undefined) {
    const names = eventNames.join(', ');
    throw new BotError('catalogue.unknown', `market ${order.marketId} in events ${names}`);
  }
  const before = holdingOf(must('balances', await http.readBalances()), found.market);
  return { ...found, before, fault: faultOf(order, found.market, before) };
}

/** Sends the change once and looks at the balances until they show it or the time is over. */
export async function changeSets(
  http: VenueHttp,
  order: Omit<SetsOrder, 'id' | 'by'>,
  preview: SetsPreview,
  proof: { readonly timers: Timers; readonly deadlineMs: number },
): Promise<SetsResult> {
  const outcome = await send(http, order, preview.event.id);
  if (outcome.kind === 'refused' || outcome.kind === 'notSent') {
    return { state: 'refused', detail: failure(outcome) };
  }
  const isAccepted = outcome.kind === 'accepted';
  const detail = isAccepted ? outcome.txHash : failure(outcome);
  for (let waitedMs = 0; waitedMs < proof.deadlineMs; waitedMs += LOOK_MS) {
    await new Promise<void>((resolve) => proof.timers.after(LOOK_MS, resolve));
    const read = await http.readBalances();
    if (read.kind !== 'ok') continue;
    const after = holdingOf(read.value, preview.market);
    if (isShown(order, preview.before, after)) return { state: 'confirmed', detail };
  }
  return { state: isAccepted ? 'accepted' : 'unknown', detail };
}

async function send(
  http: VenueHttp,
  { action, marketId, amount = NO_SHARES }: Omit<SetsOrder, 'id' | 'by'>,
  eventId: EventId,
): Promise<SetsOutcome> {
  switch (action) {
    case 'split':
      return await http.splitSets({ eventId, marketId, amount });
    case 'merge':
      return await http.mergeSets({ eventId, marketId, amount });
    case 'redeem':
      return await http.redeem(marketId);
  }
}

function faultOf(
  { action, amount = NO_SHARES }: Omit<SetsOrder, 'id' | 'by'>,
  market: Market,
  held: Holding,
): string | undefined {
  switch (action) {
    case 'split':
      return held.available.times(MICRO_PER_SHARE).gte(amount)
        ? undefined
        : `it costs ${formatShares(amount)} USDC and ${held.available.toFixed()} are available`;
    case 'merge': {
      const free = held.yesFree < held.noFree ? held.yesFree : held.noFree;
      return amount <= free ? undefined : `only ${formatShares(free)} complete sets are free`;
    }
    case 'redeem':
      if (market.status !== 'resolved') return `the market is ${market.status}, not resolved`;
      return held.yes + held.no > 0 ? undefined : 'no shares of this market are held';
  }
}

/** Both tokens and the cash must have moved by the whole of it. */
function isShown(
  { action, amount = NO_SHARES }: Omit<SetsOrder, 'id' | 'by'>,
  before: Holding,
  after: Holding,
): boolean {
  if (action === 'redeem') return isPaid('yes', before, after) || isPaid('no', before, after);
  const sign = action === 'split' ? 1 : -1;
  return (
    after.yes - before.yes === sign * amount &&
    after.no - before.no === sign * amount &&
    after.cash
      .minus(before.cash)
      .times(MICRO_PER_SHARE)
      .eq(-sign * amount)
  );
}

/**
 * All shares of an outcome are gone and the cash has grown by one dollar for each. Positions lag, so
 * shares alone may go for other reasons, and before their payout is there.
 */
function isPaid(leg: 'yes' | 'no', before: Holding, after: Holding): boolean {
  const paid = after.cash.minus(before.cash).times(MICRO_PER_SHARE);
  return before[leg] > 0 && after[leg] === 0 && paid.eq(before[leg]);
}

function holdingOf(balances: Balances, market: Market): Holding {
  const of = (tokenId: TokenId) => balances.positions.find((each) => each.tokenId === tokenId);
  const yes = of(market.yes.tokenId);
  const no = of(market.no.tokenId);
  return {
    cash: balances.cashBalance,
    available: balances.availableBalance,
    yes: yes?.shareAmount ?? NO_SHARES,
    no: no?.shareAmount ?? NO_SHARES,
    yesFree: freeOf(yes),
    noFree: freeOf(no),
  };
}

function freeOf(position: Balances['positions'][number] | undefined): MicroShares {
  if (position === undefined) return NO_SHARES;
  const free = position.shareAmount - position.onHoldShareAmount;
  return free > 0 ? microShares(free) : NO_SHARES;
}

function must<Value>(what: string, outcome: ReadOutcome<Value>): Value {
  if (outcome.kind === 'ok') return outcome.value;
  throw new BotError('venue.read', `${what}: ${failure(outcome)}`);
}
