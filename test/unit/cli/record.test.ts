// `record` on a terminal: the line that says how it goes.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const COLUMNS = 40;
let venue: PaperVenue;

beforeEach(async () => {
  const markets = [{ slug: 'x', title: 'X?' }];
  const event = { slug: 'x', title: 'X', category: 'c', tickSize: '0.01', markets } as const;
  venue = await startPaperVenue({ events: [event] });
});
afterEach(async () => await venue.stop());

describe('`record`', () => {
  it('writes one line over on a terminal, however narrow that is', async () => {
    const folder = tempFolder('record');
    const file = join(folder, 'run.yaml');
    const { baseUrl, wsUrl } = venue;
    writeFileSync(file, JSON.stringify({ venue: { baseUrl, wsUrl }, markets: [] }));
    const stdout = new PassThrough();
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: COLUMNS });
    const args = ['--config', file, '--out', join(folder, 'out'), '--event', 'x', '--for', '4s'];
    await runCli(['record', ...args], { stdout, stderr, env: {} });
    const lines = String(stderr.read() ?? '').split('\r\u001b[K');
    const shown = lines.slice(1).filter((line) => line.includes('frames'));
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter((line) => line.length >= COLUMNS)).toEqual([]);
  });
});
