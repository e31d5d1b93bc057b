import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/clock/system.ts';
import { VirtualClock } from '../../../../src/clock/virtual.ts';
import type { Market } from '../../../../src/domain/market.ts';
import { shares, sharesNumber } from '../../../../src/domain/shares.ts';
import { priceNumber, tickGrid, ticks } from '../../../../src/domain/ticks.ts';
import { unixMs } from '../../../../src/domain/time.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { openRecording, type Recording } from '../../../../src/paper/crowd/recording.ts';
import {
  type Replay,
  type ReplayOptions,
  startReplay,
} from '../../../../src/paper/crowd/replay.ts';
import { usdcOf } from '../../../../src/paper/exchange/amounts.ts';
import type { Desk } from '../../../../src/paper/exchange/desk.ts';
import { DeskDouble } from '../../../support/desk-double.ts';
import { realDesk } from '../../../support/real-desk.ts';
import {
  eventMeta,
  frame,
  hasRecordings,
  type Line,
  NO,
  RECORDINGS,
  type RecordingName,
  recordingPath,
  TempRecordings,
  YES,
} from '../../../support/temp-recording.ts';

const files = new TempRecordings();
afterAll(() => files.remove());

const FAST = { speed: Number.POSITIVE_INFINITY, fromTs: 'beginning' } as const;

/** Sizes by token, side and price as a plain reading of the frames has them. */
type Books = Map<string, number>;

/** An independent reconstruction: nothing of it is shared with what it checks. */
function applyLine(books: Books, line: string): void {
  const json = JSON.parse(line);
  if (json.type === 'orderbook.delta') {
    const key = `${json.marketId} ${json.side} ${json.price}`;
    if (json.size === 0) books.delete(key);
    else books.set(key, json.size);
  }
  if (json.type !== 'orderbook.snapshot') return;
  for (const key of [...books.keys()]) if (key.startsWith(json.marketId)) books.delete(key);
  for (const { price, size } of json.levels.bids) books.set(`${json.marketId} bid ${price}`, size);
  for (const { price, size } of json.levels.asks) books.set(`${json.marketId} ask ${price}`, size);
}

function booksOf(lines: readonly string[]): Books {
  const books: Books = new Map();
  for (const line of lines) applyLine(books, line);
  return books;
}

/** What the desk shows to everybody, in the same form. */
function shownBy(desk: Desk): Books {
  const shown: Books = new Map();
  for (const { grid, markets } of desk.events()) {
    for (const { tokenId } of markets.flatMap(({ yes, no }) => [yes, no])) {
      for (const side of ['bid', 'ask'] as const) {
        for (const { price, size } of desk.levels(tokenId, side)) {
          shown.set(`${tokenId} ${side} ${priceNumber(grid, price)}`, sharesNumber(size));
        }
      }
    }
  }
  return shown;
}

async function firstLines(path: string, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input })) {
    lines.push(line);
    if (lines.length >= count) break;
  }
  return lines;
}

/** Moves virtual time on in small steps, with turns of the real event loop for reading files. */
async function runVirtually(clock: VirtualClock, durationMs: number, stepMs = 25): Promise<void> {
  const untilMs = clock.nowMs() + durationMs;
  while (clock.nowMs() < untilMs) {
    await realTurn();
    clock.advance(Math.min(stepMs, untilMs - clock.nowMs()));
  }
  await realTurn();
}

/** Moves virtual time on until something holds, within reason. */
async function runUntil(clock: VirtualClock, holds: () => boolean): Promise<void> {
  for (let step = 0; step < 2_000; step += 1) {
    if (holds()) return;
    await runVirtually(clock, 10, 10);
  }
  throw new Error('it never came to hold');
}

/** Time for a read of a file and what follows from it. */
async function realTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1));
}

async function playing(replay: Replay): Promise<void> {
  while (replay.progress().state === 'rebuilding') await realTurn();
}

async function madeUp(
  lines: readonly Line[],
  options: Partial<ReplayOptions> = {},
  meta = eventMeta(),
) {
  const recording = await openRecording(files.write(lines, meta));
  const clock = new VirtualClock({ startMs: 1_700_000_000_000 });
  const desk = new DeskDouble(clock, recording.events);
  const replay = startReplay(desk, recording, { timers: clock, speed: 1, ...options });
  await playing(replay);
  return { recording, clock, desk, replay, market: marketOf(recording) };
}

function marketOf(recording: Recording): Market {
  const market = recording.events[0]?.markets[0];
  if (!market) throw new Error('the recording has a market');
  return market;
}

describe.skipIf(!hasRecordings())('a replay of a real recording', () => {
  const CASES: readonly (readonly [RecordingName, number])[] = [
    ['betfair-cricket-2022', 33_094],
    ['betfair-horse-place-2021', 40_000],
    ['betfair-greyhound-win-2022', 8_141],
    ['polymarket-bbo-2026-07', 30_000],
    ['loadtest-binance-2024', 30_000],
  ];

  it('is shown for every recording there is', () => {
    expect(CASES.map(([name]) => name)).toEqual(RECORDINGS);
  });

  it.each(CASES)('leaves exactly the books of its frames: %s, %i of them', async (name, count) => {
    const lines = await firstLines(recordingPath(name), count);
    const recording = await openRecording(copyOf(name, lines));
    const clock = systemClock();
    const desk = new DeskDouble(clock, recording.events);
    const progress = await startReplay(desk, recording, { timers: clock, ...FAST }).finished;
    expect(progress).toMatchObject({ state: 'done', framesApplied: lines.length, badLines: 0 });
    expect(shownBy(desk)).toEqual(booksOf(lines));
    const trades = lines.filter((line) => line.includes('"trade.executed"'));
    expect(desk.prints).toHaveLength(trades.length);
  });

  it.each(['betfair-cricket-2022', 'betfair-horse-place-2021'] as const)(
    'has the books of all that went before when it starts in the dense part: %s',
    async (name) => {
      const recording = await openRecording(recordingPath(name));
      const clock = new VirtualClock({ startMs: 1_700_000_000_000 });
      const { desk } = realDesk(clock, recording.events);
      const replay = startReplay(desk, recording, { timers: clock, speed: 20 });
      await playing(replay);
      for (let check = 0; check < 5; check += 1) {
        await runVirtually(clock, 400);
        const { framesRebuilt, framesApplied, recordedAtMs } = replay.progress();
        expect(recordedAtMs).toBeGreaterThanOrEqual(recording.startsAtMs ?? Number.NaN);
        const lines = await firstLines(recordingPath(name), framesRebuilt + framesApplied);
        expect(shownBy(desk)).toEqual(booksOf(lines));
      }
      expect(replay.progress().framesApplied).toBeGreaterThan(20);
      await replay.stop();
      expect(replay.progress().state).toBe('stopped');
    },
  );

  it('fills quotes that join the recorded book, on both sides, and adds them to it', async () => {
    const recording = await openRecording(recordingPath('betfair-cricket-2022'));
    const clock = new VirtualClock({ startMs: 1_700_000_000_000 });
    const { exchange, desk } = realDesk(clock, recording.events);
    const { id, yes, no } = marketOf(recording);
    const replay = startReplay(desk, recording, { timers: clock, speed: 50 });
    await playing(replay);
    await runVirtually(clock, 2_000);
    desk.fund('ours', usdc(10_000));
    desk.mintSets('ours', id, shares(1_000));
    const join = (side: 'bid' | 'ask') => {
      const [best] = desk.levels(yes.tokenId, side);
      if (!best) throw new Error('the recorded book has two sides here');
      const order = { tokenId: yes.tokenId, price: best.price, quantity: shares(20) };
      const common = { ...order, timeInForce: 'GTC' } as const;
      desk.place('ours', { ...common, side: side === 'bid' ? 'BUY' : 'SELL' });
      const [joined] = desk.levels(yes.tokenId, side);
      expect(joined).toEqual({ price: best.price, size: best.size + shares(20) });
    };
    join('bid');
    join('ask');
    const account = exchange.accounts.find('ours');
    if (!account) throw new Error('our account is open');
    await runUntil(clock, () => exchange.openOrders(account).every((o) => o.restingMicro() === 0));
    await replay.stop();
    await runVirtually(clock, 25_000, 1_000);
    // What was bought and what was sold make up for each other, but for the cash between.
    expect(account.holding(yes.tokenId).settledMicro).toBe(shares(1_000));
    expect(account.holding(no.tokenId).settledMicro).toBe(shares(1_000));
    expect(usdcOf(account.cashNano).minus(9_000).toNumber()).toBeGreaterThan(0);
  });

  it('settles the market at the end as it settled', async () => {
    const recording = await openRecording(recordingPath('betfair-greyhound-win-2022'));
    const clock = systemClock();
    const desk = new DeskDouble(clock, recording.events);
    await startReplay(desk, recording, { timers: clock, ...FAST }).finished;
    expect(desk.resolved).toEqual(recording.winners);
  });
});

/** The first lines of a real recording as a recording of its own. */
function copyOf(name: RecordingName, lines: readonly string[]): string {
  return files.write(lines, readFileSync(recordingPath(name, '.meta.json'), 'utf8'));
}

describe('the pace of a replay', () => {
  const lines = [0, 100, 100, 400, 60_400, 60_500].map((ts, index) =>
    frame.delta(ts, 'bid', (10 + index) / 100, 5),
  );

  it.each([
    { speed: 1, expected: [1, 3, 4, 4, 6] },
    { speed: 2, expected: [1, 4, 4, 4, 6] },
    { speed: 0.5, expected: [1, 3, 3, 4, 5] },
  ])('follows the frames and cuts long silences, at speed $speed', async ({ speed, expected }) => {
    const { clock, replay } = await madeUp(lines, { speed });
    const seen: number[] = [];
    for (const durationMs of [40, 160, 300, 1_600, 700]) {
      await runVirtually(clock, durationMs);
      seen.push(replay.progress().framesApplied);
    }
    expect(seen).toEqual(expected);
    await replay.stop();
  });

  it('cuts silences to what it is told', async () => {
    const { clock, replay } = await madeUp(lines, { silenceMsMax: 50 });
    await runVirtually(clock, 230);
    expect(await replay.finished).toMatchObject({ state: 'done', framesApplied: 6 });
  });

  it('holds while paused, and goes on from there without making up for it', async () => {
    const { clock, replay } = await madeUp(lines);
    await runVirtually(clock, 50);
    replay.pause();
    await runVirtually(clock, 5_000);
    expect(replay.progress()).toMatchObject({ state: 'paused', framesApplied: 1 });
    replay.resume();
    await runVirtually(clock, 20);
    expect(replay.progress()).toMatchObject({ state: 'playing', framesApplied: 3 });
    await runVirtually(clock, 250);
    expect(replay.progress().framesApplied).toBe(3);
    await runVirtually(clock, 60);
    expect(replay.progress().framesApplied).toBe(4);
    await replay.stop();
  });

  it('can be stopped while it waits and while it is paused', async () => {
    for (const isPaused of [false, true]) {
      const { clock, replay } = await madeUp(lines);
      await runVirtually(clock, 150);
      if (isPaused) replay.pause();
      await runVirtually(clock, 500);
      await replay.stop();
      expect((await replay.finished).state).toBe('stopped');
      expect(clock.close()).toBe(0);
    }
  });

  it('gives up lost time instead of making up for it in a rush', async () => {
    const steady = Array.from({ length: 100 }, (_, index) =>
      frame.delta(index * 100, 'bid', 0.5, index + 1),
    );
    const { clock, replay } = await madeUp(steady);
    await runVirtually(clock, 1_000);
    const before = replay.progress().framesApplied;
    clock.advance(5_000);
    await runVirtually(clock, 200);
    expect(replay.progress().framesApplied - before).toBeLessThan(15);
    expect(replay.progress().lostMs).toBeGreaterThan(3_000);
    await replay.stop();
  });

  it('refuses to run backwards', async () => {
    await expect(madeUp(lines, { speed: -1 })).rejects.toThrow(/forwards/);
    await expect(madeUp(lines, { speed: 0 })).rejects.toThrow(/forwards/);
  });

  it('lets the event loop breathe in a burst of frames of one moment', async () => {
    const burst = Array.from({ length: 20_000 }, (_, index) =>
      frame.delta(1, 'bid', 0.5, index + 1),
    );
    const recording = await openRecording(files.write(burst));
    const clock = systemClock();
    const desk = new DeskDouble(clock, recording.events);
    let turns = 0;
    const beat = setInterval(() => {
      turns += 1;
    }, 1);
    const progress = await startReplay(desk, recording, { timers: clock, ...FAST }).finished;
    clearInterval(beat);
    expect(progress.framesApplied).toBe(20_000);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('frames on the exchange', () => {
  it('pause, reopen and resolve a market, once for both tokens', async () => {
    const lines = [
      frame.status(1, 'PAUSE'),
      frame.status(1, 'PAUSE', NO),
      frame.status(2, 'OPEN'),
      frame.status(2, 'OPEN', NO),
      frame.status(3, 'RESOLVED', NO),
      frame.status(3, 'RESOLVED'),
    ];
    const { clock, desk, market } = await madeUp(lines);
    await runVirtually(clock, 50);
    expect(desk.statuses.map(({ status }) => status)).toEqual(['paused', 'open']);
    expect([...desk.resolved]).toEqual([[market.id, YES]]);
  });

  it('close a market whose winner nobody knows, at its resolution and at the end', async () => {
    for (const lines of [[frame.status(1, 'RESOLVED')], [frame.delta(1, 'bid', 0.5, 1)]]) {
      const { clock, desk } = await madeUp(lines, {}, eventMeta({ winningTokenIds: [] }));
      await runVirtually(clock, 50);
      expect(desk.statuses.map(({ status }) => status)).toEqual(['closed']);
      expect(desk.resolved.size).toBe(0);
    }
  });

  it('print trades, and take nothing off the levels for them', async () => {
    const { clock, desk, market } = await madeUp([
      frame.snapshot(1, [[0.4, 10]], [[0.5, 10]]),
      frame.trade(1, 0.5, 4),
    ]);
    await runVirtually(clock, 50);
    const tokenId = market.yes.tokenId;
    expect(desk.prints).toEqual([{ tokenId, price: 50, size: 4_000_000, takerSide: 'BUY' }]);
    expect(desk.levels(tokenId, 'ask')).toEqual([{ price: 50, size: 10_000_000 }]);
  });

  it('change only what a later snapshot changes, and never cross the book on the way', async () => {
    const { clock, desk, market } = await madeUp([
      frame.snapshot(
        1,
        [
          [0.4, 10],
          [0.39, 5],
        ],
        [
          [0.41, 10],
          [0.5, 3],
        ],
      ),
      frame.snapshot(
        2,
        [
          [0.45, 7],
          [0.39, 5],
        ],
        [
          [0.46, 2],
          [0.5, 4],
        ],
      ),
    ]);
    const tops: string[] = [];
    const set = desk.setRecordedLevel.bind(desk);
    desk.setRecordedLevel = (tokenId, side, price, size) => {
      set(tokenId, side, price, size);
      const [bid] = desk.levels(tokenId, 'bid');
      const [ask] = desk.levels(tokenId, 'ask');
      if (bid && ask && bid.price >= ask.price) tops.push(`${bid.price} >= ${ask.price}`);
    };
    await runVirtually(clock, 50);
    expect(tops).toEqual([]);
    // Four levels laid, then 0.40 and 0.41 taken off, 0.45, 0.46 and 0.50 set; 0.39 stays.
    expect(desk.recordedChanges).toBe(4 + 5);
    expect(desk.levels(market.yes.tokenId, 'bid').map((level) => level.price)).toEqual([45, 39]);
  });

  it('are built in silence up to the start: no trade of the past, no status but the last', async () => {
    const { clock, desk, replay, market } = await madeUp(
      [
        frame.snapshot(1, [[0.4, 10]], [[0.5, 10]]),
        frame.status(2, 'PAUSE'),
        frame.trade(3, 0.5, 4),
        frame.delta(4, 'bid', 0.41, 8),
        frame.status(5, 'OPEN'),
        frame.status(6, 'PAUSE'),
        frame.delta(10_000, 'bid', 0.42, 1),
        frame.delta(99_000, 'bid', 0.43, 1),
      ],
      { fromTs: unixMs(10_000) },
    );
    await runVirtually(clock, 50);
    expect(replay.progress()).toMatchObject({ framesRebuilt: 6, framesApplied: 1 });
    expect(desk.prints).toEqual([]);
    expect(desk.statuses.map(({ status }) => status)).toEqual(['paused']);
    const bids = desk.levels(market.yes.tokenId, 'bid').map((level) => level.price);
    expect(bids).toEqual([42, 41, 40]);
    await replay.stop();
  });

  it('are laid even where all of them lie before the start', async () => {
    const lines = [frame.snapshot(1, [[0.4, 10]], [])];
    const { clock, desk, replay, market } = await madeUp(lines, { fromTs: unixMs(9_999) });
    await runVirtually(clock, 50);
    expect(await replay.finished).toMatchObject({
      state: 'done',
      framesRebuilt: 1,
      framesApplied: 0,
    });
    expect(desk.levels(market.yes.tokenId, 'bid')).toHaveLength(1);
  });

  it('drop recorded size that was there before', async () => {
    const recording = await openRecording(files.write([frame.delta(1, 'bid', 0.4, 1)]));
    const clock = new VirtualClock();
    const desk = new DeskDouble(clock, recording.events);
    const { tokenId } = marketOf(recording).yes;
    desk.setRecordedLevel(tokenId, 'bid', ticks(tickGrid('0.01'), 77), shares(1));
    await startReplay(desk, recording, { timers: clock, speed: 1 }).finished;
    expect(desk.levels(tokenId, 'bid').map((level) => level.price)).toEqual([40]);
  });
});

describe('a replay that loops', () => {
  const lines = [
    frame.snapshot(1_000, [[0.4, 10]], [[0.5, 10]]),
    frame.delta(1_100, 'bid', 0.41, 8),
    frame.status(1_200, 'RESOLVED'),
    frame.delta(1_300, 'ask', 0.5, 0),
  ];

  it('starts over after a pause, resolves nothing and forgets the round before', async () => {
    const { clock, desk, replay, market } = await madeUp(lines, { loop: true });
    await runUntil(clock, () => replay.progress().rounds === 1);
    const endedAtMs = clock.nowMs();
    expect(replay.progress().framesApplied).toBe(4);
    expect(desk.statuses.map(({ status }) => status)).toEqual(['paused']);
    await runUntil(clock, () => replay.progress().framesApplied === 5);
    expect(clock.nowMs() - endedAtMs).toBeGreaterThanOrEqual(1_990);
    expect(desk.statuses.map(({ status }) => status)).toEqual(['paused', 'open']);
    expect(desk.levels(market.yes.tokenId, 'bid').map((level) => level.price)).toEqual([40]);
    await runUntil(clock, () => replay.progress().rounds === 3);
    expect(desk.resolved.size).toBe(0);
    await replay.stop();
    expect(clock.close()).toBe(0);
  });

  it('never rushes round an empty recording', async () => {
    const { clock, replay } = await madeUp([], { loop: true });
    await runVirtually(clock, 10_000, 100);
    expect(replay.progress().rounds).toBeLessThanOrEqual(6);
    await replay.stop();
  });
});

describe('trouble in a recording', () => {
  it('is counted line by line, with the first few as examples', async () => {
    const bad = Array.from({ length: 30 }, (_, index) => `nonsense ${index}`);
    const good = Array.from({ length: 50 }, (_, ts) => frame.delta(ts, 'bid', 0.5, ts + 1));
    const { clock, desk, replay, market } = await madeUp([...bad, ...good]);
    await runVirtually(clock, 200);
    const progress = await replay.finished;
    expect(progress).toMatchObject({ state: 'done', badLines: 30, framesApplied: 50 });
    expect(progress.badLineExamples).toHaveLength(10);
    expect(progress.badLineExamples[0]).toMatch(/^line 1: /);
    expect(desk.levels(market.yes.tokenId, 'bid')).toEqual([{ price: 50, size: 50_000_000 }]);
  });

  it('that cannot be read on ends it as failed, and closes its markets, since a frozen book invites quotes', async () => {
    const good = Array.from({ length: 40_000 }, (_, ts) => frame.delta(ts, 'bid', 0.5, ts + 1));
    const path = files.write(good);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    const recording = await openRecording(path);
    const clock = systemClock();
    const desk = new DeskDouble(clock, recording.events);
    const progress = await startReplay(desk, recording, { timers: clock, ...FAST }).finished;
    expect(progress.state).toBe('failed');
    expect(progress.failure?.code).toBe('replay.file');
    expect(progress.failure?.message).toContain(path);
    expect(progress.framesApplied).toBeGreaterThan(1_000);
    expect(desk.levels(marketOf(recording).yes.tokenId, 'bid')).toHaveLength(1);
    expect(desk.statuses.map(({ status }) => status)).toEqual(['closed']);
  });

  it('in the exchange is a fault of ours and is not taken for the file’s', async () => {
    const recording = await openRecording(files.write([frame.delta(1, 'bid', 0.4, 1)]));
    const clock = systemClock();
    const desk = new DeskDouble(clock, recording.events);
    desk.setRecordedLevel = () => {
      throw new Error('the exchange broke');
    };
    const replay = startReplay(desk, recording, { timers: clock, ...FAST });
    await expect(replay.finished).rejects.toThrow('the exchange broke');
  });
});
