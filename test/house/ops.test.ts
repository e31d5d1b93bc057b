// Dashboards and alerts rely on names that exist, and Prometheus itself accepts what they ask.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPORT_SEVERITY } from '../../src/domain/report.ts';
import type { MetricSpec } from '../../src/telemetry/metric-spec.ts';
import { METRIC_SPECS } from '../../src/telemetry/metric-table.ts';
import { type Exposition, exposition, firstScrape, fullScrape } from './exposition.ts';
import {
  anchorsOf,
  groupLabelsOf,
  type Selector,
  selectorsOf,
  withoutVariables,
} from './promql.ts';

const OPS = resolve(import.meta.dirname, '../../ops');

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};
type Dashboard = { readonly uid: string; readonly panels: readonly Panel[] };

const FILES = readdirSync(join(OPS, 'grafana/dashboards'));
const DASHBOARDS = FILES.map(
  (file) => JSON.parse(readFileSync(join(OPS, 'grafana/dashboards', file), 'utf8')) as Dashboard,
);

const ALERTS = parse(readFileSync(join(OPS, 'prometheus/alerts.yml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
};

type RuleTest = {
  readonly name: string;
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts?: readonly unknown[];
  }[];
};
const { tests: RULE_TESTS } = parse(
  readFileSync(join(OPS, 'prometheus/alerts.test.yml'), 'utf8'),
) as { readonly tests: readonly RuleTest[] };

const RULES = ALERTS.groups.flatMap((group) => group.rules);
const PANELS = DASHBOARDS.flatMap(({ panels }) => panels);
const TARGETS = PANELS.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);
const EXPRESSIONS = [...TARGETS, ...RULES.map(({ alert, expr }) => ({ title: alert, expr }))];

describe('series and labels that the daemon exposes are enough for', () => {
  let exposed: Exposition = new Map();
  beforeAll(async () => {
    exposed = await exposition();
  });

  it.each(EXPRESSIONS)('$title: $expr', ({ expr }) => {
    const selectors = selectorsOf(expr);
    const labels = new Set(['le', ...selectors.flatMap(({ name }) => [...labelsOf(name)])]);
    expect(selectors.filter(({ name }) => !exposed.has(name))).toEqual([]);
    expect(selectors.filter((one) => !hasLabels(one))).toEqual([]);
    expect(groupLabelsOf(expr).filter((label) => !labels.has(label))).toEqual([]);
  });

  const labelsOf = (name: string) => exposed.get(name) ?? new Set<string>();
  const hasLabels = ({ name, labels }: Selector) =>
    labels.every((label) => labelsOf(name).has(label));
});

describe('the dashboards', () => {
  it('are five at the least, each found by an id of its own', () => {
    expect(new Set(DASHBOARDS.map(({ uid }) => uid)).size).toBe(DASHBOARDS.length);
    expect(DASHBOARDS.length).toBeGreaterThanOrEqual(5);
  });

  it.each(DASHBOARDS)('$uid has an id for every panel, and keeps them within the page', (board) => {
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    const wide = board.panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24);
    expect(wide.map(({ title }) => title)).toEqual([]);
  });

  it('ask for the instances that are chosen, wherever they name a series', () => {
    const selectors = TARGETS.flatMap(({ expr }) => [...expr.matchAll(/bookend_\w+(\{[^}]*\})?/g)]);
    expect(selectors.length).toBeGreaterThan(100);
    expect(selectors.filter(([all]) => !all.includes('{instance=~"$instance"'))).toEqual([]);
  });

  it('draw no second line of the same name where a zero stands for what has no series', () => {
    const filled = TARGETS.filter(({ expr }) => expr.includes(' or 0 * '));
    expect(filled.length).toBeGreaterThan(3);
    const twice = filled.filter(({ expr, legendFormat }) => {
      const [kept = '', zero = ''] = expr.split(' or 0 * ');
      const by = (part: string) => /\bby \(([^)]*)\)/.exec(part)?.[1]?.replace(', le', '');
      // Where a label of the legend is of the first part alone, the zero has a name of its own.
      const isNamed = /\{\{(?!instance|title)\w+\}\}/.test(legendFormat);
      return !isNamed && by(kept) !== by(zero);
    });
    expect(twice).toEqual([]);
  });

  it('names in its legends only labels that the expression keeps', () => {
    const wrong = TARGETS.filter(({ expr, legendFormat }) => {
      const kept = groupLabelsOf(expr);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => String(label));
      return /\bby \(/.test(expr) && named.some((label) => !kept.includes(label));
    });
    expect(wrong).toEqual([]);
  });
});

/** The names of a metric as they stand in expressions. */
const seriesOf = ({ name, type }: MetricSpec) =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];

describe('every metric', () => {
  const asked = new Set(
    EXPRESSIONS.flatMap(({ expr }) => selectorsOf(expr).map(({ name }) => name)),
  );

  it('stands on a dashboard or in an alert: what nobody looks at is not kept', () => {
    const idle = METRIC_SPECS.filter((spec) => !seriesOf(spec).some((name) => asked.has(name)));
    expect(idle.map(({ name }) => name)).toEqual([]);
  });

  it('ends in its unit, counters in _total behind it', () => {
    const wrong = METRIC_SPECS.filter(
      ({ name, type }) => name.endsWith('_total') !== (type === 'counter'),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(METRIC_SPECS.filter(({ help }) => !/^[A-Z0-9].*\.$/.test(help))).toEqual([]);
  });

  it('is served, and nothing else is', async () => {
    const served = await exposition();
    const names = new Set(METRIC_SPECS.flatMap(seriesOf));
    expect([...names].filter((name) => !served.has(name))).toEqual([]);
    expect([...served.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('a counter that an alert asks for', () => {
  const counters = METRIC_SPECS.filter(({ type }) => type === 'counter').map(({ name }) => name);
  const wanted = RULES.flatMap(({ alert, expr }) =>
    [...expr.matchAll(/\b(bookend_\w+)(?:\{([^}]*)\})?/g)]
      .filter(([, name]) => counters.includes(String(name)))
      .map(([, name, matchers]) => ({ alert, name: String(name), matchers: matchers ?? '' })),
  );

  it.each(wanted)('$alert: $name{$matchers} exists from the first scrape', async (one) => {
    const { name, matchers } = one;
    const lines = (await firstScrape()).split('\n').filter((line) => line.startsWith(`${name}`));
    const values = [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label, texts]) =>
      String(texts)
        .split('|')
        .map((text) => `${label}="${text}"`),
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(values.filter((value) => !lines.some((line) => line.includes(value)))).toEqual([]);
  });
});

describe('every alert', () => {
  const headings = new Set(anchorsOf(readFileSync(join(OPS, 'RUNBOOK.md'), 'utf8')));

  it('is one of 25 at the most', () => {
    expect(RULES.length).toBeLessThanOrEqual(25);
  });

  it.each(RULES)('$alert says how urgent it is, and in sentences what there is to know', (rule) => {
    expect(['page', 'ticket', 'none']).toContain(rule.labels.severity);
    const { summary, cause, effect, action } = rule.annotations;
    for (const text of [summary, cause, effect, action]) expect(text).toMatch(/\.$/);
  });

  it.each(RULES)('$alert names a section of the runbook', ({ annotations }) => {
    const [file, anchor] = String(annotations['runbook_url']).split('#');
    expect(file).toBe('ops/RUNBOOK.md');
    expect(headings).toContain(anchor);
  });

  it('counts only events that the program reports', () => {
    const counted = RULES.flatMap(({ expr }) => [...expr.matchAll(/event=~?"([\w.|]+)"/g)]);
    const events = counted.flatMap(([, event]) => String(event).split('|'));
    expect(events.length).toBeGreaterThan(5);
    expect(events.filter((event) => !(event in REPORT_SEVERITY))).toEqual([]);
  });

  it.each(RULES)('$alert has five rule tests of its own at the least', ({ alert }) => {
    const asked = ({ alert_rule_test: tests }: RuleTest) =>
      tests.some((one) => one.alertname === alert);
    const own = RULE_TESTS.filter(asked);
    expect(new Set(own.map(({ name }) => name)).size).toBeGreaterThanOrEqual(5);
    const fires = own.filter((one) => one.alert_rule_test.some(({ exp_alerts: alerts }) => alerts));
    expect(fires.length).toBeGreaterThan(0);
    // An alert that could not be silent would be no alert, but for the one that always fires.
    const isEver = RULES.find((rule) => rule.alert === alert)?.expr === 'vector(1)';
    const quiet = own.filter((one) =>
      one.alert_rule_test.some(({ exp_alerts: alerts }) => !alerts),
    );
    expect(quiet.length > 0).toBe(!isEver);
  });
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
if (!HAS_PROMTOOL) {
  console.warn('SKIPPED: promtool is not installed, so Prometheus itself does not judge ops/');
}

describe('the runbook', () => {
  it('stays half as long as the 743 lines that it once had', () => {
    const lines = readFileSync(join(OPS, 'RUNBOOK.md'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(371);
  });
});

describe('promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-ops-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const promtool = (...args: readonly string[]) =>
    execFileSync('promtool', args, { cwd: join(OPS, 'prometheus'), encoding: 'utf8' });

  it.skipIf(!HAS_PROMTOOL)('accepts the scrape configuration and the alerts', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('is valid');
  });

  it.skipIf(!HAS_PROMTOOL)('has nothing to say against the names of metrics', async () => {
    const checked = spawnSync('promtool', ['check', 'metrics'], {
      input: await fullScrape(),
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  });

  it.skipIf(!HAS_PROMTOOL)('accepts every expression of the dashboards', () => {
    const rules = TARGETS.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: withoutVariables(expr),
    }));
    const file = join(folder, 'panels.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool('check', 'rules', file)).toContain(`${rules.length} rules found`);
  });
});
