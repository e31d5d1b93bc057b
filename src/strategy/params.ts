// Parameters of a strategy, declared in the form that `convict` reads: doc, format, default.

/** One parameter: what `convict` needs, and what people and tools want to know beside it. */
export type ParamSpec<Value> = {
  readonly doc: string;
  readonly unit: string;
  readonly default: Value;
  readonly min: Value;
  readonly max: Value;
  /** Throws an `Error` whose text says what would be right. */
  readonly format: (value: unknown) => void;
};

export type ParamSchema<Params> = { readonly [Key in keyof Params]: ParamSpec<Params[Key]> };

type Bounds = {
  readonly doc: string;
  readonly unit: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
};

/** A whole number within bounds. */
export function wholeParam(bounds: Bounds): ParamSpec<number> {
  return {
    ...bounds,
    format: (value) => check(value, bounds, Number.isSafeInteger, 'whole number'),
  };
}

/** A finite number within bounds. */
export function numberParam(bounds: Bounds): ParamSpec<number> {
  return { ...bounds, format: (value) => check(value, bounds, Number.isFinite, 'number') };
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
