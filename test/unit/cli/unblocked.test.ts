// Output to a file, for those who look after orders whatever becomes of their words.

import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesTo } from '../../../src/cli/unblocked.ts';

const SOON = { timeout: 8_000, interval: 10 };
const folder = mkdtempSync(join(tmpdir(), 'bookend-output-'));

describe('output to a file', () => {
  it('is all there, in its order', async () => {
    const file = join(folder, 'out');
    const output = linesTo(openSync(file, 'w'));
    for (let index = 0; index < 2_000; index += 1) output.write(`${index}\n`);
    const wanted = Array.from({ length: 2_000 }, (_, index) => `${index}\n`).join('');
    await expect.poll(() => readFileSync(file, 'utf8'), SOON).toBe(wanted);
  });

  it.runIf(process.platform === 'linux')('holds nobody up where its disk hangs', async () => {
    const file = join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const output = linesTo(openSync(file, 'r+'));
    // More than a pipe holds: a write to it waits as one to a disk that hangs.
    const startedAtMs = performance.now();
    for (let index = 0; index < 100; index += 1) output.write('x'.repeat(10_000));
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    const reader = createReadStream(file).resume();
    await expect.poll(() => reader.bytesRead, SOON).toBe(1_000_000);
    reader.destroy();
  });
});
