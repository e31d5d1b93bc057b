// What is said of a metric where it is declared.

/** The values of a label: the closed set, or in words where they come from. */
export type LabelValues = readonly string[] | string;

export type MetricSpec = {
  /** `bookend_<noun>_<unit>`, and `_total` behind it for a counter. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The last word of the name: a base unit, what is counted, or `info`, `bool`, `ratio`. */
  readonly unit: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, LabelValues>>;
  readonly buckets?: readonly number[];
};

/** What belongs together on the page that documents it. */
export type Room = Readonly<Record<string, MetricSpec>>;

type Labels = MetricSpec['labels'];
type NoLabels = Readonly<Record<never, LabelValues>>;
type Spec<Type extends MetricSpec['type'], Of extends Labels> = MetricSpec & {
  readonly type: Type;
  readonly labels: Of;
};
type Counted<Of extends Labels> = Spec<'histogram', Of> & { readonly buckets: readonly number[] };

/** A number that goes up and down. */
export function gauge(name: string, help: string): Spec<'gauge', NoLabels>;
export function gauge<const Of extends Labels>(
  name: string,
  help: string,
  labels: Of,
): Spec<'gauge', Of>;
export function gauge(name: string, help: string, labels: Labels = {}): Spec<'gauge', Labels> {
  return { type: 'gauge', name, unit: unitOf(name), help, labels };
}

/** A number that only grows, until a restart. */
export function counter(name: string, help: string): Spec<'counter', NoLabels>;
export function counter<const Of extends Labels>(
  name: string,
  help: string,
  labels: Of,
): Spec<'counter', Of>;
export function counter(name: string, help: string, labels: Labels = {}): Spec<'counter', Labels> {
  return { type: 'counter', name, unit: unitOf(name), help, labels };
}

type Buckets = { readonly buckets: readonly number[] };

/** How often a value was within each bound. */
export function histogram(name: string, help: string, of: Buckets): Counted<NoLabels>;
export function histogram<const Of extends Labels>(
  name: string,
  help: string,
  of: Buckets & { readonly labels: Of },
): Counted<Of>;
export function histogram(
  name: string,
  help: string,
  { buckets, labels = {} }: Buckets & { readonly labels?: Labels },
): Counted<Labels> {
  return { type: 'histogram', name, unit: unitOf(name), help, labels, buckets };
}

function unitOf(name: string): string {
  return (
    name
      .replace(/_total$/, '')
      .split('_')
      .at(-1) ?? ''
  );
}
