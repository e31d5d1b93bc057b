// What of a configuration can be changed one by one while the daemon runs, as a page shows it: each value with
// what it is, what it may be, and what it is now.

import { isMap, type KeySpec, type Keys, type SectionSpec } from './keys.ts';
import { paramKeys, type StrategySpecs } from './markets.ts';
import type { Path } from './problems.ts';
import { RISK } from './schema-risk.ts';
import type { FileSettings } from './settings.ts';

export type FormField = {
  readonly path: Path;
  readonly name: string;
  readonly doc: string;
  readonly unit: string;
  /** What a right value is, for people. */
  readonly rule: string;
  readonly kind: 'whole' | 'number' | 'flag' | 'word';
  readonly words?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly default: unknown;
  readonly value: unknown;
  /** When a change counts, where that is not at once. */
  readonly counts: 'now' | 'requote' | 'restart';
};

export type FormMarket = {
  readonly event: string;
  readonly market?: string;
  readonly strategy: string;
  readonly fields: readonly FormField[];
};

export type Form = {
  readonly markets: readonly FormMarket[];
  readonly limits: readonly FormField[];
};

/** Parameters of each market, and the limits. */
export function formOf({ markets, risk }: FileSettings, strategies: StrategySpecs): Form {
  return {
    markets: markets.map(({ event, market, strategy, params }, index) => ({
      event,
      ...(market === undefined ? {} : { market }),
      strategy,
      fields: fieldsOf(paramKeys(strategies.get(strategy) ?? { params: {} }), {
        at: ['markets', index, 'params'],
        values: params,
      }),
    })),
    limits: [
      ...fieldsOf(numbersOf(RISK), { at: ['risk'], values: risk }),
      ...fieldsOf(numbersOf(RISK.keys.loss), { at: ['risk', 'loss'], values: risk.loss }),
    ],
  };
}

/** Of a section what is a number by itself: the controls with their actions are a matter of the file. */
function numbersOf({ keys }: SectionSpec<Keys>): Readonly<Record<string, KeySpec<unknown>>> {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([name, entry]) =>
      entry.kind === 'key' && 'minimum' in entry.shape ? [[name, entry]] : [],
    ),
  );
}

type Place = { readonly at: Path; readonly values: object };

function fieldsOf(
  keys: Readonly<Record<string, KeySpec<unknown>>>,
  { at, values }: Place,
): readonly FormField[] {
  return Object.entries(keys).flatMap(([name, spec]) => {
    const kind = kindOf(spec);
    const value: unknown = Reflect.get(values, name);
    if (kind === undefined || isMap(value)) return [];
    const { doc, unit, rule, default: usual } = spec;
    const label = at.at(-1) === 'loss' ? `loss.${name}` : name;
    const counts = spec.applies === 'restart' ? 'restart' : (spec.counts ?? 'now');
    const known = { path: [...at, name], name: label, doc, unit, rule, default: usual, value };
    return [{ ...known, ...kind, counts }];
  });
}

/** `undefined` where only the strategy itself knows what is right. */
function kindOf({
  shape,
}: KeySpec<unknown>): Pick<FormField, 'kind' | 'words' | 'min' | 'max'> | undefined {
  const { type, minimum, maximum } = shape;
  const words = shape['enum'];
  if (Array.isArray(words)) return { kind: 'word', words: words.map(String) };
  if (type === 'boolean') return { kind: 'flag' };
  if (type !== 'integer' && type !== 'number') return undefined;
  return {
    kind: type === 'integer' ? 'whole' : 'number',
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  };
}
