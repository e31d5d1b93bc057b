// Lives and deaths of the trader below its guard, which tells each run of those before it.

import { Counter, Gauge, type Registry } from 'prom-client';
import { DEATH_REASONS } from '../domain/supervision.ts';
import type { StateView } from '../domain/view.ts';

export type GuardMetrics = {
  collect(guard: StateView['guard']): void;
};

export function guardMetrics(registry: Registry): GuardMetrics {
  const registers = [registry];
  const restarts = new Counter({
    name: 'bookend_guard_restarts_total',
    help: 'Times the guard started the trader again.',
    registers,
  });
  const deaths = new Counter({
    name: 'bookend_guard_deaths_total',
    help: 'Deaths of the trader, by how the guard saw them.',
    labelNames: ['reason'] as const,
    registers,
  });
  const clear = new Gauge({
    name: 'bookend_guard_clear_seconds',
    help: 'From the last death of the trader to an account without open orders.',
    registers,
  });
  const guarded = new Gauge({
    name: 'bookend_guarded_bool',
    help: '1 when a guard watches this trader.',
    registers,
  });
  const starved = new Counter({
    name: 'bookend_guard_starved_total',
    help: 'Times the machine did not let the trader run and the guard pulled its quotes.',
    registers,
  });
  const suspended = new Gauge({
    name: 'bookend_strategy_suspended',
    help: 'Markets and events that a strategy is not asked for, since the trader died in it.',
    labelNames: ['strategy'] as const,
    registers,
  });
  return {
    collect: (guard) => {
      guarded.set(guard === undefined ? 0 : 1);
      restarts.reset();
      restarts.inc(guard === undefined ? 0 : guard.life - 1);
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
