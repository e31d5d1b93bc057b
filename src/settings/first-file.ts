// The text of a first configuration: a few answers, and what follows from them, with comments that say what each
// line is for. It is YAML text and not a tree, since its comments are what a new user reads.

import { stringify } from 'yaml';
import type { StrategyParam, StrategySpecs } from './markets.ts';

/** What `bookend init` has been told. */
export type FirstAnswers = {
  readonly venue:
    | { readonly kind: 'paper'; readonly crowd: string }
    | { readonly kind: 'real'; readonly baseUrl: string; readonly wsUrl: string };
  /** Slugs; none where they are still to be found. */
  readonly events: readonly string[];
  readonly strategy: string;
  /** What may be lost at worst. */
  readonly maxLossUsdc: number;
};

/** Where things stand that the text refers to. */
export type FirstPlaces = {
  /** As an editor finds it from the file: `config/schema.json`. */
  readonly schema: string;
  readonly journal: string;
};

/** Sizes that follow from what may be lost. */
export type FirstSizes = {
  readonly size: number;
  readonly levels: number;
  readonly maxPositionShares: number;
  readonly maxOpenOrders: number;
};

/** Quotes on each side; more would share the same money in smaller pieces. */
const LEVELS = 3;
/** A position of a market is worth so many of its quotes. */
const QUOTES_IN_POSITION = 10;
/** Two sides, and the new ladder may rest beside the old one for a moment. */
const SIDES_TWICE = 4;
const OPEN_ORDERS_MIN = 40;
/** Of one quote, as `risk.maxOrderShares` has it. */
const SIZE_MAX = 10_000;

/** A share costs less than one USDC, so a market that may lose so much may hold as many shares. */
export function firstSizes({ events, maxLossUsdc }: FirstAnswers): FirstSizes {
  const markets = Math.max(1, events.length);
  const wanted = Math.floor(maxLossUsdc / markets / QUOTES_IN_POSITION);
  const size = Math.min(SIZE_MAX, Math.max(1, wanted));
  return {
    size,
    levels: LEVELS,
    maxPositionShares: size * QUOTES_IN_POSITION,
    maxOpenOrders: Math.max(OPEN_ORDERS_MIN, markets * LEVELS * SIDES_TWICE),
  };
}

/** The whole file. */
export function firstFile(
  answers: FirstAnswers,
  strategies: StrategySpecs,
  places: FirstPlaces,
): string {
  return [
    head(answers, places),
    venueText(answers.venue),
    marketsText(answers, strategies),
    riskText(answers),
    restText(places),
    ...(answers.venue.kind === 'paper' ? [paperText(answers, answers.venue.crowd)] : []),
  ].join('\n');
}

function head({ venue }: FirstAnswers, { schema }: FirstPlaces): string {
  return `# yaml-language-server: $schema=${schema}
# Made by \`bookend init\`. ${venue.kind === 'paper' ? PAPER_HEAD : REAL_HEAD}
# Every key that is not here has its default: \`bookend check\` says what is in force, \`bookend schema\` has every
# key. Change a number while the daemon runs and save: only the quotes that it moves are touched.
`;
}

const PAPER_HEAD = 'It quotes on the embedded venue: nothing real is traded.';
const REAL_HEAD = `It quotes on a real venue.
# Credentials never stand here: VENUE_CREDENTIALS_FILE names a JSON file with apiKey, apiSecret and apiPassphrase,
# in the environment or in a file .env.`;

/** A line with what it is for behind it, the notes of a section below each other. */
function noted(line: string, note: string): string {
  return `${line.padEnd(NOTE_COLUMN)} # ${note}`;
}

const NOTE_COLUMN = 33;

function venueText(venue: FirstAnswers['venue']): string {
  if (venue.kind === 'paper') {
    return `venue:
  # The embedded venue listens here; \`bookend paper\` takes another port when this one is busy.
  baseUrl: http://127.0.0.1:8787/api
  wsUrl: ws://127.0.0.1:8787/ws
`;
  }
  return `venue:
  # VENUE_BASE_URL and VENUE_WS_URL override these two.
  baseUrl: ${scalar(venue.baseUrl)}
  wsUrl: ${scalar(venue.wsUrl)}
${noted('  # writeShare: 0.5', "part of the account's order writes, where another program trades on it, too")}
`;
}

type Known = Readonly<Record<string, StrategyParam>>;

function marketsText(answers: FirstAnswers, strategies: StrategySpecs): string {
  const { events } = answers;
  const known: Known = { ...strategies.get(answers.strategy)?.params };
  const intro = '# What to quote, each event with a strategy and its parameters.\n';
  const [first = 'some-event-slug', ...others] = events;
  const market = marketText(first, answers, known);
  if (events.length > 0) {
    const rest = others.map((event) => shortMarketText(event, answers, known));
    return `${intro}markets:\n${market}${rest.join('')}`;
  }
  return `${intro}# Nothing is quoted until an event is named: put a list like this in place of []. Its slug is found by
# \`bookend markets --search WORDS\`.
#
# markets:
${market.replaceAll(/^(?=.)/gm, '# ')}markets: []
`;
}

/** With every parameter, those that stay at their default behind a `#`. */
function marketText(event: string, answers: FirstAnswers, known: Known): string {
  const chosen = chosenParams(answers, known);
  const lines = Object.entries(known).map(([name, param]) =>
    paramLine({ name, param, value: chosen[name] }),
  );
  return `  - event: ${scalar(event)}
${noted("    # market: '0123'", 'one market of the event, by its id; without it, all of them')}
    strategy: ${scalar(answers.strategy)}
    params:${Object.keys(chosen).length === 0 ? ' {}' : ''}
${lines.join('')}`;
}

function shortMarketText(event: string, answers: FirstAnswers, known: Known): string {
  const chosen = Object.entries(chosenParams(answers, known));
  const values = chosen.map(([name, value]) => `${name}: ${value}`).join(', ');
  const params = values === '' ? '' : `    params: { ${values} }\n`;
  return `  - event: ${scalar(event)}\n    strategy: ${scalar(answers.strategy)}\n${params}`;
}

function paramLine(of: {
  readonly name: string;
  readonly param: StrategyParam;
  readonly value: number | undefined;
}): string {
  const { doc, unit, default: usual } = of.param;
  const text = `${of.name}: ${scalar(of.value ?? usual)}`;
  const stated = of.value === undefined ? `# ${text}` : text;
  return `${noted(`      ${stated}`, `${doc} (${unit})`)}\n`;
}

/** Levels and size, where the strategy has them, and within what it takes. */
function chosenParams(answers: FirstAnswers, known: Known): Readonly<Record<string, number>> {
  const { levels, size } = firstSizes(answers);
  const found = Object.entries({ levels, size }).flatMap(([name, value]) => {
    const param = known[name];
    if (typeof param?.min !== 'number' || typeof param.max !== 'number') return [];
    return [[name, Math.min(Math.max(value, param.min), param.max)] as const];
  });
  return Object.fromEntries(found);
}

/** The day may lose a part of what all may lose, and a fall from the best profit another one. */
const DAY_PART = 0.25;
const DRAWDOWN_PART = 0.4;
/** The venue takes no order below 1.00 USDC. */
const NOTIONAL_MIN_USDC = 2;

function riskText(answers: FirstAnswers): string {
  const { maxLossUsdc } = answers;
  const { size, maxPositionShares, maxOpenOrders } = firstSizes(answers);
  return `# Limits that no strategy can exceed.
risk:
  # The worst case over every outcome of everything that is held and everything that rests, of the account.
  maxLossUsdc: ${maxLossUsdc}
${noted(`  maxPositionShares: ${maxPositionShares}`, 'of each outcome')}
${noted(`  maxOrderNotionalUsdc: ${Math.max(size, NOTIONAL_MIN_USDC)}`, 'of each order; a share costs less than 1 USDC')}
  maxOpenOrders: ${maxOpenOrders}
  # Losses at trusted prices act before that.
  loss:
${noted(`    dayUsdc: ${cents(maxLossUsdc * DAY_PART)}`, 'then only what reduces, until the next day (UTC)')}
${noted(`    drawdownUsdc: ${cents(maxLossUsdc * DRAWDOWN_PART)}`, 'from the highest profit: then everything is cancelled')}
`;
}

function cents(usdc: number): number {
  return Math.round(usdc * 100) / 100;
}

function restText({ journal }: FirstPlaces): string {
  return `orders:
  timeInForce: GTC
${noted('  # scope: own', 'leave orders alone that were not sent from here; each order then waits for the disk')}

http:
${noted('  host: 127.0.0.1', 'loopback only; / is the console')}
  port: 9464

journal:
  path: ${scalar(journal)}

logging:
  level: info
  format: text
`;
}

/** An account of which the limits leave most of the cash alone. */
const CASH_MIN_USDC = 10_000;
const CASH_TIMES = 4;

function paperText({ events, maxLossUsdc }: FirstAnswers, crowd: string): string {
  return `# The embedded venue and its crowd of synthetic traders.
paper:
  port: 8787
${noted('  seed: 7', 'the same seed trades the same way')}
${noted(`  crowd: ${crowd}`, 'honest gives little away; generous trades often and loses, to see fills at once')}
  startingCashUsdc: ${Math.max(CASH_MIN_USDC, CASH_TIMES * maxLossUsdc)}
${noted('  partlyFilled: cancellable', 'with stays, a stop ends with exit 4 and what has traded in part')}
  events:
${events.map(paperEventText).join('')}`;
}

function paperEventText(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  const title = JSON.stringify(`${words.charAt(0).toUpperCase()}${words.slice(1)}?`);
  return `    - slug: ${scalar(slug)}
      title: ${title}
      tickSize: '0.01'
      markets:
        - { title: ${title}, fairValue: 0.5, profile: calm }
`;
}

/** A value on one line, in quotes where YAML needs them. */
function scalar(value: unknown): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
