// Files that are made of code: the page of metrics, the dashboards, the rule tests, the schema of the configuration,
// the import table of the linter.
// `npm run ops:write` makes them anew; here they are only compared.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PAGES } from '../../ops/grafana/pages.ts';
import { dashboardOf } from '../../ops/grafana/panels.ts';
import { metricsPage } from '../../ops/metrics-page.ts';
import { alertTests, type Rule } from '../../ops/prometheus/alert-tests.ts';
import { loadStrategies } from '../../src/app/strategies.ts';
import { jsonSchemaText } from '../../src/settings/json-schema.ts';
import { ROOT } from './project-files.ts';
import { roomRules } from './room-rules.ts';

describe('a file that is made of code is up to date', () => {
  it('ops/METRICS.md', async () => {
    await expect(metricsPage()).toMatchFileSnapshot(join(ROOT, 'ops/METRICS.md'));
  });

  it('ops/prometheus/alerts.test.yml', async () => {
    const file = join(ROOT, 'ops/prometheus/alerts.yml');
    const alerts = parse(readFileSync(file, 'utf8')) as {
      readonly groups: readonly { readonly rules: readonly Rule[] }[];
    };
    const text = alertTests(alerts.groups.flatMap(({ rules }) => rules));
    await expect(text).toMatchFileSnapshot(join(ROOT, 'ops/prometheus/alerts.test.yml'));
  });

  it('.ci/lint/rooms.json', async () => {
    await expect(roomRules()).toMatchFileSnapshot(join(ROOT, '.ci/lint/rooms.json'));
  });

  it('config/schema.json', async () => {
    const text = jsonSchemaText(await loadStrategies());
    await expect(text).toMatchFileSnapshot(join(ROOT, 'config/schema.json'));
  });

  it.each(Object.entries(PAGES))('ops/grafana/dashboards/%s.json', async (name, page) => {
    const text = `${JSON.stringify(dashboardOf(page), null, 1)}\n`;
    await expect(text).toMatchFileSnapshot(join(ROOT, `ops/grafana/dashboards/${name}.json`));
  });
});
