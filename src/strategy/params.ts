// Parameters of a strategy, declared in the form that `convict` reads: doc, format, default.

/**
 * What a changed value does while the daemon runs.
 *
 * `requote`: it counts from the next decision on, and resting orders keep their places as far as that
 * is worth it · `now`: resting orders move to where it puts them at once, whatever their places are
 * worth · `restart`: it is noted, and counts from the next start.
 */
export type ParamApplies = 'now' | 'requote' | 'restart';

/** One parameter: what `convict` needs, and what people and tools want to know beside it. */
export type ParamSpec<Value> = {
  readonly doc: string;
  readonly unit: string;
  readonly default: Value;
  readonly min: Value;
  readonly max: Value;
  /** `requote` where absent. */
  readonly applies?: ParamApplies;
  /** What tools show: a field for a number, a box for a flag, a choice for words. */
  readonly kind?: 'whole' | 'number' | 'flag' | 'word';
  /** The choice, where `kind` is `word`. */
  readonly words?: readonly string[];
  /** Throws an `Error` whose text says what would be right. */
  readonly format: (value: unknown) => void;
};

export type ParamSchema<Params> = { readonly [Key in keyof Params]: ParamSpec<Params[Key]> };

type Described = {
  readonly doc: string;
  readonly unit: string;
  readonly applies?: ParamApplies;
};

type Bounds = Described & {
  readonly default: number;
  readonly min: number;
  readonly max: number;
};

/** A whole number within bounds. */
export function wholeParam(bounds: Bounds): ParamSpec<number> {
  return {
    ...bounds,
    kind: 'whole',
    format: (value) => check(value, bounds, Number.isSafeInteger, 'whole number'),
  };
}

/** A finite number within bounds. */
export function numberParam(bounds: Bounds): ParamSpec<number> {
  return {
    ...bounds,
    kind: 'number',
    format: (value) => check(value, bounds, Number.isFinite, 'number'),
  };
}

/** Yes or no, written `true` or `false`. */
export function flagParam(
  spec: Omit<Described, 'unit'> & { readonly default: boolean },
): ParamSpec<boolean> {
  return {
    ...spec,
    kind: 'flag',
    unit: 'yes or no',
    min: false,
    max: true,
    format: (value) => {
      if (typeof value === 'boolean') return;
      throw new Error(`must be true or false, not ${JSON.stringify(value)}`);
    },
  };
}

/** One of a few words; `min` and `max` name the first and the last of them. */
export function wordParam<const Word extends string>(
  spec: Omit<Described, 'unit'> & {
    readonly words: readonly [Word, ...Word[]];
    readonly default: Word;
  },
): ParamSpec<Word> {
  const { words } = spec;
  const known: readonly unknown[] = words;
  return {
    ...spec,
    kind: 'word',
    unit: 'word',
    min: words[0],
    max: words.at(-1) ?? words[0],
    format: (value) => {
      if (known.includes(value)) return;
      throw new Error(`must be one of ${words.join(', ')}, not ${JSON.stringify(value)}`);
    },
  };
}

function check(
  value: unknown,
  bounds: Bounds,
  isKind: (value: unknown) => boolean,
  kind: string,
): void {
  const isRight =
    typeof value === 'number' && isKind(value) && value >= bounds.min && value <= bounds.max;
  if (isRight) return;
  throw new Error(
    `must be a ${kind} of ${bounds.unit} from ${bounds.min} to ${bounds.max}, not ${JSON.stringify(value)}`,
  );
}
