// What a new configuration changes, and what of it takes effect while the daemon runs.

import { isDeepStrictEqual } from 'node:util';
import { isMap } from './keys.ts';
import { type Path, pathText } from './problems.ts';
import { isSelected, selectKey } from './selected.ts';
import type { FileSettings, Settings } from './settings.ts';

export type Change = {
  /** `markets[0].params.levels`, by the place in the new file. */
  readonly path: string;
  /** `undefined` where there was nothing. */
  readonly before: unknown;
  readonly after: unknown;
};

export type SettingsChange = {
  readonly applied: readonly Change[];
  /** Changed in the file, and as before in the running daemon. */
  readonly needsRestart: readonly Change[];
};

/** The settings that run after a reload: what is live from the new ones, the rest from the old. */
export function running(old: Settings, next: Settings): Settings {
  return Object.freeze({
    ...old,
    markets: next.markets,
    feeds: next.feeds,
    risk: next.risk,
    capital: next.capital,
    account: next.account,
    orders: next.orders,
    trust: next.trust,
    timing: next.timing,
    book: Object.freeze({ ...old.book, unified: next.book.unified }),
    logging: Object.freeze({ ...old.logging, level: next.logging.level }),
  });
}

/** Every difference by its path, sorted by whether it takes effect at once. */
export function settingsChange(old: Settings, next: Settings): SettingsChange {
  const applied = running(old, next);
  return {
    applied: [...marketChanges(old.markets, next.markets), ...plainChanges(old, applied)],
    needsRestart: plainChanges(applied, next),
  };
}

function plainChanges(one: FileSettings, other: FileSettings): readonly Change[] {
  return differences(withoutMarkets(one), withoutMarkets(other), []);
}

function withoutMarkets(settings: FileSettings): Readonly<Record<string, unknown>> {
  const { markets: _, ...rest } = settings;
  // The token is no key of the file and cannot change while the process runs.
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => name !== 'controlToken' && name !== 'notifyUrls'),
  );
}

type Markets = FileSettings['markets'];

/** Markets are matched by what they quote, so that a new one on top does not change all others. */
function marketChanges(old: Markets, next: Markets): readonly Change[] {
  const before = new Map(old.map((choice) => [identity(choice), choice]));
  const kept = new Set(next.map(identity));
  const found = next.flatMap((choice, index) =>
    differences(before.get(identity(choice)), choice, ['markets', index]),
  );
  const removed = old.flatMap((choice, index) =>
    kept.has(identity(choice)) ? [] : differences(choice, undefined, ['markets', index]),
  );
  return [...found, ...removed];
}

function identity(choice: Markets[number]): string {
  return isSelected(choice)
    ? selectKey(choice.select)
    : JSON.stringify([choice.event, choice.market]);
}

function differences(before: unknown, after: unknown, at: Path): readonly Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ path: pathText(at), before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences(before[name], after[name], [...at, name]));
}
