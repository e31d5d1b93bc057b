// What was placed and waits, by its purpose, and cancels that left before a decision.

import type { StateView } from '../domain/view.ts';
import type { Instruments } from './instruments.ts';

type WriteMetrics = ReturnType<typeof writeMetrics>;

export function writeMetrics(make: Instruments) {
  return {
    placed: make.counter('placed'),
    waiting: make.gauge('waiting'),
    armed: make.counter('armed'),
  };
}

export function collectWrites(metrics: WriteMetrics, { writes, armed }: StateView): void {
  metrics.placed.reset();
  for (const [name, count] of Object.entries(writes.placed ?? {})) {
    metrics.placed.inc({ class: name }, count);
  }
  for (const [name, count] of Object.entries(writes.waiting ?? {})) {
    metrics.waiting.set({ class: name }, count);
  }
  for (const [result, count] of Object.entries(armed ?? {})) {
    metrics.armed.inc({ result }, count);
  }
}
