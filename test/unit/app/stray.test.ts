// Errors that nobody caught: whose they are, by the files that they come by.

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { hookProcess } from '../../../src/app/process-hooks.ts';
import { isOurs } from '../../../src/app/stray.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { Faults } from '../../../src/guard/fault.ts';

const OURS = new URL('../../../src/app/loop.ts', import.meta.url).href;
const LIBRARY = '/somewhere/node_modules/undici/lib/fetch.js';
const BUNDLED = new URL('../../../src/packages/undici-1a2b3c4d.js', import.meta.url).href;

function errorFrom(...places: readonly string[]): Error {
  const error = new Error('late');
  const lines = places.map((place) => `    at async step (${place}:12:5)`);
  error.stack = ['Error: late', ...lines].join('\n');
  return error;
}

const folder = mkdtempSync(join(tmpdir(), 'bookend-stray-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a promise that failed and that nobody awaits', () => {
  it.each([
    ['of Node alone, as of `void fetch(…)`', errorFrom('node:internal/deps/undici/undici')],
    ['of a library alone', errorFrom(LIBRARY)],
    ['of a library that is bundled', errorFrom(BUNDLED)],
    ['of a strategy', errorFrom('node:net', 'file:///somewhere/quotes.js')],
    ['of a strategy that we have asked', errorFrom('file:///somewhere/quotes.js', OURS)],
    ['of a strategy that has asked us', errorFrom(OURS, '/somewhere/quotes.js', OURS)],
    ['of a strategy, at its top', errorFrom('file:///somewhere/my quotes.js')],
    ['that is no error', 'no'],
  ])('%s ends no trader', (_, error) => {
    expect(isOurs(error, 'rejected')).toBe(false);
  });

  it('of the program does', () => {
    expect(isOurs(errorFrom('node:fs', LIBRARY, BUNDLED, OURS), 'rejected')).toBe(true);
  });

  it('of a build does, wherever it stands, with source maps as without', () => {
    const program = pathToFileURL('/somewhere/book end (1)/dist/src/').href;
    const of = (place: string, how: 'rejected' | 'thrown') =>
      isOurs(errorFrom(place, 'node:internal/timers'), how, program);
    for (const place of [
      `${program}parts/loop-1a2b.js`,
      '/somewhere/book end (1)/src/app/loop.ts',
    ]) {
      expect(of(place, 'rejected'), place).toBe(true);
      expect(of(place, 'thrown'), place).toBe(true);
    }
    for (const place of [
      `${program}packages/undici-1a2b.js`,
      '/somewhere/book end (1)/node_modules/undici/lib/fetch.js',
      '/somewhere/book end (1)/strategies/quotes.ts',
    ]) {
      expect(of(place, 'rejected'), place).toBe(false);
    }
    expect(of('/somewhere/book end (1)/strategies/quotes.ts', 'thrown')).toBe(false);
  });
});

describe('an error that was thrown and that nobody caught', () => {
  it.each([
    ['by the program', [OURS]],
    ['by a strategy that the program has asked', ['file:///somewhere/quotes.js', OURS]],
    ['by nobody knows whom', ['node:events']],
  ])('%s ends the trader', (_, places) => {
    expect(isOurs(errorFrom(...places), 'thrown')).toBe(true);
  });

  it.each([
    ['by a timer of a strategy', '/somewhere/quotes.js'],
    ['by a library that a strategy has brought', LIBRARY],
  ])('%s does not', (_, file) => {
    const error = errorFrom(file, 'node:internal/timers');
    expect(isOurs(error, 'thrown')).toBe(false);
  });

  it.each([
    ['a socket', () => connect(1, '127.0.0.1')],
    ['a request', () => get('http://127.0.0.1:1')],
    ['a file', () => createReadStream(join(folder, 'none'))],
    ['a process', () => spawn(join(folder, 'none'))],
  ])('by %s to which nobody listens does not', async (_, begin) => {
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const thrown = once(process, 'uncaughtException');
    begin();
    const [error] = await thrown;
    for (const each of others) process.on('uncaughtException', each);
    expect(String(error)).toMatch(/ECONNREFUSED|ENOENT/);
    expect(isOurs(error, 'thrown')).toBe(false);
  });

  it('by an emitter of the program to which nobody listens does', () => {
    const error = errorFrom('node:events', OURS);
    expect(() => new EventEmitter().emit('error', error)).toThrow(error);
    expect(isOurs(error, 'thrown')).toBe(true);
  });
});

describe('a strategy that leaves promises to themselves', () => {
  it('is reported once in a while, by its file', async () => {
    const file = join(folder, 'quotes.mjs');
    const late = 'await new Promise((done) => setTimeout(done)); throw new Error("late");';
    writeFileSync(file, `export const quote = () => void (async () => { ${late} })();`);
    const { quote }: { quote: () => void } = await import(pathToFileURL(file).href);
    const lines: object[] = [];
    const say = (event: string, fields?: object) => void lines.push({ event, ...fields });
    const log = { info: say, warn: say, error: say };
    const strays = new Faults(log, new VirtualClock(), 'error.stray');
    const crashes: Error[] = [];
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    const unhook = hookProcess(
      {
        onStop: () => undefined,
        onStopAgain: () => undefined,
        onReload: () => undefined,
        onCrash: (error) => crashes.push(error),
        onStray: (error) => strays.onFault(error),
      },
      () => 0,
    );
    quote();
    quote();
    await new Promise((done) => setTimeout(done, 50));
    unhook();
    for (const each of others) process.on('unhandledRejection', each);
    expect(crashes).toEqual([]);
    expect(lines).toMatchObject([{ event: 'error.stray', does: 'goes on', faultsTotal: 1 }]);
    expect(JSON.stringify(lines)).toContain('quotes.mjs');
  });
});
