// Dashboards and alerts rely on names that exist, and Prometheus itself accepts what they ask.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { REPORT_SEVERITY } from '../../src/domain/report.ts';
import { type Exposition, exposition } from './exposition.ts';
import { groupLabelsOf, type Selector, selectorsOf, withoutVariables } from './promql.ts';

const OPS = resolve(import.meta.dirname, '../../ops');

type Panel = {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
};

const DASHBOARD = JSON.parse(
  readFileSync(join(OPS, 'grafana/dashboards/bookend.json'), 'utf8'),
) as { readonly uid: string; readonly panels: readonly Panel[] };

const ALERTS = parse(readFileSync(join(OPS, 'prometheus/alerts.yml'), 'utf8')) as {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly action: string };
    }[];
  }[];
};

const RULES = ALERTS.groups.flatMap((group) => group.rules);
const TARGETS = DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
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

describe('the dashboard', () => {
  it('has an id of its own for every panel', () => {
    const ids = DASHBOARD.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('keeps its panels within the width of the page', () => {
    const wide = DASHBOARD.panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24);
    expect(wide.map(({ title }) => title)).toEqual([]);
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

describe('every alert', () => {
  const runbook = readFileSync(join(OPS, 'RUNBOOK.md'), 'utf8');

  it.each(RULES)('$alert says how urgent it is, what happened and what to do', (rule) => {
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
    expect(rule.annotations.action).toMatch(/\.$/);
  });

  it('counts only events that the program reports', () => {
    const counted = RULES.flatMap(({ expr }) => [...expr.matchAll(/event="([\w.]+)"/g)]);
    const events = counted.map(([, event]) => String(event));
    expect(events.length).toBeGreaterThan(0);
    expect(events.filter((event) => !(event in REPORT_SEVERITY))).toEqual([]);
  });

  it.each(RULES)('$alert is in the runbook', ({ alert }) => {
    expect(runbook).toContain(`\`${alert}\``);
  });
});

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
if (!HAS_PROMTOOL) {
  console.warn('SKIPPED: promtool is not installed, so Prometheus itself does not judge ops/');
}

describe('promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-ops-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const promtool = (...args: readonly string[]) =>
    execFileSync('promtool', args, { cwd: join(OPS, 'prometheus'), encoding: 'utf8' });

  it.skipIf(!HAS_PROMTOOL)('accepts the scrape configuration and the alerts', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('is valid');
  });

  it.skipIf(!HAS_PROMTOOL)('finds that the alerts fire when they should and only then', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  });

  it.skipIf(!HAS_PROMTOOL)('accepts every expression of the dashboard', () => {
    const rules = TARGETS.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: withoutVariables(expr),
    }));
    const file = join(folder, 'panels.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool('check', 'rules', file)).toContain(`${rules.length} rules found`);
  });
});
