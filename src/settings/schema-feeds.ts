// Prices from outside the venue, one source for each market.

import {
  flag,
  number,
  optionalNumber,
  optionalText,
  requiredText,
  section,
  text,
  texts,
  whole,
} from './keys.ts';
import { list } from './tree.ts';

/** As many as there may be markets to quote. */
const FEEDS_MAX = 1_000;

const applies = 'live';

const pointer = {
  unit: 'JSON pointer',
  rule: 'a JSON pointer like /data/price, or "" for the document itself',
  pattern: /^(?:\/[^\n/]{0,100}){0,20}$/,
  applies,
} as const;

const address = {
  unit: 'path or URL',
  rule: 'a path, or an http(s):// or ws(s):// address without user and fragment',
  pattern: { test: isPriceSource },
  applies,
} as const;

const secret = {
  unit: 'name',
  rule: 'the name of a variable that begins with FEED_, in capitals',
  pattern: /^FEED_[A-Z0-9_]{1,60}$/,
  applies,
} as const;

/** Crypto moves between these, by the year. */
const volatility = { unit: 'per root of a year', min: 0.001, max: 10, applies } as const;

const DIGITAL = section('The price is a spot price, and YES pays where it is at the expiry.', {
  strike: optionalNumber({
    doc: 'YES where the spot price is above it at the expiry; stated, the feed is such an option.',
    unit: "the spot price's",
    min: 1e-9,
    max: 1e12,
    applies,
  }),
  strikeUpper: optionalNumber({
    doc: 'YES only where it is also not above this one.',
    unit: "the spot price's",
    min: 1e-9,
    max: 1e12,
    applies,
  }),
  expiry: optionalText({
    doc: 'When that is decided; from then on there is no price.',
    unit: 'ISO 8601 with zone',
    rule: 'a time as 2026-12-31T17:00:00Z, with its zone',
    pattern: { test: isZonedTime },
    applies,
  }),
  volatility: number({
    doc: 'Of the spot price: where the fit to its own moves begins, worth twenty of them.',
    default: 0.5,
    ...volatility,
  }),
  volatilityMin: number({
    doc: 'The fitted volatility is never below it.',
    default: 0.1,
    ...volatility,
  }),
  volatilityMax: number({ doc: 'And never above it.', default: 3, ...volatility }),
  halfLifeSec: whole({
    doc: 'Moves count half after this time.',
    unit: 's',
    min: 10,
    max: 2_592_000,
    default: 3_600,
    applies,
  }),
  sampleMs: whole({
    doc: 'Moves are taken over this time; over a shorter one the bid and the ask of the spot market look like moves.',
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    default: 10_000,
    applies,
  }),
});

const FEED = section('One source of external prices.', {
  name: requiredText({
    doc: 'Its name in log, metrics and status.',
    unit: 'name',
    rule: 'lower-case words joined by dashes, at most 60 characters',
    pattern: /^(?=.{1,60}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
    applies,
  }),
  event: requiredText({
    doc: 'The event as under `markets`.',
    unit: 'slug or id',
    rule: 'a slug or id of 1 to 200 characters; put quotes around a number',
    pattern: /^\S{1,200}$/,
    applies,
  }),
  market: optionalText({
    doc: 'Market id; needed where the event has several, since a price is about one market.',
    unit: 'id',
    rule: 'a market id of 1 to 200 characters; put quotes around a number',
    pattern: /^\S{1,200}$/,
    applies,
  }),
  from: optionalText({
    doc: 'Where prices come from: a file, or an address that is asked or listened to; of a `venue` its public one unless stated.',
    ...address,
  }),
  venue: optionalText({
    doc: 'Prices of YES are the middles of this venue: `polymarket` and `kalshi` need no key, `betfair` a session and an application key.',
    unit: 'word',
    rule: 'one of polymarket, kalshi, betfair',
    pattern: /^(?:polymarket|kalshi|betfair)$/,
    applies,
  }),
  outcomes: texts({
    doc: 'What YES is there: token ids (polymarket), tickers (kalshi), selection ids (betfair); of several, which must exclude each other, any.',
    unit: 'ids',
    rule: 'an id of 1 to 200 characters; put quotes around a number',
    pattern: /^\S{1,200}$/,
    lengthMax: 20,
    applies,
  }),
  venueMarket: optionalText({
    doc: 'The market of `outcomes` at betfair.',
    unit: 'id',
    rule: 'a market id as "1.234567890"; put quotes around it',
    pattern: /^\d\.\d{1,20}$/,
    applies,
  }),
  spreadMax: number({
    doc: 'The middle of a wider spread there is no price.',
    unit: 'USDC per share',
    min: 0.001,
    max: 1,
    default: 0.1,
    applies,
  }),
  stream: optionalText({
    doc: 'Address of the socket that tells changes of `polymarket` between what is asked; its public one unless `from` is stated.',
    unit: 'URL',
    rule: 'a ws(s):// address without user and fragment',
    pattern: /^wss?:\/\/[^\s/?#@]+(?:\/[^\s#@]*)?$/,
    applies,
  }),
  keepAliveFrom: optionalText({
    doc: 'Address that keeps a session of `betfair` alive, asked every half hour; its public one unless `from` is stated.',
    unit: 'URL',
    rule: 'an http(s):// address without user and fragment',
    pattern: /^https?:\/\/[^\s/?#@]+(?:\/[^\s#@]*)?$/,
    applies,
  }),
  appKeyEnv: optionalText({
    doc: 'Environment variable that holds the application key of betfair; `authEnv` names that of the session.',
    ...secret,
  }),
  inverted: flag({
    doc: 'YES here is what does not happen there.',
    default: false,
    applies,
  }),
  digital: DIGITAL,
  priceField: text({
    doc: 'Where the price stands in a JSON document; a line of CSV has it first.',
    default: '/price',
    ...pointer,
  }),
  bidField: optionalText({
    doc: 'Best bid; with `askField` the price is their middle, in place of `priceField`.',
    ...pointer,
  }),
  askField: optionalText({
    doc: 'Best ask.',
    ...pointer,
  }),
  uncertaintyField: optionalText({
    doc: 'Standard deviation of the price; stated, it must be there, else /uncertainty may be.',
    ...pointer,
  }),
  timeField: optionalText({
    doc: 'Time of the price, Unix or ISO 8601; stated, it must be there, else /time may be.',
    ...pointer,
  }),
  onlyField: optionalText({
    doc: 'Documents count only where this field says `onlyValue`, on a socket of many markets.',
    ...pointer,
  }),
  onlyValue: optionalText({
    doc: 'What `onlyField` must say.',
    unit: 'text',
    rule: 'text of 1 to 200 characters; put quotes around a number',
    pattern: /^.{1,200}$/,
    applies,
  }),
  subscribe: optionalText({
    doc: 'Sent as it is when the socket opens.',
    unit: 'text',
    rule: 'text of 1 to 4000 characters',
    pattern: /^[\s\S]{1,4000}$/,
    applies,
  }),
  pollMs: whole({
    doc: 'Period of asking an address or looking at a file.',
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    default: 1_000,
    applies,
  }),
  timeoutMs: whole({
    doc: 'An answer or a connection that has not come by then is given up.',
    unit: 'ms',
    min: 50,
    max: 60_000,
    default: 2_000,
    applies,
  }),
  jumpMax: number({
    doc: 'A larger move between two fresh prices withdraws the price until it is trusted.',
    unit: 'USDC per share',
    min: 0.001,
    max: 1,
    default: 0.2,
    applies,
  }),
  jumpReadings: whole({
    doc: 'Readings in a row that must agree before a larger move is trusted.',
    unit: 'readings',
    min: 1,
    max: 100,
    default: 3,
    applies,
  }),
  authEnv: optionalText({
    doc: 'Environment variable that holds the whole value of `authHeader`; never the value itself.',
    ...secret,
  }),
  authHeader: text({
    doc: 'Header that carries the secret; of betfair it is X-Authentication.',
    unit: 'header',
    rule: 'the name of an HTTP header',
    pattern: /^[A-Za-z0-9-]{1,60}$/,
    default: 'authorization',
    applies,
  }),
});

export const FEEDS = list({
  doc: 'Prices from outside the venue, for strategies that follow them.',
  applies,
  required: false,
  lengthMax: FEEDS_MAX,
  items: FEED,
});

const ADDRESS = /^(?:https?|wss?):\/\/[^\s/?#@]+(?:\/[^\s#@]*)?$/;
const SCHEME = /^\w+:\/\//;
const PATH = /^[^\0\n]{1,1000}$/;

function isPriceSource(text: string): boolean {
  return ADDRESS.test(text) || (!SCHEME.test(text) && PATH.test(text));
}

/** A time with its zone; of which no day may be, as the 30th of February. */
export const ZONED =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export function isZonedTime(text: string): boolean {
  return ZONED.test(text) && Number.isFinite(Date.parse(text)) && isDay(text.slice(0, 10));
}

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isDay(date: string): boolean {
  return new Date(`${date}T00:00Z`).toISOString().startsWith(date);
}
