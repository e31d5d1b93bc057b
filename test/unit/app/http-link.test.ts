// The way between a trader and the process that serves HTTP, over a real socket.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpLink } from '../../../src/app/http-link.ts';
import { listenAtLast, TraderEnd } from '../../../src/app/http-process.ts';
import {
  type Ask,
  type FromTrader,
  lineReader,
  readFromTrader,
  readSettings,
  type Served,
  settingsText,
  toLine,
} from '../../../src/app/http-words.ts';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { parseSettings } from '../../../src/settings/load.ts';
import { StateBoard } from '../../../src/telemetry/board.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { eventually } from '../../support/processes.ts';
import { picked, stateView } from '../telemetry/views.ts';

const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const clock = systemClock();
const ECHO = `refused: ${new Secret('key-that-a-venue-repeats').reveal()}`;

/** Nobody wants to wait as long as a start does. */
const quick = { after: (ms: number, task: () => void) => clock.background.after(ms / 10, task) };

async function way(answer?: (ask: Ask) => Promise<{ status: number; body: object }>) {
  const folder = await mkdtemp(join(tmpdir(), 'bookend-link-'));
  ends.push(async () => await rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'trader');
  const serve = async () => {
    const board = new StateBoard(clock.steady());
    const end = new TraderEnd(board);
    const words: FromTrader[] = [];
    end.onDone = (word) => void words.push(word);
    await end.listen(path);
    ends.push(() => end.close());
    return { board, end, words };
  };
  const link = new HttpLink({
    path,
    view: (pick) => picked(stateView(), pick),
    metrics: createMetrics({ version: '1' }),
    events: new RecentEvents(),
    tickAgeMs: () => 5,
    answer: answer ?? (async () => await Promise.resolve({ status: 200, body: {} })),
    timers: { after: clock.after, background: quick },
  });
  ends.push(() => link.close());
  return { serve, link };
}

describe('a trader', () => {
  it('is shown as soon as somebody serves it, and again after that one was begun anew', async () => {
    const { serve } = await way();
    const first = await serve();
    await eventually('the state', () => (first.board.state({}).kind === 'ok' ? true : undefined));
    first.end.close();
    const second = await serve();
    await eventually('the state again', () =>
      second.board.state({}).kind === 'ok' ? true : undefined,
    );
    await eventually('its series', () =>
      second.board.counted()?.includes('bookend_build_info') ? true : undefined,
    );
    expect(second.board.pulse().status).toBe('alive');
  });

  it('hears where it is served, or that it cannot be', async () => {
    const one = await way();
    const { end } = await one.serve();
    end.onServed({ kind: 'at', address: 'http://127.0.0.1:1' });
    expect(await one.link.served()).toBe('http://127.0.0.1:1');
    const other = await way();
    const refused = await other.serve();
    refused.end.onServed({ kind: 'fault', detail: '127.0.0.1:1 is in use' });
    await expect(other.link.served()).rejects.toMatchObject({ code: 'http.listen' });
  });

  it('hears of a port that was taken and is free by now as of any other', async () => {
    const { serve, link } = await way();
    const { end } = await serve();
    end.onServed({ kind: 'fault', detail: '127.0.0.1:1 is in use' });
    const served = link.served().catch((error: unknown) => error);
    await eventually('the trader', () => (end.isConnected ? true : undefined));
    end.onServed({ kind: 'at', address: 'http://127.0.0.1:1' });
    expect(await served).toBe('http://127.0.0.1:1');
  });

  it('waits for no longer than it is told for a word of where it is served', async () => {
    const { link } = await way();
    expect(await link.served(20)).toBeUndefined();
  });

  it('hears where it is served long behind anybody who waited for it', async () => {
    const { serve, link } = await way();
    expect(await link.served(20)).toBeUndefined();
    const { end } = await serve();
    end.onServed({ kind: 'at', address: 'http://127.0.0.1:1' });
    expect(await link.servedAtLast()).toBe('http://127.0.0.1:1');
  });

  it('takes up what it is asked before it is done with it', async () => {
    const { serve } = await way(
      async ({ kind }) =>
        await Promise.resolve({ status: 200, body: { kind, tookMs: 4711, detail: ECHO } }),
    );
    const { end, words } = await serve();
    await eventually('the trader', () => (end.isConnected ? true : undefined));
    end.say({ kind: 'ask', id: 7, ask: { kind: 'pause', by: 'me' } });
    await eventually('the answer', () => (words.length === 2 ? true : undefined));
    expect(words).toEqual([
      { kind: 'taken', id: 7 },
      // The process that shows it knows no secret of the venue.
      {
        ...{ kind: 'done', id: 7, status: 200 },
        body: { kind: 'pause', tookMs: 4711, detail: 'refused: [secret]' },
      },
    ]);
  });
});

describe('words on the way', () => {
  it('are those that were said, whatever a venue calls its markets', () => {
    const forged = '{"kind":"done","id":1,"status":200,"body":{"confirmed":true}}';
    const marketId = `m-1\n${forged}\nmarket\tm-2`;
    const posted = { kind: 'market', marketId, json: '{}' } as const;
    const heard: unknown[] = [];
    lineReader((line) => heard.push(readFromTrader(line)))(toLine({ kind: 'posted', posted }));
    expect(heard).toEqual([{ kind: 'posted', posted }]);
  });

  it('are the same behind it, in whatever pieces they come', () => {
    const words: FromTrader[] = [
      { kind: 'taken', id: 1 },
      { kind: 'posted', posted: { kind: 'head', tickAgeMs: undefined, json: '{"a":"\\n\\t"}' } },
      { kind: 'posted', posted: { kind: 'head', tickAgeMs: 12, json: '{}' } },
      { kind: 'posted', posted: { kind: 'order', marketIds: ['a', 'b'] } },
      { kind: 'posted', posted: { kind: 'market', marketId: 'a', json: '{"t":"x\\ty"}' } },
      { kind: 'posted', posted: { kind: 'names', names: ['n'] } },
      { kind: 'posted', posted: { kind: 'series', name: 'n', text: 'n 1\nn 2' } },
    ];
    const text = words.map(toLine).join('');
    const heard: unknown[] = [];
    const read = lineReader((line) => heard.push(readFromTrader(line)));
    for (const letter of text) read(letter);
    expect(heard).toEqual(words);
  });

  it('have a bound', () => {
    const read = lineReader(() => {});
    expect(() => read('x'.repeat(16_000_001))).toThrow('a line has no end');
  });

  it('carry settings whole, with what is absent on purpose', () => {
    const source = { file: 'x.yaml', env: {}, strategies: new Map() };
    const { controlToken: _, ...settings } = parseSettings('markets: []', source);
    expect(readSettings(settingsText(settings))).toStrictEqual(settings);
  });
});

const AT: Served = { kind: 'at', address: 'http://127.0.0.1:9464' };

describe('a port that is taken', () => {
  it('is listened on when it is free, and told at first and then', async () => {
    const answers: Served[] = ['one', 'two', 'three'].map((detail) => ({ kind: 'fault', detail }));
    const waits: number[] = [];
    const timers = {
      after: (ms: number, task: () => void) => {
        waits.push(ms);
        queueMicrotask(task);
        return () => {};
      },
    };
    const told: Served[] = [];
    const listen = async () => await Promise.resolve(answers.shift() ?? AT);
    await listenAtLast(listen, timers, (served) => told.push(served));
    expect(told).toEqual([{ kind: 'fault', detail: 'one' }, AT]);
    expect(waits).toEqual([2_000, 2_000, 2_000]);
  });
});
