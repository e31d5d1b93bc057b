import { describe, expect, it } from 'vitest';
import { Closing } from '../../../src/app/closing.ts';
import { hookProcess } from '../../../src/app/process-hooks.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';

const turns = async () => await new Promise((resolve) => setImmediate(resolve));

describe('closing', () => {
  it('goes from the last that was opened to the first, and each once', async () => {
    const closed: string[] = [];
    const closing = new Closing(new VirtualClock(), () => {});
    closing.add('lock', () => void closed.push('lock'));
    closing.add('venue', async () => void closed.push('venue'));
    await closing.closeAll();
    await closing.closeAll();
    expect(closed).toEqual(['venue', 'lock']);
  });

  it('does not stop at a part that fails, and says which', async () => {
    const trouble: string[] = [];
    const closed: string[] = [];
    const closing = new Closing(new VirtualClock(), (part, why) => trouble.push(`${part}: ${why}`));
    closing.add('lock', () => void closed.push('lock'));
    closing.add('recorder', () => {
      throw new Error('disk full');
    });
    await closing.closeAll();
    expect(closed).toEqual(['lock']);
    expect(trouble).toEqual(['recorder: disk full']);
  });

  it('does not wait for ever for a part that hangs', async () => {
    const clock = new VirtualClock();
    const trouble: string[] = [];
    const closed: string[] = [];
    const closing = new Closing(clock, (part) => trouble.push(part));
    closing.add('lock', () => void closed.push('lock'));
    closing.add('http', async () => await new Promise(() => {}));
    const all = closing.closeAll();
    await turns();
    expect(closed).toEqual([]);
    clock.advance(3_000);
    await all;
    expect(closed).toEqual(['lock']);
    expect(trouble).toEqual(['http']);
  });
});

describe('signals', () => {
  it('that come twice within a second are one target quote; later it is a second one', () => {
    const told: string[] = [];
    let nowMs = 0;
    const unhook = hookProcess(
      {
        onStop: (signal) => told.push(`stop ${signal}`),
        onStopAgain: (signal) => told.push(`again ${signal}`),
        onReload: () => told.push('reload'),
        onCrash: (error) => told.push(`crash ${error.message}`),
        onStray: () => told.push('stray'),
      },
      () => nowMs,
    );
    process.emit('SIGINT', 'SIGINT');
    nowMs = 900;
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGHUP', 'SIGHUP');
    nowMs = 1_001;
    process.emit('SIGTERM', 'SIGTERM');
    unhook();
    expect(told).toEqual(['stop SIGINT', 'reload', 'again SIGTERM']);
  });
});
