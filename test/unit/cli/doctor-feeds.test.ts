import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { feedFindings } from '../../../src/cli/doctor/feeds.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { FeedChoice } from '../../../src/domain/feed.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-doctor-feeds-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const choice = (name: string, from: string): FeedChoice => ({
  name,
  target: { kind: 'event', event: 'rain', market: undefined },
  from,
  fields: { price: '/price', uncertainty: undefined, time: undefined },
  only: undefined,
  subscribe: undefined,
  pollMs: 1_000,
  timeoutMs: 500,
  ageMsMax: 5_000,
  jumpMax: 0.2,
  jumpReadings: 3,
  auth: undefined,
});

describe('the doctor', () => {
  it('reads every feed once, and says what would cure those that give no price', async () => {
    const good = join(folder, 'good.csv');
    const wrong = join(folder, 'wrong.json');
    await writeFile(good, '0.42\n');
    await writeFile(wrong, '{"price":42}');
    const choices = [
      choice('good', good),
      choice('wrong', wrong),
      choice('absent', join(folder, 'absent.csv')),
      choice('nobody', 'http://127.0.0.1:9/'),
    ];
    const findings = await feedFindings(choices, systemClock());
    expect(findings.map(({ check, kind }) => `${check} ${kind}`)).toEqual([
      'feed good ok',
      'feed wrong refused',
      'feed absent failed',
      'feed nobody failed',
    ]);
    expect(findings[1]?.detail).toContain('a number strictly between 0 and 1');
    expect(findings[2]?.detail).toContain('ENOENT');
  });

  it('says nothing of feeds where there are none', async () => {
    expect(await feedFindings([], systemClock())).toEqual([]);
  });
});
