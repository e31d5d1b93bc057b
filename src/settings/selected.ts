// Markets chosen by a filter, once an edge has asked the venue which they are: how they join those that are named,
// and how the account's limits divide over all of them.

import { deepFreeze } from './freeze.ts';
import type { MarketSettings, NamedMarket, SelectedMarkets } from './markets.ts';
import type { Settings } from './settings.ts';

export type Select = SelectedMarkets['select'];

/** What the venue is asked; how many of the answer are taken is no part of it. */
export type SelectQuery = Pick<Select, 'tag' | 'category' | 'search' | 'status'>;

/** One event that a filter has chosen. */
export type SelectedEvent = {
  readonly id: string;
  readonly slug: string;
  /** Markets that it lists. */
  readonly marketCount: number;
  /** It fits no more, and is known for as long as something of it is held: what has closed is redeemed. */
  readonly isKept?: boolean;
};

/** The events of each filter by its `selectKey`; a filter without an answer has none. */
export type Selected = ReadonlyMap<string, readonly SelectedEvent[]>;

/** Settings in which every market is named: what the core, and whoever reads a catalogue, can act on. */
export type NamedSettings = Omit<Settings, 'markets'> & {
  readonly markets: readonly NamedMarket[];
};

/** The same text for filters that ask the venue the same. */
export function selectKey(select: SelectQuery): string {
  const { tag, category, search, status } = select;
  return JSON.stringify([tag, category, search, status]);
}

/** A filter as people write it: `tag=politics search="election"`. */
export function selectText({ tag, category, search }: SelectQuery): string {
  const stated = Object.entries({ tag, category, search });
  return stated
    .flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [`${name}=${/\s/.test(value) ? JSON.stringify(value) : value}`];
    })
    .join(' ');
}

export function isNamed(choice: MarketSettings): choice is NamedMarket {
  return choice.select === undefined;
}

export function isSelected(choice: MarketSettings): choice is SelectedMarkets {
  return choice.select !== undefined;
}

/**
 * Puts the events of each filter in its place. An event that the file names is left to the line that names it, and one
 * that two filters choose to the first. The weight of a filter is shared by its markets; limits are divided as
 * `dividedRisk` says.
 */
export function withSelected(settings: Settings, selected: Selected): NamedSettings {
  const { markets } = settings;
  const named = markets.filter(isNamed);
  if (named.length === markets.length) return { ...settings, markets: named };
  const taken = new Set(named.map(({ event }) => event));
  const quoted = new Set(taken);
  let marketCount = named.length;
  const expanded = markets.flatMap((choice) => {
    if (!isSelected(choice)) return [choice];
    const events = (selected.get(selectKey(choice.select)) ?? []).filter(
      ({ id, slug }) => !taken.has(id) && !taken.has(slug),
    );
    for (const { id, slug } of events) taken.add(id).add(slug);
    const fresh = events.filter(({ isKept = false }) => !isKept);
    for (const { slug } of fresh) quoted.add(slug);
    const count = fresh.reduce((sum, each) => sum + each.marketCount, 0);
    marketCount += count;
    return events.map(({ slug, isKept = false }) => namedMarket(choice, slug, isKept ? 0 : count));
  });
  const risk = dividedRisk(settings.risk, { marketCount, eventCount: quoted.size });
  return deepFreeze({ ...settings, markets: expanded, risk });
}

function namedMarket(choice: SelectedMarkets, event: string, marketCount: number): NamedMarket {
  const capitalWeight = marketCount === 0 ? 0 : choice.capitalWeight / marketCount;
  return { ...choice, select: undefined, event, market: undefined, capitalWeight };
}

/** A market quotes two sides, or it is no market maker's. */
const MARKET_ORDERS_MIN = 2;

/**
 * What one market and one event may use of the account's limits where a filter chooses markets: an even part, so that
 * those which come first leave room for the others. A lower limit that the file states holds. A line that names an event
 * counts as one market.
 */
export function dividedRisk(
  risk: Settings['risk'],
  { marketCount, eventCount }: { readonly marketCount: number; readonly eventCount: number },
): Settings['risk'] {
  const orders = Math.floor(risk.maxOpenOrders / Math.max(1, marketCount));
  const lossUsdc = risk.maxLossUsdc / Math.max(1, eventCount);
  const stated = risk.maxEventLossUsdc === 0 ? risk.maxLossUsdc : risk.maxEventLossUsdc;
  return {
    ...risk,
    maxMarketOpenOrders: Math.min(risk.maxMarketOpenOrders, Math.max(MARKET_ORDERS_MIN, orders)),
    maxEventLossUsdc: Math.min(stated, lossUsdc),
  };
}
