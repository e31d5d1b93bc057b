import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Launcher } from '../../../src/app/launcher.ts';
import type { RunFacts } from '../../../src/guard/protocol.ts';
import { PartDouble } from '../../support/part-double.ts';

const FACTS = { run: 1 } as RunFacts;

function launching(ahead: PartDouble) {
  const started: PartDouble[] = [];
  const start = () => {
    const part = new PartDouble();
    started.push(part);
    return part;
  };
  const timers = { after: () => () => {} };
  const part = {
    args: ['trader'],
    env: {},
    settings: { held: true },
    extra: undefined,
    http: { path: 'h', isPortFree: false },
  };
  return { launcher: new Launcher({ ...part, timers, hasReserve: false, ahead, start }), started };
}

describe('a launcher that was given a trader ahead', () => {
  it('begins with that one, and starts the next one itself', () => {
    const ahead = new PartDouble();
    const { launcher, started } = launching(ahead);
    expect(launcher.launch(FACTS)).toBe(ahead);
    expect(ahead.told).toMatchObject([
      { kind: 'begin', facts: { run: 1 }, http: { path: 'h', isPortFree: false } },
    ]);
    expect(launcher.launch(FACTS)).toBe(started[0]);
  });

  it('starts another where that one has ended while it loaded', async () => {
    const ahead = new PartDouble();
    const { launcher, started } = launching(ahead);
    ahead.end({ code: 1, signal: null });
    await setImmediate();
    expect(launcher.launch(FACTS)).toBe(started[0]);
    expect(ahead.told).toEqual([]);
  });

  it('starts another where that one had ended before anybody launched', () => {
    const ahead = new PartDouble();
    ahead.end({ code: null, signal: 'SIGKILL' });
    const { launcher, started } = launching(ahead);
    expect(launcher.launch(FACTS)).toBe(started[0]);
    expect(ahead.told).toEqual([]);
  });

  it('ends one that somebody has suspended, and starts another', () => {
    const ahead = new PartDouble();
    ahead.isSuspended = true;
    const { launcher, started } = launching(ahead);
    expect(launcher.launch(FACTS)).toBe(started[0]);
    expect(ahead.signals).toEqual(['SIGKILL']);
  });

  it('ends it when the daemon ends before it has begun', () => {
    const ahead = new PartDouble();
    launching(ahead).launcher.close();
    expect(ahead.signals).toEqual(['SIGKILL']);
  });
});
