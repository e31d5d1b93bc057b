// The list of markets to quote; the parameters of each are checked by its own strategy.

import {
  flag,
  freeMap,
  isMap,
  type KeySpec,
  key,
  type ListSpec,
  number,
  oneOf,
  optionalText,
  type Reading,
  requiredText,
  type Shape,
  section,
  type ValuesOf,
  whole,
} from './keys.ts';
import { isModulePath } from './modules.ts';
import type { Path } from './problems.ts';
import { OVERLAYS } from './schema-overlays.ts';
import { SETS } from './schema-sets.ts';
import { nearest } from './suggest.ts';
import { listBy, readSection } from './tree.ts';

/** One parameter as a strategy declares it. */
export type StrategyParam = {
  readonly doc: string;
  readonly unit: string;
  readonly default: unknown;
  readonly min: unknown;
  readonly max: unknown;
  readonly applies?: 'now' | 'requote' | 'restart';
  /** Absent where a strategy of somebody's own declares a format by hand. */
  readonly kind?: 'whole' | 'number' | 'flag' | 'word';
  readonly words?: readonly string[];
  readonly format: (value: unknown) => void;
};

/** The strategies of the house by name, as far as settings need to know them. */
export type StrategySpecs = ReadonlyMap<
  string,
  { readonly params: object; readonly scope?: 'market' | 'event' }
>;

/** Markets of one account; more would never share 300 writes in 10 s. */
const MARKETS_MAX = 1_000;

const EVENT = {
  unit: 'slug or id',
  rule: 'a slug or id of 1 to 200 characters; put quotes around a number',
  pattern: /^\S{1,200}$/,
  applies: 'live',
} as const;

const SLUG = {
  unit: 'slug',
  rule: 'a slug of 1 to 200 characters; put quotes around a number',
  pattern: /^\S{1,200}$/,
  applies: 'live',
} as const;

const SELECT = section(
  "In place of `event`: every event of the venue's listing that fits, chosen anew while the daemon runs.",
  {
    tag: optionalText({ ...SLUG, doc: 'Slug of a tag.' }),
    category: optionalText({ ...SLUG, doc: 'Slug of a category, as `GET /categories` lists it.' }),
    search: optionalText({
      doc: 'Text in the title.',
      unit: 'text',
      rule: 'text of 1 to 200 characters; put quotes around a number',
      pattern: /^\S(?:.{0,198}\S)?$/,
      applies: 'live',
    }),
    status: oneOf({
      doc: 'open: events that are open; any: also those that are closed for now, which are quoted when they open.',
      words: ['open', 'any'],
      default: 'open',
      applies: 'live',
    }),
    max: whole({
      doc: 'Most markets: whole events in the order of the listing, and those that are quoted stay. Over all markets that are quoted risk.maxOpenOrders divides evenly, over their events risk.maxLossUsdc; capitalWeight is shared by what the filter has chosen.',
      unit: 'markets',
      min: 1,
      max: MARKETS_MAX,
      default: 20,
      applies: 'live',
    }),
    refreshSec: whole({
      doc: 'How often the listing is read anew.',
      unit: 's',
      min: 5,
      max: 86_400,
      default: 60,
      applies: 'live',
    }),
  },
);

const MARKET = section('One market to quote, or a filter that selects many.', {
  event: optionalText({ ...EVENT, doc: 'Slug or id of the event; `select` stands in its place.' }),
  select: SELECT,
  market: optionalText({
    doc: 'Market id, to quote one market of the event only; without it, all of them.',
    unit: 'id',
    rule: 'a market id of 1 to 200 characters; put quotes around a number',
    pattern: /^\S{1,200}$/,
    applies: 'live',
  }),
  strategy: requiredText({
    doc: 'Name of the strategy, a file of strategies/; or a module beside this file.',
    unit: 'name',
    rule: 'the name of a strategy, or ./path/to/module.js from this file',
    pattern: /^(?:[a-z0-9]+(?:-[a-z0-9]+){0,20}|\.{1,2}\/[^\s\0]{1,500}\.[jt]s)$/,
    applies: 'live',
  }),
  params: freeMap({ doc: "The strategy's parameters.", applies: 'live' }),
  shadow: freeMap({
    doc: 'Parameters beside those of `params`, simulated next to them on the same books and never sent; figures in status.',
    applies: 'live',
  }),
  exclusive: flag({
    doc: 'Exactly one market of the event comes true; the venue does not say so.',
    default: false,
    applies: 'live',
  }),
  takerFeeRate: key<number | undefined>(
    {
      doc: 'Taker fee as r in r p (1 - p) per share, in profit and in the cash that is expected; without it nothing is ever taken.',
      default: undefined,
      applies: 'live',
    },
    {
      unit: 'rate',
      rule: 'a number from 0 to 1 (rate)',
      shape: { type: 'number', minimum: 0, maximum: 1 },
      isRight: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    },
  ),
  preferSell: key<boolean | undefined>(
    {
      doc: 'Rest a SELL of settled shares rather than a BUY of the complement; as orders.preferSell without it.',
      default: undefined,
      applies: 'live',
    },
    {
      unit: 'yes or no',
      rule: 'true or false',
      shape: { type: 'boolean' },
      isRight: (value) => typeof value === 'boolean',
    },
  ),
  capitalWeight: number({
    doc: 'Its share where capital is shared out by weights.',
    unit: 'weight',
    min: 0,
    max: 1_000,
    default: 1,
    applies: 'live',
  }),
  externalAgeMsMax: whole({
    doc: 'An external price older than this is an outage.',
    unit: 'ms',
    min: 100,
    max: 86_400_000,
    default: 10_000,
    applies: 'live',
  }),
  quantityDecimals: whole({
    doc: 'Decimals of a quantity that the venue takes; quantities are rounded down to them. Learnt from invalid_quantity, too.',
    unit: 'decimals',
    min: 0,
    max: 6,
    default: 6,
    applies: 'live',
  }),
  overlays: OVERLAYS,
  sets: SETS,
});

/** What may name an event of a venue. */
export const EVENT_NAME = requiredText({ ...EVENT, doc: 'Slug or id of the event.' });

type Stated = Omit<ValuesOf<typeof MARKET>, 'event' | 'market' | 'select'>;

/** An event that the file names, or one market of it. */
export type NamedMarket = Stated & {
  readonly event: string;
  readonly market: string | undefined;
  readonly select?: undefined;
};

/** Every event that fits a filter. */
export type SelectedMarkets = Stated & {
  readonly event?: undefined;
  readonly market?: undefined;
  readonly select: ValuesOf<typeof SELECT>;
};

/** One item of `markets` as the file states it. */
export type MarketSettings = NamedMarket | SelectedMarkets;

export function marketList(strategies: StrategySpecs): ListSpec<MarketSettings> {
  // An absent list is refused, for a file cut short by its editor must not pull every quote.
  return listBy(
    {
      doc: 'What to quote.',
      applies: 'live',
      required: true,
      lengthMax: MARKETS_MAX,
      items: MARKET,
    },
    (value, at, reading) => readMarket(strategies, { value, at, reading }),
  );
}

/** The parameters of one strategy as keys of a section. */
export function paramKeys(strategy: { readonly params: object }): Record<string, KeySpec<unknown>> {
  return Object.fromEntries(
    Object.entries(strategy.params).map(([name, param]) => [name, paramKey(param)]),
  );
}

type Item = { readonly value: unknown; readonly at: Path; readonly reading: Reading };

function readMarket(strategies: StrategySpecs, item: Item): MarketSettings | undefined {
  const fields = readSection(MARKET, item.value, item.at, item.reading);
  // Read even when a field beside them is wrong: all problems at once.
  const params = readParams(strategies, item);
  const shadow = readShadow(strategies, item);
  const what = fields && whatOf(fields, item);
  if (fields === undefined || params === undefined || what === undefined) return undefined;
  const { event: _, market: __, select: ___, ...stated } = fields;
  return { ...stated, ...what, params, shadow };
}

type What = Pick<NamedMarket, 'event' | 'market'> | Pick<SelectedMarkets, 'select'>;

/** An event by its name, or a filter: one of the two. */
function whatOf(
  { event, market, select }: ValuesOf<typeof MARKET>,
  { value, at, reading }: Item,
): What | undefined {
  const hasSelect = isMap(value) && Object.hasOwn(value, 'select');
  if (!hasSelect) {
    if (event !== undefined) return { event, market };
    reading.problems.add([...at, 'event'], `is missing; it must be ${EVENT.rule}, or \`select\``);
    return undefined;
  }
  const beside = Object.entries({ event, market }).find(([, name]) => name !== undefined)?.[0];
  if (beside !== undefined) {
    const message = 'must not stand beside `select`, which chooses whole events';
    reading.problems.add([...at, beside], message);
    return undefined;
  }
  const { tag, category, search } = select;
  if (tag !== undefined || category !== undefined || search !== undefined) return { select };
  const message = 'must name a tag, a category or a search; without one it is the whole listing';
  reading.problems.add([...at, 'select'], message);
  return undefined;
}

function readParams(
  strategies: StrategySpecs,
  { value, at, reading }: Item,
): Readonly<Record<string, unknown>> | undefined {
  const name = isMap(value) ? value['strategy'] : undefined;
  if (!isMap(value) || typeof name !== 'string') return undefined;
  const strategy = strategies.get(name);
  if (strategy === undefined) {
    reading.problems.add([...at, 'strategy'], unknownStrategy(name, [...strategies.keys()]));
    return undefined;
  }
  const given = Object.hasOwn(value, 'params') ? value['params'] : {};
  // A value that is no map has been reported with the other fields.
  if (!isMap(given)) return undefined;
  const spec = section(`Parameters of ${name}.`, paramKeys(strategy));
  return readSection(spec, given, [...at, 'params'], reading);
}

/** What of the parameters is different there: only what is stated; empty where there is no shadow. */
function readShadow(
  strategies: StrategySpecs,
  { value, at, reading }: Item,
): Readonly<Record<string, unknown>> {
  const given = isMap(value) && Object.hasOwn(value, 'shadow') ? value['shadow'] : {};
  const name = isMap(value) ? value['strategy'] : undefined;
  const strategy = typeof name === 'string' ? strategies.get(name) : undefined;
  if (!isMap(given) || Object.keys(given).length === 0 || strategy === undefined) return {};
  if (strategy.scope === 'event') {
    const message = `must be left out: ${name} prices a whole event, and a shadow is of one market`;
    reading.problems.add([...at, 'shadow'], message);
    return {};
  }
  const spec = section(`Parameters of ${name}.`, paramKeys(strategy));
  const all = readSection(spec, given, [...at, 'shadow'], reading) ?? {};
  return Object.fromEntries(Object.entries(all).filter(([key]) => Object.hasOwn(given, key)));
}

function unknownStrategy(name: string, known: readonly string[]): string {
  // Whoever checks loads the modules of the file first, so that only a running daemon lacks one.
  if (isModulePath(name)) {
    return `names a module that was not loaded when the daemon started: ${name}; restart it`;
  }
  const near = nearest(name, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `must be one of ${known.toSorted().join(', ')}, not ${JSON.stringify(name)}${hint}`;
}

function paramRule({ kind, words, min, max, unit }: StrategyParam): string {
  if (kind === 'flag') return 'true or false';
  if (words !== undefined) return `one of ${words.join(', ')}`;
  return `from ${String(min)} to ${String(max)} (${unit})`;
}

/** What an editor may know of it: anything goes where the strategy says no kind. */
function paramShape({ kind, words, min, max }: StrategyParam): Shape {
  switch (kind) {
    case 'whole':
      return { type: 'integer', minimum: min, maximum: max };
    case 'number':
      return { type: 'number', minimum: min, maximum: max };
    case 'flag':
      return { type: 'boolean' };
    case 'word':
      return { enum: words };
    default:
      return {};
  }
}

function paramKey(param: StrategyParam): KeySpec<unknown> {
  return {
    kind: 'key',
    doc: param.doc,
    unit: param.unit,
    rule: paramRule(param),
    shape: paramShape(param),
    default: param.default,
    required: false,
    format: param.format,
    env: undefined,
    applies: param.applies === 'restart' ? 'restart' : 'live',
    ...(param.applies === 'restart' ? {} : { counts: param.applies ?? 'requote' }),
  };
}
