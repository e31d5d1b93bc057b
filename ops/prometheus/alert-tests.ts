// The rule tests for promtool, made of the scenes and of the alerts as they stand.

import { stringify } from 'yaml';
import type { AlertScene } from './alert-scene.ts';
import { ALERT_SCENES } from './alert-scenes.ts';

export type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
};

const JOB = 'bookend';
const INSTANCE = 'bookend:9464';
const OTHER = 'other:9464';

const HEAD = `# Rule tests: \`promtool test rules alerts.test.yml\`. Made of alert-scenes.ts by \`npm run ops:write\`; do not edit it.

`;

/** What Prometheus is given and asked: one daemon, or two. */
type Played = {
  readonly says: string;
  readonly daemons: readonly Daemon[];
  readonly quietAt: readonly string[];
  readonly fires?: AlertScene['fires'];
  /** The instances of which it is said, and of no other. */
  readonly of: readonly string[];
};
type Daemon = { readonly instance: string; readonly series: AlertScene['series'] };

/** The file as promtool reads it. */
export function alertTests(rules: readonly Rule[]): string {
  const byName = new Map(rules.map((rule) => [rule.alert, rule]));
  const tests = ALERT_SCENES.flatMap((scene) => {
    const rule = byName.get(scene.alert);
    if (rule === undefined) throw new Error(`${scene.alert}: there is no such alert`);
    return playedOf(scene, rule).map((played) => testOf(played, rule));
  });
  // Half as often as `prometheus.yml` has it: no `for` is shorter than a minute, and it takes half the time.
  const file = { rule_files: ['alerts.yml'], evaluation_interval: '30s', tests };
  return HEAD + stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The scene itself, and what every alert has to get right beside it. */
function playedOf(scene: AlertScene, { expr }: Rule): readonly Played[] {
  const { says, series, quietAt, fires, more } = scene;
  const daemon = { instance: INSTANCE, series };
  const itself: Played = { says, daemons: [daemon], quietAt, fires, of: [INSTANCE] };
  if (more === undefined) return [itself];
  const { calm, over } = more;
  return [
    itself,
    {
      says: `${says}: of that daemon alone`,
      ...{ daemons: [daemon, { instance: OTHER, series: calm }], quietAt: [], fires },
      of: [INSTANCE],
    },
    {
      says: `${says}: of each daemon`,
      ...{ daemons: [daemon, { instance: OTHER, series }], quietAt: [], fires },
      of: [INSTANCE, OTHER],
    },
    {
      says: `${says}: and no longer than it is so`,
      daemons: [{ instance: INSTANCE, series: followed(series, over.series) }],
      ...{ quietAt: [over.quietAt], fires, of: [INSTANCE] },
    },
    {
      says: `${says}: and not of a daemon that is gone`,
      ...{ daemons: [daemon], quietAt: [longAfter(series, expr)], of: [] },
    },
  ];
}

const SAMPLE_SEC = 15;
/** How far an instant query looks back. */
const LOOK_BACK_MIN = 5;

/** When nothing that was scraped counts any more. */
function longAfter(series: AlertScene['series'], expr: string): string {
  const samples = Math.max(...Object.values(series).map(samplesOf));
  const ranges = [...expr.matchAll(/\[(\d+)m\]/g)].map(([, minutes]) => Number(minutes));
  const forgottenMin = Math.max(LOOK_BACK_MIN, ...ranges) + 1;
  return `${samples * SAMPLE_SEC + forgottenMin * 60}s`;
}

/** `1x4` is a value and four more of it, `_x4` are four without one. */
function samplesOf(values: string): number {
  return values.split(' ').reduce((sum, part) => {
    const more = Number(/x(\d+)$/.exec(part)?.[1] ?? 0);
    return sum + more + (part.startsWith('_') ? 0 : 1);
  }, 0);
}

function followed(series: AlertScene['series'], then: AlertScene['series']): AlertScene['series'] {
  const known = Object.entries(series).map(([name, values]) => {
    const more = then[name];
    return [name, more === undefined ? values : `${values} ${more}`];
  });
  return { ...then, ...Object.fromEntries(known) };
}

function testOf({ says, daemons, quietAt, fires: plain, of }: Played, rule: Rule): object {
  const { alert } = rule;
  const fires = withEvents(plain, rule);
  const quiet = quietAt.map((at) => ({ eval_time: at, alertname: alert }));
  const loud =
    fires === undefined
      ? []
      : [
          {
            eval_time: fires.at,
            alertname: alert,
            exp_alerts: of.map((instance) => expected(fires, { rule, instance })),
          },
        ];
  return {
    name: says,
    interval: '15s',
    input_series: daemons.flatMap(({ instance, series }) =>
      Object.entries(series).map(([name, values]) => ({
        series: targeted(counted(name, rule), instance),
        values,
      })),
    ),
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
function targeted(series: string, instance: string): string {
  const own = /\{(.*)\}/.exec(series)?.[1];
  const added = [`job="${JOB}"`, `instance="${instance}"`];
  return `${series.replace(/\{.*/, '')}{${[...(own ? [own] : []), ...added].join(', ')}}`;
}

/** What an alert says of where it is: of what is not there, as much as was asked for. */
function targetOf({ expr }: Rule, instance: string): Readonly<Record<string, string>> {
  if (expr.startsWith('vector')) return {};
  return expr.startsWith('absent') ? { job: JOB } : { job: JOB, instance };
}

function expected(
  { labels = {}, value = '' }: NonNullable<AlertScene['fires']>,
  { rule, instance }: { readonly rule: Rule; readonly instance: string },
): object {
  const all = { ...targetOf(rule, instance), ...labels };
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
