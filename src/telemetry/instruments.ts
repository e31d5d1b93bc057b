// Makes the metrics of the table: what is asked for here has its name, labels and help from there.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { LabelValues, MetricSpec } from './metric-spec.ts';
import { METRICS, type MetricKey } from './metric-table.ts';

type LabelOf<Key extends MetricKey> = Extract<keyof (typeof METRICS)[Key]['labels'], string>;
type KeyOf<Type extends MetricSpec['type']> = {
  [Key in MetricKey]: (typeof METRICS)[Key]['type'] extends Type ? Key : never;
}[MetricKey];

export type CounterKey = KeyOf<'counter'>;
export type GaugeKey = KeyOf<'gauge'>;
export type HistogramKey = KeyOf<'histogram'>;

/** Makes metrics in one registry, each once. */
export class Instruments {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** A counter without labels begins at zero by itself; one with labels has no series before it has counted. */
  counter<Key extends CounterKey>(key: Key, collect?: () => void): Counter<LabelOf<Key>> {
    return new Counter<LabelOf<Key>>({
      ...this.#common(key),
      ...(collect === undefined ? {} : { collect }),
    });
  }

  /** A counter whose one label is of a closed set: each of its series is there from the start. */
  counterOf<Key extends CounterKey>(key: Key, collect?: () => void): Counter<LabelOf<Key>> {
    const made = this.counter(key, collect);
    const [values] = Object.values<LabelValues>(METRICS[key].labels);
    if (typeof values !== 'string') for (const value of values ?? []) made.labels(value).inc(0);
    return made;
  }

  gauge<Key extends GaugeKey>(key: Key): Gauge<LabelOf<Key>> {
    return new Gauge<LabelOf<Key>>(this.#common(key));
  }

  histogram<Key extends HistogramKey>(key: Key): Histogram<LabelOf<Key>> {
    return new Histogram<LabelOf<Key>>({
      ...this.#common(key),
      buckets: [...METRICS[key].buckets],
    });
  }

  #common<Key extends MetricKey>(key: Key) {
    const { name, help, labels } = METRICS[key];
    return {
      name,
      help,
      labelNames: Object.keys(labels).filter((label) => isLabelOf(key, label)),
      registers: [this.#registry],
    };
  }
}

function isLabelOf<Key extends MetricKey>(key: Key, label: string): label is LabelOf<Key> {
  return Object.hasOwn(METRICS[key].labels, label);
}
