// Keys of the live status as the watchdog hands them on, and the kill that it takes itself while no trader answers.

import { describe, expect, it } from 'vitest';
import { GuardKeys } from '../../../src/app/guard-keys.ts';
import type { KillUpdate } from '../../../src/app/http-parent.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';

const BY = 'bookend terminal';

function terminal() {
  const clock = new VirtualClock();
  const said: string[] = [];
  const passed: string[] = [];
  const kills: { id: number; by: string }[] = [];
  const latched: string[] = [];
  const trader = { isAnswering: true };
  let tell: (update: KillUpdate) => void = () => {};
  const keys = new GuardKeys({
    clock,
    killer: {
      kill: (id, by, to) => {
        kills.push({ id, by });
        tell = to;
      },
      latch: (by) => latched.push(by),
    },
    terminal: { by: BY, say: (line) => said.push(line) },
    isAnswering: () => trader.isAnswering,
    pass: (key) => passed.push(key),
  });
  const press = (...each: readonly string[]) => {
    for (const key of each) keys.press(key);
  };
  return { clock, said, passed, kills, latched, trader, press, tell: (to: KillUpdate) => tell(to) };
}

describe('keys while the trader answers', () => {
  it('are all for the trader, who asks and obeys', () => {
    const { press, passed, said, kills } = terminal();
    press('down', 'p', 'k', 'y', '?');
    expect(passed).toEqual(['down', 'p', 'k', 'y', '?']);
    expect([said, kills]).toEqual([[], []]);
  });
});

describe('keys while no trader answers', () => {
  function hanging() {
    const at = terminal();
    at.trader.isAnswering = false;
    return at;
  }

  it('kill by the watchdog after a yes, latched and on record as done there, and say what comes of it', () => {
    const { press, clock, said, kills, latched, passed, tell } = hanging();
    press('k');
    expect(said.at(-1)).toMatch(/^the trader does not answer; .* KILL: .* y \/ n$/);
    expect([kills, latched]).toEqual([[], []]);
    clock.advance(500);
    press('y');
    expect(latched).toEqual([BY]);
    expect(kills).toEqual([{ id: -1, by: BY }]);
    tell({ kind: 'step', detail: 'cancelled 4, failed 0' });
    expect(said.at(-1)).toBe('cancelled 4, failed 0');
    tell({ kind: 'ended', isConfirmed: true, body: {} });
    expect(said.at(-1)).toContain('killed: no open order is left');
    tell({ kind: 'ended', isConfirmed: true, body: { scope: 'own' } });
    expect(said.at(-1)).toContain('killed: no open order of ours is left');
    expect(passed).toEqual([]);
  });

  it('say that a kill is not confirmed, and what to do then', () => {
    const { press, clock, said, tell } = hanging();
    press('k');
    clock.advance(500);
    press('y');
    tell({ kind: 'ended', isConfirmed: false, body: {} });
    expect(said.at(-1)).toBe('KILL NOT CONFIRMED: run `bookend kill` in another terminal');
  });

  it.each([
    ['another key', 500, 'n', 'nothing is done'],
    ['a yes that was pasted behind the k', 0, 'y', 'before anybody could read the question'],
  ])('do nothing by %s', (_, afterMs, key, word) => {
    const { press, clock, said, kills, latched } = hanging();
    press('k');
    clock.advance(afterMs);
    press(key);
    expect(said.at(-1)).toContain(word);
    expect([kills, latched]).toEqual([[], []]);
  });

  it('take a yes for nothing once the question is old', () => {
    const { press, clock, kills, passed } = hanging();
    press('k');
    clock.advance(21_000);
    press('y');
    expect([kills, passed]).toEqual([[], ['y']]);
  });

  it('that are no kill wait for the trader', () => {
    const { press, passed } = hanging();
    press('p', 'down');
    expect(passed).toEqual(['p', 'down']);
  });

  it('answer their own question also when the trader has come back meanwhile', () => {
    const { press, clock, trader, kills } = hanging();
    press('k');
    trader.isAnswering = true;
    clock.advance(500);
    press('y');
    expect(kills).toHaveLength(1);
  });
});
