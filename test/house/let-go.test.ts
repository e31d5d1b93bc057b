import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { letGo } from '../support/let-go.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('a pipe that a test lets go of', () => {
  it('may be full, with somebody who waits for room in it', async () => {
    const file = join(tempFolder('pipe'), 'pipe');
    execFileSync('mkfifo', [file]);
    const held = await open(file, 'r+');
    // More than a pipe holds, and less than two: what is left finds room in the empty one, whenever its thread runs.
    const written = held.write(Buffer.alloc(98_304));
    // Threads of the pool are shared with other files: it may begin late.
    const full = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    await vi.waitFor(() => expect(() => writeSync(full, ' ')).toThrow('EAGAIN'), 60_000);
    closeSync(full);
    await letGo(file, '\n');
    expect((await written).bytesWritten).toBe(98_304);
    await held.close();
  });
});
