// The embedded venue's section of the configuration. Real venues ignore it.

import { number, oneOf, optionalText, requiredText, section, text, whole } from './keys.ts';
import { list } from './tree.ts';

const MARKET = section('One binary market of an event.', {
  title: requiredText({
    doc: 'What the market asks.',
    unit: 'text',
    rule: 'text of 1 to 200 characters; put quotes around a number',
    pattern: /^.{1,200}$/,
    applies: 'restart',
  }),
  id: optionalText({
    doc: 'Market id; without it, one is made of the slug and the place in the list.',
    unit: 'id',
    rule: 'an id of 1 to 200 characters; put quotes around a number',
    pattern: /^\S{1,200}$/,
    applies: 'restart',
  }),
  fairValue: number({
    doc: 'Probability of YES at the start, which moves from there.',
    unit: 'probability',
    min: 0.02,
    max: 0.98,
    default: 0.5,
    applies: 'restart',
  }),
  profile: oneOf({
    doc: 'How its crowd trades: calm, with informed takers, or with sudden jumps of value.',
    words: ['calm', 'informed', 'jumpy'],
    default: 'calm',
    applies: 'restart',
  }),
});

/** Events that one embedded venue lists; a recording of hundreds comes from its own file. */
const EVENTS_MAX = 50;
const MARKETS_MAX = 50;

const EVENT = section('One event of the embedded venue.', {
  slug: requiredText({
    doc: 'Name of the event, as `markets[].event` refers to it.',
    unit: 'slug',
    rule: 'lower-case words joined by dashes',
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+){0,40}$/,
    applies: 'restart',
  }),
  title: requiredText({
    doc: 'What the event is about.',
    unit: 'text',
    rule: 'text of 1 to 200 characters; put quotes around a number',
    pattern: /^.{1,200}$/,
    applies: 'restart',
  }),
  category: text({
    doc: 'Category slug.',
    unit: 'slug',
    rule: 'lower-case words joined by dashes',
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+){0,40}$/,
    default: 'other',
    applies: 'restart',
  }),
  tickSize: oneOf({
    doc: 'Tick size of every market of the event; write it in quotes.',
    words: ['0.01', '0.001'],
    default: '0.01',
    applies: 'restart',
  }),
  markets: list({
    doc: 'The markets of the event.',
    applies: 'restart',
    required: true,
    lengthMax: MARKETS_MAX,
    items: MARKET,
  }),
});

/** What the slug of an event of the embedded venue may be. */
export const PAPER_SLUG = EVENT.keys.slug;

export const PAPER = section(
  'The embedded venue and its crowd; only `paper`, `venue`, a backtest and a dry run read it.',
  {
    host: text({
      doc: 'Address to listen on.',
      unit: 'host',
      rule: 'an IP address or a host name',
      pattern: /^[0-9A-Za-z.:-]{1,253}$/,
      default: '127.0.0.1',
      applies: 'restart',
    }),
    port: whole({
      doc: 'Port to listen on; 0 takes a free one.',
      unit: 'port',
      min: 0,
      max: 65_535,
      default: 8_787,
      applies: 'restart',
    }),
    seed: whole({
      doc: 'Seed of the crowd: the same seed trades the same way.',
      unit: 'number',
      min: 0,
      max: 4_294_967_295,
      default: 1,
      applies: 'restart',
    }),
    startingCashUsdc: number({
      doc: "Cash of the daemon's account at the start.",
      unit: 'USDC',
      min: 1,
      max: 100_000_000,
      default: 10_000,
      applies: 'restart',
    }),
    crowd: oneOf({
      doc: 'How much the synthetic crowd gives away: `honest` little, as the figures of strategies/README.md; `generous` trades often and loses to whoever quotes, to see fills at once.',
      words: ['honest', 'generous'],
      default: 'honest',
      applies: 'restart',
    }),
    activity: number({
      doc: 'Multiplies the order flow of the crowd.',
      unit: 'times',
      min: 0,
      max: 100,
      default: 1,
      applies: 'restart',
    }),
    settlementMsMin: whole({
      doc: 'Shortest time from match to settlement.',
      unit: 'ms',
      min: 0,
      max: 600_000,
      default: 15_000,
      applies: 'restart',
    }),
    settlementMsMax: whole({
      doc: 'Longest time from match to settlement.',
      unit: 'ms',
      min: 0,
      max: 600_000,
      default: 20_000,
      applies: 'restart',
    }),
    positionLagMsMin: whole({
      doc: 'Shortest lag of positions behind a settlement.',
      unit: 'ms',
      min: 0,
      max: 3_600_000,
      default: 30_000,
      applies: 'restart',
    }),
    positionLagMsMax: whole({
      doc: 'Longest lag of positions behind a settlement.',
      unit: 'ms',
      min: 0,
      max: 3_600_000,
      default: 120_000,
      applies: 'restart',
    }),
    partlyFilled: oneOf({
      doc: 'What a cancel does to an order that has traded in part: it `stays`, as the interface document reads (only OPEN can be cancelled), or is `cancellable`.',
      words: ['stays', 'cancellable'],
      default: 'stays',
      applies: 'restart',
    }),
    books: oneOf({
      doc: 'What a book shows: the orders of its own token (`separate`), or those of both outcomes, an order to buy YES at p as an ask of NO at 1 - p too (`unified`).',
      words: ['separate', 'unified'],
      default: 'separate',
      applies: 'restart',
    }),
    replaySpeed: number({
      doc: 'How much faster than recorded frames are played; --speed overrides it.',
      unit: 'times',
      min: 0.01,
      max: 10_000,
      default: 1,
      applies: 'restart',
    }),
    replaySilenceMsMax: whole({
      doc: 'A longer silence of the recording is cut to this.',
      unit: 'ms',
      min: 0,
      max: 600_000,
      default: 2_000,
      applies: 'restart',
    }),
    events: list({
      doc: 'Events that the embedded venue lists.',
      applies: 'restart',
      required: false,
      lengthMax: EVENTS_MAX,
      items: EVENT,
    }),
  },
);
