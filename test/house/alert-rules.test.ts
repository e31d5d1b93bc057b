// Prometheus itself plays the scenes of our alerts. It computes for half a minute.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './project-files.ts';

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
if (!HAS_PROMTOOL) {
  console.warn('SKIPPED: promtool is not installed, so nobody plays the scenes of the alerts');
}

describe('promtool', () => {
  it.skipIf(!HAS_PROMTOOL)(
    'finds that the alerts fire when they should and only then',
    () => {
      const cwd = join(ROOT, 'ops/prometheus');
      const said = execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], {
        cwd,
        encoding: 'utf8',
        timeout: 240_000,
      });
      expect(said).toContain('SUCCESS');
    },
    250_000,
  );
});
