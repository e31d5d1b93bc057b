// What was placed and waits, by its purpose, and cancels that left before a decision.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { StateView } from '../domain/view.ts';

type WriteMetrics = ReturnType<typeof writeMetrics>;

export function writeMetrics(registry: Registry) {
  return {
    placed: new Counter({
      name: 'bookend_orders_placed_total',
      help: 'Orders placed in this run, by what they were for.',
      labelNames: ['class'] as const,
      registers: [registry],
    }),
    waiting: new Gauge({
      name: 'bookend_waiting_orders',
      help: 'Orders that wait for a write, by what they are for.',
      labelNames: ['class'] as const,
      registers: [registry],
    }),
    armed: new Counter({
      name: 'bookend_armed_cancels_total',
      help: 'Orders that a frame had cancelled before it was decided on, and what the decision said then.',
      labelNames: ['result'] as const,
      registers: [registry],
    }),
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
