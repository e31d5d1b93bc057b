// What the machine says of a process, by files as Linux has them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isStopped, scheduleOf } from '../../../src/guard/schedule.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const PID = 70;

/** `/proc/PID/stat`: the name in brackets may have any, and the processor is 39th. */
function stat(state: string, processor = 1): string {
  const rest = Array.from({ length: 35 }, (_, at) => at + 4);
  return `${PID} (node) :) ) ${state} ${rest.join(' ')} ${processor} 0 0\n`;
}

/** A machine of two processors with one process of several threads. */
function machine({
  states = ['S'],
  schedstat = '7000000 3000000 12',
  processor = 1,
}: {
  states?: readonly string[];
  schedstat?: string;
  processor?: number;
} = {}): string {
  const proc = tempFolder('proc');
  for (const [at, state] of states.entries()) {
    const folder = join(proc, String(PID), 'task', String(PID + at));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'stat'), stat(state, processor));
    writeFileSync(join(folder, 'schedstat'), `${schedstat}\n`);
  }
  writeFileSync(join(proc, String(PID), 'stat'), stat(states[0] ?? 'S', processor));
  const processors = [
    'cpu  9 9 9 9 9 9 9 99 9 9',
    'cpu0 1 2 3 4 5 6 7 8 9 10',
    'cpu1 1 2 3 4 5 6 7 5 9 10',
  ];
  writeFileSync(join(proc, 'stat'), `${processors.join('\n')}\nintr 5\n`);
  return proc;
}

describe('the schedule of a process', () => {
  it('has what its first thread ran and waited, its processor, and what was taken from that', () => {
    expect(scheduleOf(PID, machine())).toEqual({
      ...{ doing: 'sleeps', ranMs: 7, waitedMs: 3, processor: '1', stolenMs: 50 },
    });
    expect(scheduleOf(PID, machine({ processor: 0 }))?.stolenMs).toBe(80);
    expect(scheduleOf(PID, machine({ processor: 5 }))?.stolenMs).toBe(0);
  });

  it.each([
    ['R', 'wants'],
    ['D', 'wants'],
    ['T', 'stopped'],
    ['t', 'stopped'],
    ['S', 'sleeps'],
    ['Z', 'sleeps'],
  ])('says by %s that it %s', (state, doing) => {
    const proc = machine({ states: [state] });
    expect(scheduleOf(PID, proc)?.doing).toBe(doing);
    expect(isStopped(PID, proc)).toBe(doing === 'stopped');
  });

  it('wants a processor while it sleeps and a thread beside it wants one, as for garbage', () => {
    expect(scheduleOf(PID, machine({ states: ['S', 'S', 'R'] }))?.doing).toBe('wants');
    expect(scheduleOf(PID, machine({ states: ['S', 'S'] }))?.doing).toBe('sleeps');
    expect(scheduleOf(PID, machine({ states: ['T', 'R'] }))?.doing).toBe('stopped');
  });

  it('is unknown where the machine keeps no times, or what it says cannot be read', () => {
    for (const schedstat of ['0 0 0', '', 'x']) {
      expect(scheduleOf(PID, machine({ schedstat }))).toBeUndefined();
    }
    expect(scheduleOf(PID, machine({ schedstat: '1 0 0' }))?.ranMs).toBe(0.000_001);
    expect(scheduleOf(PID + 5, machine())).toBeUndefined();
    expect(isStopped(PID + 5, machine())).toBe(false);
  });
});
