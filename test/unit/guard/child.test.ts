// A part of the program as a process of its own, where the machine starts none.

import { describe, expect, it } from 'vitest';
import { startPart, withoutEnvFiles } from '../../../src/guard/child.ts';

/** Longer than any machine takes: Node throws, as it does where there is no memory for another process. */
const TOO_LONG = 'x'.repeat(4_000_000);

describe('a process that the machine does not start', () => {
  it('has ended before it began as one that the venue refuses, and ends nobody else', async () => {
    const part = startPart({ args: [TOO_LONG], env: {}, hasMarks: true });
    part.send({ kind: 'begin' });
    part.signal('SIGTERM');
    expect(part.isStopped()).toBe(false);
    expect(await part.exited).toEqual({ code: 3, signal: null, notStarted: 'E2BIG' });
  });
});

describe('a process of the program', () => {
  it('does not read the files of the environment again, which hold more than it is given', () => {
    const rest = ['--enable-source-maps', '--import', './hook.mjs'];
    for (const files of [
      ['--env-file=.env'],
      ['--env-file', '.env'],
      ['--env-file-if-exists=a', '--env-file-if-exists', 'b'],
    ]) {
      expect(withoutEnvFiles([...files, ...rest])).toEqual(rest);
      expect(withoutEnvFiles([...rest, ...files])).toEqual(rest);
    }
    expect(withoutEnvFiles(rest)).toEqual(rest);
  });
});
