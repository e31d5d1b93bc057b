// The five questions of `init`: what each asks, what it takes, and what an empty answer means.

import type { FirstAnswers } from '../settings/first-file.ts';
import type { KeySpec } from '../settings/keys.ts';
import { EVENT_NAME, type StrategySpecs } from '../settings/markets.ts';
import { settingsSchema } from '../settings/schema.ts';
import { PAPER_SLUG } from '../settings/schema-paper.ts';
import { nearest } from '../settings/suggest.ts';

/** What the command line answers already. */
export type InitFlags = {
  readonly venue?: string;
  readonly wsUrl?: string;
  readonly crowd?: string;
  readonly event?: readonly string[];
  readonly strategy?: string;
  readonly maxLoss?: string;
};

export type Question<Value> = {
  /** Answers it on the command line. */
  readonly flag: string;
  readonly text: string;
  readonly usual: string;
  /** Of a flag, where it was given. */
  readonly given: string | undefined;
  readonly parse: (text: string) => Parsed<Value>;
};

/** What an answer means, or what would be right. */
export type Parsed<Value> = { readonly value: Value } | { readonly wrong: string };

/** Puts one question, and answers what came of it. */
export type Put = <Value>(question: Question<Value>) => Promise<Value>;

type Strategies = StrategySpecs & ReadonlyMap<string, { readonly summary?: string }>;

/** Asks all five. */
export async function firstAnswers(
  put: Put,
  flags: InitFlags,
  strategies: Strategies,
): Promise<FirstAnswers> {
  const { venue, paper } = settingsSchema(strategies).keys;
  const where = await put(venueQuestion(venue.keys.baseUrl, flags));
  const isPaper = where === PAPER;
  const chosen = isPaper
    ? ({ kind: 'paper', crowd: await put(crowdQuestion(paper.keys.crowd, flags)) } as const)
    : await realVenue(put, where, { wsUrl: venue.keys.wsUrl, flags });
  const events = await put(eventsQuestion(flags, isPaper));
  const strategy = await put(strategyQuestion(strategies, flags));
  const maxLossUsdc = await put(lossQuestion(events.length, flags, isPaper));
  return { venue: chosen, events, strategy, maxLossUsdc };
}

const PAPER = 'paper';

function venueQuestion(baseUrl: KeySpec<string>, flags: InitFlags): Question<string> {
  return {
    flag: '--venue',
    text: 'Where to trade: paper, where nothing is real, or the REST address of a venue (https://…/api)?',
    usual: PAPER,
    given: flags.venue,
    parse: (text) => (text === PAPER ? { value: PAPER } : checked(baseUrl, text, `${PAPER}, or `)),
  };
}

function crowdQuestion(crowd: KeySpec<string>, flags: InitFlags): Question<string> {
  return {
    flag: '--crowd',
    text: 'How does the synthetic crowd trade: honest, as a real market, or generous, to see fills at once?',
    usual: 'honest',
    given: flags.crowd,
    parse: (text) => checked(crowd, text),
  };
}

async function realVenue(
  put: Put,
  baseUrl: string,
  { wsUrl, flags }: { readonly wsUrl: KeySpec<string>; readonly flags: InitFlags },
): Promise<Extract<FirstAnswers['venue'], { readonly kind: 'real' }>> {
  const address = await put({
    flag: '--ws-url',
    text: 'Its WebSocket address?',
    // As the interface document has them side by side.
    usual: baseUrl.replace(/^http/, 'ws').replace(/\/api\/?$/, '/ws'),
    given: flags.wsUrl,
    parse: (text) => checked(wsUrl, text),
  });
  return { kind: 'real', baseUrl, wsUrl: address };
}

function eventsQuestion(flags: InitFlags, isPaper: boolean): Question<readonly string[]> {
  const slug = isPaper ? PAPER_SLUG : EVENT_NAME;
  return {
    flag: '--event',
    text: isPaper
      ? 'Which events? Any slugs, with spaces between: the embedded venue will list them.'
      : 'Which events? Slugs, with spaces between; empty where they are still to be found.',
    usual: isPaper ? 'rain-tomorrow' : '',
    given: flags.event?.join(' '),
    parse: (text) => {
      const slugs = [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
      const wrong = slugs.map((each) => wrongText(slug, each)).find((found) => found !== undefined);
      if (wrong !== undefined) return { wrong };
      return slugs.length > EVENTS_MAX
        ? { wrong: `must be at most ${EVENTS_MAX} events` }
        : { value: slugs };
    },
  };
}

/** More than anybody types; a longer list is written into the file. */
const EVENTS_MAX = 50;

function strategyQuestion(strategies: Strategies, flags: InitFlags): Question<string> {
  const names = [...strategies.keys()];
  const width = Math.max(...names.map((name) => name.length));
  const rows = [...strategies].map(
    ([name, { summary = '' }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return {
    flag: '--strategy',
    text: `${rows.join('\n')}\nWhich strategy?`,
    usual: 'auto',
    given: flags.strategy,
    parse: (text) => {
      if (strategies.has(text)) return { value: text };
      const near = nearest(text, names);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      return { wrong: `must be one of ${names.join(', ')}, not ${JSON.stringify(text)}${hint}` };
    },
  };
}

/** Less than this is not two quotes of what the venue takes. */
const EVENT_LOSS_MIN_USDC = 20;
const LOSS_MAX_USDC = 10_000_000;

function lossQuestion(events: number, flags: InitFlags, isPaper: boolean): Question<number> {
  const least = EVENT_LOSS_MIN_USDC * Math.max(1, events);
  return {
    flag: '--max-loss',
    text: 'How many USDC may be lost at worst? Sizes and limits follow from it.',
    usual: String(Math.max(isPaper ? 500 : 100, least)),
    given: flags.maxLoss,
    parse: (text) => {
      const value = Number(text);
      if (/^\d+(\.\d+)?$/.test(text) && value >= least && value <= LOSS_MAX_USDC) return { value };
      return {
        wrong: `must be a number from ${least}, ${EVENT_LOSS_MIN_USDC} for each event, to ${LOSS_MAX_USDC} (USDC)`,
      };
    },
  };
}

/** By the rule of the key that the answer becomes. */
function checked(spec: KeySpec<string>, text: string, also = ''): Parsed<string> {
  const wrong = wrongText(spec, text, also);
  return wrong === undefined ? { value: text } : { wrong };
}

function wrongText(spec: KeySpec<unknown>, text: string, also = ''): string | undefined {
  try {
    spec.format(text);
    return undefined;
  } catch {
    return `must be ${also}${spec.rule}`;
  }
}
