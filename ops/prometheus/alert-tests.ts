// The rule tests for promtool, made of the scenes and of the alerts as they stand.

import { stringify } from 'yaml';
import { ALERT_SCENES, type AlertScene } from './alert-scenes.ts';

export type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
};

const TARGET = { job: 'bookend', instance: 'bookend:9464' };

const HEAD = `# Rule tests: \`promtool test rules alerts.test.yml\`. Made of alert-scenes.ts by \`npm run ops:write\`; do not edit it.

`;

/** The file as promtool reads it. */
export function alertTests(rules: readonly Rule[]): string {
  const byName = new Map(rules.map((rule) => [rule.alert, rule]));
  const tests = ALERT_SCENES.map((scene) => {
    const rule = byName.get(scene.alert);
    if (rule === undefined) throw new Error(`${scene.alert}: there is no such alert`);
    return testOf(scene, rule);
  });
  const file = { rule_files: ['alerts.yml'], evaluation_interval: '15s', tests };
  return HEAD + stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
}

function testOf(scene: AlertScene, rule: Rule): object {
  const { alert, says, series, quietAt } = scene;
  const fires = withEvents(scene.fires, rule);
  const quiet = quietAt.map((at) => ({ eval_time: at, alertname: alert }));
  const loud =
    fires === undefined
      ? []
      : [{ eval_time: fires.at, alertname: alert, exp_alerts: [expected(fires, rule)] }];
  return {
    name: says,
    interval: '15s',
    input_series: Object.entries(series).map(([name, values]) => ({
      series: targeted(counted(name, rule)),
      values,
    })),
    alert_rule_test: [...quiet, ...loud],
  };
}

/** The reports that an alert asks for, in its order. */
function eventsOf({ expr }: Rule): readonly string[] {
  return (/event=~?"([^"]*)"/.exec(expr)?.[1] ?? '').split('|');
}

function counted(series: string, rule: Rule): string {
  const place = /^\$event(\d?)$/.exec(series)?.[1];
  if (place === undefined) return series;
  return `bookend_reports_total{event="${eventsOf(rule)[Number(place || 1) - 1]}", severity="warn"}`;
}

function withEvents(fires: AlertScene['fires'], rule: Rule): AlertScene['fires'] {
  if (fires?.labels?.['event'] === undefined) return fires;
  return { ...fires, labels: { ...fires.labels, event: eventsOf(rule)[0] ?? '' } };
}

/** A series with the labels that a scrape adds. */
function targeted(series: string): string {
  const own = /\{(.*)\}/.exec(series)?.[1];
  const added = Object.entries(TARGET).map(([label, value]) => `${label}="${value}"`);
  return `${series.replace(/\{.*/, '')}{${[...(own ? [own] : []), ...added].join(', ')}}`;
}

function expected(
  { labels = {}, value = '' }: NonNullable<AlertScene['fires']>,
  rule: Rule,
): object {
  const all = rule.expr.startsWith('vector') ? labels : { ...TARGET, ...labels };
  const annotations = Object.entries(rule.annotations).map(([name, text]) => {
    const known: Readonly<Record<string, string>> = all;
    const shown = text
      .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => known[label] ?? '')
      .replaceAll(/\{\{ \$value[^}]*\}\}/g, value);
    return [name, shown];
  });
  return {
    exp_labels: { severity: rule.labels.severity, ...all },
    exp_annotations: Object.fromEntries(annotations),
  };
}
