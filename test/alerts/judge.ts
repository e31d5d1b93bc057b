// What the alarms say about each fault, and about a day without any.

import type { Alarm } from './alarms.ts';
import type { Fault } from './fault.ts';

export type Verdict = {
  readonly fault: Fault;
  /** Alerts that had to fire and did not. */
  readonly missed: readonly string[];
  /** Pages although it says that nobody is woken. */
  readonly undue: readonly string[];
  /** First firing of each alert, by name. */
  readonly fired: ReadonlyMap<string, Alarm>;
};

export function judge(fault: Fault, alarms: readonly Alarm[]): Verdict {
  const fired = firstOf(alarms.filter(({ instance }) => instance === fault.name));
  const pages = [...fired.values()].filter(({ severity }) => severity === 'page');
  return {
    fault,
    fired,
    missed: fault.fires.filter((alert) => !fired.has(alert)),
    undue: fault.fires.length > 0 ? [] : pages.map(({ alert }) => alert),
  };
}

/** Of the faults that ought to alert, the part whose alerts all fired. */
export function recall(verdicts: readonly Verdict[]): {
  readonly of: number;
  readonly hit: number;
} {
  const loud = verdicts.filter(({ fault }) => fault.fires.length > 0);
  return { of: loud.length, hit: loud.filter(({ missed }) => missed.length === 0).length };
}

/** The first of each alert. */
export function firstOf(alarms: readonly Alarm[]): ReadonlyMap<string, Alarm> {
  const first = new Map<string, Alarm>();
  for (const alarm of [...alarms].sort((one, other) => one.firedAtMs - other.firedAtMs)) {
    if (!first.has(alarm.alert)) first.set(alarm.alert, alarm);
  }
  return first;
}
