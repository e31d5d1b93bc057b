// A part of the program as a real process: what it is given, what it is told, and how its end is known.

import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Part, type PartOptions, startPart } from '../../../src/guard/child.ts';
import { MARKS, MARKS_ENV, MARKS_FD, recordAt } from '../../../src/guard/marks.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** It says what it was given, and does what it is told. */
const SCRIPT = `
import { fstatSync, writeSync } from 'node:fs';
import { spawn } from 'node:child_process';
const hasFd = () => { try { return fstatSync(${MARKS_FD}).isFile(); } catch { return false; } };
process.on('message', ({ exit, write, hold, echo }) => {
  if (write) for (const { text, at } of write) writeSync(${MARKS_FD}, Buffer.from(text, 'latin1'), 0, undefined, at);
  if (write) process.send({ written: true });
  if (echo) process.send({ echo });
  if (hold) {
    const held = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)'], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 3] });
    process.send({ holds: held.pid }, () => process.exit(exit));
  } else if (exit !== undefined) process.exit(exit);
});
process.send({ args: process.argv.slice(2), env: { ...process.env }, cwd: process.cwd(), execArgv: process.execArgv, hasFd: hasFd() });
`;

type Said = Record<string, unknown>;

const before = process.argv[1];
const started: Part[] = [];
const folder = tempFolder('part');

beforeEach(() => {
  const script = join(folder, 'part.mjs');
  writeFileSync(script, SCRIPT);
  process.argv[1] = script;
});

afterEach(() => {
  process.argv[1] = before ?? '';
  for (const part of started.splice(0)) part.signal('SIGKILL');
});

function start(options: Partial<PartOptions> = {}) {
  const part = startPart({ args: [], env: {}, ...options });
  started.push(part);
  const said: Said[] = [];
  let wake = () => {};
  part.onMessage((message) => {
    said.push(message as Said);
    wake();
  });
  const next = async (name: string): Promise<Said> => {
    for (;;) {
      const found = said.find((each) => name in each);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { part, next };
}

describe('a part of the program', () => {
  it('is given its command, its environment and nothing of ours, and a folder to start in', async () => {
    process.env['BOOKEND_TEST_SECRET'] = 'a secret';
    try {
      const { part, next } = start({
        ...{ args: ['trade', '--x'], env: { A: 'b' }, cwd: folder, nodeArgs: ['--no-warnings'] },
      });
      const said = await next('args');
      expect(said).toMatchObject({
        args: ['trade', '--x'],
        cwd: realpathSync(folder),
        hasFd: false,
      });
      expect(said['env']).toMatchObject({ A: 'b' });
      expect(said['env']).not.toHaveProperty('BOOKEND_TEST_SECRET');
      expect(said['env']).not.toHaveProperty(MARKS_ENV);
      expect(said['execArgv']).toContain('--no-warnings');
      expect(part.pid).toBeGreaterThan(1);
      expect(part.call?.()).toBeUndefined();
    } finally {
      delete process.env['BOOKEND_TEST_SECRET'];
    }
  });

  it('hears what it is told, and a signal; what it is told behind its end is lost', async () => {
    const { part, next } = start();
    await next('args');
    part.send({ echo: 'a word' });
    expect(await next('echo')).toEqual({ echo: 'a word' });
    expect(part.isStopped()).toBe(false);
    part.signal('SIGTERM');
    expect(await part.exited).toEqual({ code: null, signal: 'SIGTERM' });
    part.send({ echo: 'another' });
  });

  it('says where it is in a file of its own, which is read when it is dead as well', async () => {
    const { part, next } = start({ hasMarks: true });
    expect(await next('args')).toMatchObject({ hasFd: true, env: { [MARKS_ENV]: '4' } });
    const call = { strategy: 'join', place: 'm1' };
    const write = [
      { text: JSON.stringify(call), at: recordAt(1) },
      { text: '\u0001\0\0\0', at: MARKS.exactAt },
    ];
    part.send({ write });
    await next('written');
    expect(part.call?.()).toEqual(call);
    expect(part.hasEnded()).toBe(false);
    part.send({ exit: 7 });
    expect(await part.exited).toEqual({ code: 7, signal: null });
    expect(part.hasEnded()).toBe(true);
    expect(part.call?.()).toEqual(call);
  });

  it('has ended before it began where its folder is not there, which is told later', async () => {
    const { part } = start({ cwd: join(folder, 'none'), hasMarks: true });
    expect(await part.exited).toEqual({ code: 3, signal: null, notStarted: 'ENOENT' });
    expect(part.call?.()).toBeUndefined();
  });

  it('has ended though another process holds its channel, which is waited for no longer', async () => {
    const { part, next } = start();
    await next('args');
    part.send({ hold: true, exit: 5 });
    const { holds } = await next('holds');
    expect(await part.exited).toEqual({ code: 5, signal: null });
    process.kill(Number(holds), 'SIGKILL');
  });
});
