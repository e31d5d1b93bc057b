// When each alert would have fired: its expression by Prometheus at each evaluation, and its `for` by what that says.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Series, Span } from './prometheus.ts';

export type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly forMs: number;
  readonly severity: 'page' | 'ticket' | 'none';
};

/** One alert that fired, by the instance it is about. */
export type Alarm = {
  readonly alert: string;
  readonly severity: Rule['severity'];
  readonly instance: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly firedAtMs: number;
};

const FILE = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().default('0s'),
          labels: z.object({ severity: z.enum(['page', 'ticket', 'none']) }),
        }),
      ),
    }),
  ),
});

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function readRules(path: string): readonly Rule[] {
  const { groups } = FILE.parse(parse(readFileSync(path, 'utf8')));
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, labels, for: held }) => ({
      ...{ alert, expr, forMs: durationMs(held), severity: labels.severity },
    })),
  );
}

/**
 * Alarms of one rule.
 *
 * @param said - What its expression says at each evaluation; without an answer at a step it is not true then.
 */
export function alarmsOf(
  rule: Rule,
  said: readonly Series[],
  { stepMs }: Pick<Span, 'stepMs'>,
): readonly Alarm[] {
  return said.flatMap(({ labels, points }) =>
    firingsOf(
      points.map(({ atMs }) => atMs),
      { forMs: rule.forMs, stepMs },
    ).map((firedAtMs) => ({
      ...{ alert: rule.alert, severity: rule.severity, labels, firedAtMs },
      instance: labels['instance'] ?? '',
    })),
  );
}

/** The moments at which it has been true for long enough, once for each time that it became true. */
function firingsOf(
  trueAtMs: readonly number[],
  { forMs, stepMs }: { readonly forMs: number; readonly stepMs: number },
): readonly number[] {
  const fired: number[] = [];
  let sinceMs = Number.NaN;
  let lastMs = Number.NaN;
  let hasFired = false;
  for (const atMs of trueAtMs) {
    if (atMs - lastMs !== stepMs) {
      sinceMs = atMs;
      hasFired = false;
    }
    lastMs = atMs;
    if (hasFired || atMs - sinceMs < forMs) continue;
    fired.push(atMs);
    hasFired = true;
  }
  return fired;
}

function durationMs(text: string): number {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  const each = UNIT_MS[unit];
  if (each === undefined) throw new Error(`for: ${text} is no duration`);
  return Number(count) * each;
}
