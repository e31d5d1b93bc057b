// A part of the program as a process of its own, where the machine starts none.

import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { exitOf, startPart, withoutEnvFiles } from '../../../src/guard/child.ts';
import { peeked } from './support.ts';

/** Longer than any machine takes: Node throws, as it does where there is no memory for another process. */
const TOO_LONG = 'x'.repeat(4_000_000);

describe('a process that the machine does not start', () => {
  it('has ended before it began as one that the venue refuses, and ends nobody else', async () => {
    const part = startPart({ args: [TOO_LONG], env: {}, hasMarks: true });
    part.send({ kind: 'begin' });
    part.signal('SIGTERM');
    expect(part.isStopped()).toBe(false);
    expect(part.hasEnded()).toBe(true);
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

describe('the end of a process', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function ending() {
    vi.useFakeTimers();
    const child = Object.assign(new EventEmitter(), { pid: 7 });
    const exit = peeked(exitOf(child as never));
    child.emit('exit', 5, null);
    return { child, exit };
  }

  it('is told as soon as its last words are read, and no timer is left', async () => {
    const { child, exit } = ending();
    await vi.advanceTimersByTimeAsync(10);
    expect(exit.value).toBeUndefined();
    child.emit('close');
    await vi.advanceTimersByTimeAsync(0);
    expect(exit.value).toEqual({ code: 5, signal: null });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is told 200 ms later where somebody else holds its channel', async () => {
    const { exit } = ending();
    await vi.advanceTimersByTimeAsync(199);
    expect(exit.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(exit.value).toEqual({ code: 5, signal: null });
  });
});
