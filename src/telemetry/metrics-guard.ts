// Runs and deaths of the trader below its guard, which tells each run of those before it.

import type { Registry } from 'prom-client';
import { DEATH_REASONS } from '../domain/supervision.ts';
import type { StateView } from '../domain/view.ts';
import { Instruments } from './instruments.ts';

export type GuardMetrics = {
  collect(guard: StateView['guard']): void;
};

export function guardMetrics(registry: Registry): GuardMetrics {
  const make = new Instruments(registry);
  const restarts = make.counter('restarts');
  const deaths = make.counter('deaths');
  const clear = make.gauge('clearTook');
  const guarded = make.gauge('guarded');
  const starved = make.counter('starved');
  const suspended = make.gauge('suspended');
  return {
    collect: (guard) => {
      guarded.set(guard === undefined ? 0 : 1);
      restarts.reset();
      restarts.inc(guard === undefined ? 0 : guard.run - 1);
      deaths.reset();
      for (const reason of DEATH_REASONS) deaths.inc({ reason }, guard?.deaths[reason] ?? 0);
      starved.reset();
      starved.inc(guard?.starved ?? 0);
      suspended.reset();
      for (const { strategy } of guard?.suspended ?? []) suspended.inc({ strategy });
      if (guard?.last) clear.set(guard.last.clearMs / 1_000);
    },
  };
}
