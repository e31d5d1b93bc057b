import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlRefused } from '../../../src/app/control-refused.ts';
import { keyParser, leaveKeyMode, openKeys } from '../../../src/cli/keys.ts';
import { createLastEvents } from '../../../src/cli/last-events.ts';
import { KEY_LINE, type KeyOrder, ScreenKeys } from '../../../src/cli/screen-keys.ts';
import type { ShownMarket, ShownState } from '../../../src/cli/state-schema.ts';
import { screenLines } from '../../../src/cli/status-screen.ts';
import { AT_TERMINAL, obeyTerminal } from '../../../src/cli/terminal-operator.ts';
import { columns } from '../../../src/cli/text.ts';
import { marketId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { readFromTrader, readToTrader } from '../../../src/guard/protocol.ts';
import { viewsMarket } from './shown.ts';

const MARKETS: readonly ShownMarket[] = Array.from({ length: 30 }, (_, at) => ({
  ...viewsMarket,
  marketId: `m-${at + 1}`,
  title: `Market ${at + 1}`,
}));

function desk() {
  const asked: KeyOrder[] = [];
  const clock = { ms: 1_000 };
  const keys = new ScreenKeys({
    nowMs: () => unixMs(clock.ms),
    markets: () => MARKETS,
    act: async (order) => {
      asked.push(order);
      return `${order.order} is done`;
    },
  });
  return { keys, asked, clock };
}

describe('a system on which nobody says who has the terminal', () => {
  it.each(['darwin', 'win32', 'freebsd'])(
    '%s: has no keys, and says nothing of them',
    (platform) => {
      const real = process.platform;
      Object.defineProperty(process, 'platform', { value: platform });
      try {
        expect(openKeys({ timers: { after: () => () => {} }, press: () => {} })).toBeUndefined();
        expect(leaveKeyMode()).toBeUndefined();
      } finally {
        Object.defineProperty(process, 'platform', { value: real });
      }
    },
  );
});

describe('keys of the live status', () => {
  it.each([
    ['p', 'pause'],
    ['r', 'resume'],
    ['k', 'kill'],
    ['q', 'end'],
  ] as const)('%s asks, and a y a moment later is the yes to %s', async (key, order) => {
    const { keys, asked, clock } = desk();
    keys.press(key);
    expect(keys.line).toMatchObject({ isQuestion: true });
    expect(asked).toEqual([]);
    clock.ms += 1_000;
    keys.press('y');
    await Promise.resolve();
    expect(asked).toEqual([{ order, marketId: undefined }]);
    expect(keys.line.text).toBe(`${order} is done`);
  });

  it('does nothing without a yes: another key, a late one, or one that was pasted', () => {
    const { keys, asked, clock } = desk();
    keys.press('k');
    clock.ms += 1_000;
    keys.press('n');
    keys.press('y');
    keys.press('k');
    keys.press('y');
    expect(keys.line.text).toContain('the yes came before anybody could read the question');
    keys.press('k');
    clock.ms += 60_000;
    keys.press('y');
    expect(asked).toEqual([]);
  });

  it('means the market that is chosen, and names it in the question', async () => {
    const { keys, asked, clock } = desk();
    for (const key of ['down', 'down', 'tab', 'up']) keys.press(key);
    expect(keys.chosen).toBe('m-2');
    keys.press('k');
    expect(keys.line.text).toContain('Market 2 only · KILL');
    clock.ms += 1_000;
    keys.press('y');
    expect(asked).toEqual([{ order: 'kill', marketId: 'm-2' }]);
    keys.press('escape');
    expect(keys.chosen).toBeUndefined();
  });

  it('never ends for one market alone', () => {
    const { keys, asked, clock } = desk();
    keys.press('down');
    keys.press('q');
    clock.ms += 1_000;
    keys.press('y');
    expect(asked).toEqual([{ order: 'end', marketId: undefined }]);
  });

  it('does nothing but on a yes to its own question, whatever is typed', () => {
    const key = fc.constantFrom('p', 'r', 'k', 'q', 'y', 'n', '?', 'up', 'down', 'tab', 'escape');
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.integer({ min: 0, max: 30_000 }))), (presses) => {
        const { keys, asked, clock } = desk();
        for (const [pressed, afterMs] of presses) {
          clock.ms += afterMs;
          const before = asked.length;
          const { isQuestion } = keys.line;
          keys.press(pressed);
          const mayAct = isQuestion && pressed === 'y';
          expect(asked.length - before).toBeLessThanOrEqual(mayAct ? 1 : 0);
        }
      }),
    );
  });
});

describe('bytes of a terminal', () => {
  it('are read as keys, whole or in pieces', async () => {
    const pressed: string[] = [];
    const read = keyParser((key) => pressed.push(key));
    for (const text of ['py', '\u001b[A', '\u001b', '[B', '\t', '\u001b[Z', '?', '\u0003']) {
      read(Buffer.from(text));
    }
    await expect
      .poll(() => pressed)
      .toEqual(['p', 'y', 'up', 'down', 'tab', 'backtab', '?', 'ctrl-c']);
  });

  it('are two where Escape and a letter were read at once, and none of it is Alt', async () => {
    const pressed: string[] = [];
    const read = keyParser((key) => pressed.push(key));
    read(Buffer.from('\u001bk'));
    read(Buffer.from('p'));
    await expect.poll(() => pressed).toEqual(['escape', 'k', 'p']);
  });
});

describe('an order from the terminal', () => {
  const daemon = {
    kill: async () => ({ kind: 'confirmed', cancelled: 4, rounds: 1 }) as never,
    pause: async (by: string) => {
      expect(by).toBe(AT_TERMINAL);
    },
    resume: async () => {
      throw new ControlRefused('not resumed: the daemon is killing');
    },
    ofMarket: async () => ({ markets: [marketId('m-1')], isConfirmed: false }),
  };
  const obey = async (order: KeyOrder['order'], id?: string, end = () => {}) =>
    await obeyTerminal({ order, marketId: id }, daemon, end);

  it('says what came of it, refusals included', async () => {
    expect(await obey('pause')).toContain('paused');
    expect(await obey('kill')).toContain('4 cancelled, no open order is left');
    const own = { ...daemon, kill: async () => ({ kind: 'confirmed', scope: 'own' }) as never };
    const killed = await obeyTerminal({ order: 'kill', marketId: undefined }, own, () => {});
    expect(killed).toContain('no open order of ours is left');
    expect(await obey('resume')).toBe('refused: not resumed: the daemon is killing');
    expect(await obey('kill', 'm-1')).toContain('not confirmed yet');
    // Whether a market is quoted hangs on more than what is lifted.
    expect(await obey('resume', 'm-1')).not.toContain('quoted again');
  });

  it('ends the program as Ctrl-C does', async () => {
    let ends = 0;
    await obey('end', undefined, () => {
      ends += 1;
    });
    expect(ends).toBe(1);
  });
});

describe('the screen with keys', () => {
  const state: ShownState = {
    atMs: 76_000,
    settingsVersion: 'fedcba987654',
    phase: 'quoting',
    phaseReason: 'all is well',
    markets: MARKETS,
    ordersByState: {},
    account: { cashUsdc: '1', availableUsdc: '1', pnlUsdc: '1.5' },
    writes: { usedInWindow: 12, perWindow: 240 },
    connection: { socket: 'open', authenticated: true, clockOffsetMs: -3 },
    notReady: [],
  };
  const linesOf = (
    keys: ScreenKeys | undefined,
    size = { width: 120, height: 24 },
  ): readonly string[] => {
    const of = { title: () => 'bookend paper', state: () => state, events: createLastEvents() };
    return screenLines({ ...of, keys }, size);
  };

  it('names no keys where none are read', () => {
    expect(linesOf(undefined).join('\n')).not.toContain('keys:');
  });

  it('ends with the keys, and scrolls to the market that is chosen', () => {
    const { keys } = desk();
    expect(linesOf(keys).at(-1)).toBe(KEY_LINE);
    expect(linesOf(keys).join('\n')).not.toContain('Market 25');
    for (let at = 0; at < 25; at += 1) keys.press('down');
    const text = linesOf(keys).join('\n');
    expect(text).toContain('▸ Market 25');
    expect(text).toMatch(/… markets \d+ to \d+ of 30/);
    expect(text).toContain('own bids 0.48×50 0.47×50 · own asks none');
    expect(text).toContain('position_limit');
  });

  it('keeps its size, whatever is chosen and asked', () => {
    const size = fc.record({
      width: fc.integer({ min: 1, max: 200 }),
      height: fc.integer({ min: 1, max: 60 }),
    });
    const pressed = fc.array(fc.constantFrom('down', 'end', 'k', '?', 'escape', 'n'));
    fc.assert(
      fc.property(size, pressed, (of, presses) => {
        const { keys } = desk();
        for (const key of presses) keys.press(key);
        const lines = linesOf(keys, of);
        expect(lines.length).toBeLessThanOrEqual(of.height);
        for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(of.width);
      }),
    );
  });
});

describe('what guard and trader say of keys', () => {
  it('is read by both, and nothing that only looks like it', () => {
    expect(readToTrader({ kind: 'key', key: 'p' })).toEqual({ kind: 'key', key: 'p' });
    expect(readToTrader({ kind: 'key', key: 7 })).toBeUndefined();
    expect(readFromTrader({ kind: 'endAsked' })).toEqual({ kind: 'endAsked' });
  });
});
