// What the command prints.

import type { Alarm } from './alarms.ts';
import { START_MS } from './daemon.ts';
import { firstOf, recall, type Verdict } from './judge.ts';
import type { Expression } from './pages.ts';
import { STRIKE_MS } from './replay.ts';

/** `+1:30 BookendBlind (page)`: a minute and a half after the fault. */
export function verdictLine({ fault, missed, undue, fired }: Verdict): string {
  const told = [...fired.values()]
    .filter(({ instance }) => instance !== '')
    .map(({ alert, severity, firedAtMs }) => {
      const mark = fault.fires.includes(alert) ? '' : ' besides';
      return `${clock(firedAtMs - START_MS - STRIKE_MS)} ${short(alert)} (${severity}${mark})`;
    });
  const wrong = [
    ...missed.map((alert) => `MISSED ${short(alert)}`),
    ...undue.map((alert) => `UNDUE ${short(alert)}`),
  ];
  const said = [...wrong, ...told].join(', ');
  return `${wrong.length > 0 ? '✖' : '✓'} ${fault.name}: ${fault.says}\n    ${said || 'no alert'}`;
}

export function cleanLines(hours: number, alarms: readonly Alarm[]): readonly string[] {
  const pages = alarms.filter(({ severity }) => severity === 'page').length;
  const told = [...firstOf(alarms).values()].map(
    ({ alert, severity, firedAtMs, labels }) =>
      `    ${clock(firedAtMs - START_MS)} ${alert} (${severity}) ${JSON.stringify(labels)}`,
  );
  return [
    `${pages > 0 ? '✖' : '✓'} ${hours} clean hours: ${pages} pages, ${alarms.length - pages} tickets`,
    ...told,
  ];
}

export function recallLine(verdicts: readonly Verdict[]): string {
  const { hit, of } = recall(verdicts);
  const quiet = verdicts.length - of;
  const undue = verdicts.filter((verdict) => verdict.undue.length > 0).length;
  const part = of === 0 ? '' : ` (${((100 * hit) / of).toFixed(1)} %)`;
  return `recall: ${hit} of ${of} faults that ought to alert${part}; ${undue} of ${quiet} others page`;
}

export function emptyLines(
  asked: number,
  empty: readonly Expression[],
  excused: number,
): readonly string[] {
  return [
    `${empty.length > 0 ? '✖' : '✓'} ${asked} expressions of dashboards and alerts: ${empty.length} without data, ${excused} excused`,
    ...empty.map(({ place, expr }) => `    ${place}: ${expr}`),
  ];
}

function short(alert: string): string {
  return alert.replace(/^Bookend/, '');
}

function clock(ms: number): string {
  const sec = Math.round(Math.abs(ms) / 1_000);
  const sign = ms < 0 ? '-' : '+';
  return `${sign}${Math.floor(sec / 60)}:${String(sec % 60).padStart(2, '0')}`;
}
