// Output to a file, for those who look after orders whatever becomes of their words.

import { execFileSync } from 'node:child_process';
import { createReadStream, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DROPPED, writeBehind } from '../../../src/cli/unblocked.ts';
import { letGo } from '../../support/let-go.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const folder = tempFolder('output');

function outputTo(file: string, flags: 'w' | 'r+') {
  const output = Object.assign(new Writable(), { fd: openSync(file, flags) });
  writeBehind(output);
  return output;
}

describe('output to a file', () => {
  it('is all there, in its order', async () => {
    const file = join(folder, 'out');
    const output = outputTo(file, 'w');
    for (let index = 0; index < 2_000; index += 1) output.write(`${index}\n`);
    const wanted = Array.from({ length: 2_000 }, (_, index) => `${index}\n`).join('');
    await expect.poll(() => readFileSync(file, 'utf8'), SOON).toBe(wanted);
  });

  it('holds nobody up where its disk hangs, and counts what is given up', async () => {
    const file = join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const output = outputTo(file, 'r+');
    let dropped = 0;
    output.on(DROPPED, (linesTotal: number) => {
      dropped = linesTotal;
    });
    // More than a pipe holds: a write to it waits as one to a disk that hangs.
    const startedAtMs = performance.now();
    for (let index = 0; index < 500; index += 1) output.write(`${'x'.repeat(10_000)}\n`);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    const reader = createReadStream(file).resume();
    await expect.poll(() => dropped, SOON).toBeGreaterThan(0);
    await expect.poll(() => reader.bytesRead, SOON).toBe((500 - dropped) * 10_001);
    reader.destroy();
    await letGo(file, '\n');
  });
});
