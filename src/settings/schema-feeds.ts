// Prices from outside the venue, one source for each market.

import { number, optionalText, requiredText, section, text, whole } from './keys.ts';
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
  from: requiredText({
    doc: 'Where prices of YES come from: a file, or an address that is asked or listened to.',
    unit: 'path or URL',
    rule: 'a path, or an http(s):// or ws(s):// address without user and fragment',
    pattern: { test: isPriceSource },
    applies,
  }),
  priceField: text({
    doc: 'Where the price stands in a JSON document; a line of CSV has it first.',
    default: '/price',
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
    unit: 'name',
    rule: 'the name of a variable that begins with FEED_, in capitals',
    pattern: /^FEED_[A-Z0-9_]{1,60}$/,
    applies,
  }),
  authHeader: text({
    doc: 'Header that carries the secret.',
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
