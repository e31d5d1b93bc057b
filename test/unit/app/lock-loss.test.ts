import { describe, expect, it } from 'vitest';
import { LockLoss } from '../../../src/app/lock-loss.ts';

describe('a claim on the journal that vanishes', () => {
  it('stops a daemon that trades', () => {
    const loss = new LockLoss();
    const stops: string[] = [];
    loss.begin((by) => stops.push(by));
    loss.onLost('its file was removed');
    expect(stops).toEqual(['lock lost: its file was removed']);
  });

  it('keeps one from its first order that has yet to begin, as while it reads a large ledger', () => {
    const loss = new LockLoss();
    loss.onLost('its file was removed');
    expect(() => loss.begin(() => {})).toThrow('lock lost: its file was removed');
  });
});
