// The price of YES from the books of another venue: the middles of the outcomes that make it, added up.

import type { VenueMids } from '../../domain/feed.ts';
import { jsonOr } from '../../domain/json.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';
import type { Reader } from '../arrival.ts';
import { type Reading, type Refusal, refusal, shown } from '../statement.ts';
import { betfairQuotes } from './betfair.ts';
import { kalshiQuotes } from './kalshi.ts';
import { polymarketQuotes } from './polymarket.ts';
import type { Quote, Quotes, QuotesRead } from './quotes.ts';

/** Bytes of one answer: books of twenty outcomes with hundreds of levels each. */
export const VENUE_BYTES_MAX = 1_048_576;

/** A value that may be anywhere in the spread has this deviation for each unit of it. */
const UNIFORM = 1 / Math.sqrt(12);
/** No spread at all is no knowledge without any error. */
const SPREAD_MIN = 0.001;

export function venueReader(venue: VenueMids): Reader {
  let quotes: Known = new Map();
  let basis: string | undefined;
  return {
    read: ({ text, isStream, usualAtMs }) => {
      const read = quotesIn(text, venue, isStream);
      if (read.kind !== 'quotes') return read;
      const isOurs = venue.outcomes.some((outcome) => read.quotes.has(outcome));
      if (isStream && !isOurs) return { kind: 'skipped' };
      quotes = knownOf(venue, quotes, read, usualAtMs);
      // A socket may name one outcome before anybody has named the others.
      if (isStream && venue.outcomes.some((outcome) => !quotes.has(outcome))) {
        return { kind: 'skipped' };
      }
      basis = basisOf(venue, quotes);
      return sumOf(venue, quotes);
    },
    basis: () => basis,
  };
}

function quotesIn(text: string, venue: VenueMids, isStream: boolean): QuotesRead {
  const document = jsonOr(text, VENUE_BYTES_MAX);
  if (typeof document !== 'object' || document === null) {
    // `PONG` and the like.
    return isStream ? { kind: 'skipped' } : refusal('the answer', shown(document), 'JSON');
  }
  switch (venue.name) {
    case 'polymarket':
      return polymarketQuotes(document, isStream);
    case 'kalshi':
      return kalshiQuotes(document);
    case 'betfair':
      return betfairQuotes(document, venue);
  }
}

/** The newest quote of each outcome, and when it was asked for or told. */
type Known = ReadonlyMap<string, { readonly quote: Quote; readonly atMs: UnixMs }>;

/**
 * Only what is asked for: a million other outcomes fill no memory. What the socket said of one while an
 * answer was in flight is newer than the answer.
 */
function knownOf({ outcomes }: VenueMids, before: Known, told: Quotes, atMs: UnixMs): Known {
  const known = new Map(before);
  for (const outcome of outcomes) {
    if ((before.get(outcome)?.atMs ?? atMs) > atMs) continue;
    const quote = told.quotes.get(outcome);
    if (quote !== undefined) known.set(outcome, { quote, atMs });
    else if (told.isWhole) known.delete(outcome);
  }
  return known;
}

/** As old as the oldest of its outcomes: a socket that tells of one alone makes no price of several fresh. */
function sumOf(venue: VenueMids, quotes: Known): Reading {
  let price = 0;
  let variance = 0;
  let heardAtMs = Number.POSITIVE_INFINITY;
  for (const outcome of venue.outcomes) {
    const known = quotes.get(outcome);
    const touch = touchOf(outcome, known?.quote, venue.spreadMax);
    if ('kind' in touch) return touch;
    heardAtMs = Math.min(heardAtMs, known?.atMs ?? heardAtMs);
    price += (touch.bid + touch.ask) / 2;
    variance += (UNIFORM * Math.max(SPREAD_MIN, touch.ask - touch.bid)) ** 2;
  }
  if (!(price > 0 && price < 1)) {
    const right = 'less than 1: outcomes that exclude each other';
    return refusal('the sum of the outcomes', price.toFixed(4), right);
  }
  const deviation = Math.min(0.5, Math.sqrt(variance));
  return { kind: 'stated', price, deviation, atMs: undefined, heardAtMs: unixMs(heardAtMs) };
}

type Touch = { readonly bid: number; readonly ask: number };

/** A middle is a price only between two orders that are close to each other. */
function touchOf(outcome: string, quote: Quote | undefined, spreadMax: number): Touch | Refusal {
  const place = `outcome ${shortOf(outcome)}`;
  if (quote === undefined) return refusal(place, 'not in the answer', 'an outcome of that venue');
  if ('fault' in quote) return refusal(place, quote.fault, 'traded');
  const { bid, ask } = quote;
  if (bid === undefined || ask === undefined) {
    return refusal(place, `without ${bid === undefined ? 'a bid' : 'an ask'}`, 'bid and ask');
  }
  // Odds are rounded, and so is what they are turned into.
  if (ask - bid > spreadMax + 1e-9 || ask < bid) {
    const found = `at ${bid.toFixed(3)} / ${ask.toFixed(3)}`;
    return refusal(place, found, `a spread of 0 to ${spreadMax} (spreadMax)`);
  }
  return { bid, ask };
}

function basisOf({ outcomes }: VenueMids, quotes: Known): string {
  return outcomes
    .map((outcome) => {
      const quote = quotes.get(outcome)?.quote;
      if (quote === undefined) return `${shortOf(outcome)} -`;
      if ('fault' in quote) return `${shortOf(outcome)} ${quote.fault}`;
      const of = (price: number | undefined): string => price?.toFixed(3) ?? '-';
      return `${shortOf(outcome)} ${of(quote.bid)}/${of(quote.ask)}`;
    })
    .join(', ');
}

/** A token id has seventy-seven digits. */
function shortOf(outcome: string): string {
  return outcome.length <= 30 ? outcome : `${outcome.slice(0, 6)}…${outcome.slice(-4)}`;
}
