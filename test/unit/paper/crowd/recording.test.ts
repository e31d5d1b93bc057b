import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { BotError } from '../../../../src/domain/errors.ts';
import type { RecordedFrame } from '../../../../src/paper/crowd/recorded-frame.ts';
import { openRecording, type Recording } from '../../../../src/paper/crowd/recording.ts';
import {
  eventMeta,
  frame,
  hasRecordings,
  NO,
  recordingPath,
  TempRecordings,
  YES,
} from '../../../support/temp-recording.ts';

const files = new TempRecordings();
afterAll(() => files.remove());

async function readAll(recording: Recording) {
  const frames: RecordedFrame[] = [];
  const badLines: string[] = [];
  for await (const batch of recording.batches()) {
    frames.push(...batch.frames);
    badLines.push(...batch.badLines);
  }
  return { frames, badLines };
}

async function failureOf(act: () => Promise<unknown>): Promise<BotError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof BotError) return error;
  }
  throw new Error('it did not fail as it should');
}

const MINUTE_MS = 60_000;

function phases(...each: readonly [atMs: number, status: string][]) {
  return each.map(([ts, status]) => ({ ts, status, inPlay: false }));
}

describe('a recording of one event', () => {
  it('lists the event with tokens by outcome index, open and without a date of the past', async () => {
    const recording = await openRecording(files.write([], eventMeta()));
    expect(recording.events).toHaveLength(1);
    expect(recording.events[0]).toMatchObject({
      id: 'event-1',
      slug: 'rain',
      status: 'open',
      expiryAtMs: undefined,
      grid: { tickSize: '0.01' },
    });
    const [market] = recording.events[0]?.markets ?? [];
    expect(market?.yes.tokenId).toBe(YES);
    expect(market?.no.tokenId).toBe(NO);
    expect(market?.title).toBe('market-1');
    expect([...recording.winners]).toEqual([['market-1', YES]]);
  });

  it('knows no winner where nothing settled', async () => {
    const recording = await openRecording(files.write([], eventMeta({ winningTokenIds: [] })));
    expect(recording.winners.size).toBe(0);
  });

  it('reads every kind of frame into domain values', async () => {
    const lines = [
      frame.snapshot(1_000, [[0.29, 10.5]], [[0.31, 7]]),
      frame.delta(1_001, 'ask', 0.31, 0),
      frame.trade(1_002, 0.29, 0.000001, 'SELL', NO),
      frame.status(1_003, 'PAUSE'),
    ];
    const { frames, badLines } = await readAll(await openRecording(files.write(lines)));
    expect(badLines).toEqual([]);
    expect(frames).toEqual([
      {
        kind: 'snapshot',
        atMs: 1_000,
        tokenId: YES,
        bids: [{ price: 29, size: 10_500_000 }],
        asks: [{ price: 31, size: 7_000_000 }],
      },
      { kind: 'delta', atMs: 1_001, tokenId: YES, side: 'ask', price: 31, size: 0 },
      { kind: 'trade', atMs: 1_002, tokenId: NO, price: 29, size: 1, takerSide: 'SELL' },
      { kind: 'status', atMs: 1_003, tokenId: YES, status: 'paused' },
    ]);
  });

  it('reads every price of both grids exactly', async () => {
    for (const unit of [100, 1_000]) {
      const counts = Array.from({ length: unit - 1 }, (_, index) => index + 1);
      const lines = counts.map((count) =>
        frame.delta(1, 'bid', Number((count / unit).toFixed(3)), count / 100),
      );
      const { event } = eventMeta() as { event: object };
      const meta = eventMeta({ event: { ...event, tickSize: String(1 / unit) } });
      const { frames } = await readAll(await openRecording(files.write(lines, meta)));
      const read = frames.map((each) => (each.kind === 'delta' ? [each.price, each.size] : []));
      expect(read).toEqual(counts.map((count) => [count, count * 10_000]));
    }
  });

  it('reads an unpacked file, one without a last line end, and lines that chunks cut', async () => {
    const lines = Array.from({ length: 5_000 }, (_, ts) => frame.delta(ts, 'bid', 0.5, ts));
    const text = lines.map((each) => JSON.stringify(each)).join('\n');
    for (const suffix of ['.ndjson', '.ndjson.gz']) {
      const bytes = suffix === '.ndjson' ? Buffer.from(text) : gzipSync(text);
      const path = files.writeRaw(bytes, JSON.stringify(eventMeta()), suffix);
      const { frames, badLines } = await readAll(await openRecording(path));
      expect(badLines).toEqual([]);
      expect(frames.map((each) => each.atMs)).toEqual(lines.map((_, ts) => ts));
    }
  });
});

describe('how much of a recording is read', () => {
  it('climbs to all of it, packed or not, for one whose end no meta file says', async () => {
    // Sizes that pack badly, as those of a market do.
    const size = (ts: number) => (ts * 7_919) % 99_991;
    const lines = Array.from({ length: 80_000 }, (_, ts) => frame.delta(ts, 'bid', 0.5, size(ts)));
    const text = lines.map((each) => JSON.stringify(each)).join('\n');
    for (const suffix of ['.ndjson', '.ndjson.gz']) {
      const bytes = suffix === '.ndjson' ? Buffer.from(text) : gzipSync(text);
      const recording = await openRecording(
        files.writeRaw(bytes, JSON.stringify(eventMeta()), suffix),
      );
      expect(recording.endsAtMs).toBeUndefined();
      const parts: number[] = [];
      const played: number[] = [];
      for await (const { frames, readPart } of recording.batches()) {
        parts.push(readPart);
        played.push(Number(frames.at(-1)?.atMs) / lines.length);
      }
      expect(parts).toEqual(parts.toSorted((a, b) => a - b));
      expect(parts.at(-1)).toBe(1);
      for (const [at, part] of parts.entries()) {
        expect(Math.abs(part - Number(played[at]))).toBeLessThan(0.4);
      }
    }
  });
});

describe('the start of a recording', () => {
  it.each([
    {
      name: 'the last reopening ten minutes or more before the end',
      phases: phases([0, 'OPEN'], [1, 'SUSPENDED'], [2, 'OPEN'], [5 * MINUTE_MS, 'OPEN']),
      lastTs: 12 * MINUTE_MS,
      expected: 2,
    },
    {
      name: 'the beginning without a reopening',
      phases: phases([0, 'OPEN'], [10, 'CLOSED']),
      lastTs: 60 * MINUTE_MS,
      expected: undefined,
    },
    {
      name: 'the beginning where every reopening is late',
      phases: phases([0, 'OPEN'], [1, 'SUSPENDED'], [4 * MINUTE_MS, 'OPEN']),
      lastTs: 12 * MINUTE_MS,
      expected: undefined,
    },
  ])('is $name', async ({ phases: each, lastTs, expected }) => {
    const meta = eventMeta({ phases: each, lastTs });
    const recording = await openRecording(files.write([], meta));
    expect(recording.startsAtMs).toBe(expected);
    expect(recording.endsAtMs).toBe(lastTs);
  });
});

describe('a recording of many events', () => {
  const token = (index: number) => `0x${String(index).padStart(64, '0')}`;
  const meta = {
    markets: [3, 1, 2].map((changes, index) => ({
      slug: `market-${index}`,
      title: `Title ${index}`,
      category: 'sports',
      tickSize: index === 0 ? '0.01' : '0.001',
      yesTokenId: token(2 * index + 1),
      noTokenId: token(2 * index + 2),
      resolvedYes: index === 0 ? 1 : 0,
      quoteChanges: changes,
    })),
  };
  const lines = [0, 1, 2].map((index) => frame.delta(1, 'bid', 0.5, 10, token(2 * index + 1)));

  it('lists each with its own grid, and who won', async () => {
    const recording = await openRecording(files.write(lines, meta));
    expect(recording.events.map((event) => [event.slug, event.grid.tickSize])).toEqual([
      ['market-0', '0.01'],
      ['market-2', '0.001'],
      ['market-1', '0.001'],
    ]);
    expect(recording.marketsLeftOut).toBe(0);
    const winners = recording.events.map(({ markets: [market] }) =>
      market && recording.winners.get(market.id) === market.yes.tokenId ? 'yes' : 'no',
    );
    expect(winners).toEqual(['yes', 'no', 'no']);
  });

  it('can be held to the most active markets; frames of the others are passed over', async () => {
    const recording = await openRecording(files.write(lines, meta), { marketsMax: 2 });
    expect(recording.events.map((event) => event.slug)).toEqual(['market-0', 'market-2']);
    expect(recording.marketsLeftOut).toBe(1);
    const { frames, badLines } = await readAll(recording);
    expect(frames).toHaveLength(2);
    expect(badLines).toEqual([]);
  });

  it('holds an event of several markets to its first ones', async () => {
    const tokens = [1, 2, 3].map((index) => ({ tokenId: token(index), book: `BOOK-${index}` }));
    const recording = await openRecording(files.write([], { tokens }), { marketsMax: 2 });
    expect(recording.events.map((event) => event.markets.length)).toEqual([2]);
    expect(recording.marketsLeftOut).toBe(1);
  });
});

describe('a recording of tokens alone', () => {
  it('is one event on the finest grid, with a NO token of its own for each', async () => {
    const meta = {
      tokens: [
        { tokenId: YES, book: 'A' },
        { tokenId: NO, book: 'B' },
      ],
    };
    const path = files.write([], meta);
    const [first, again] = [await openRecording(path), await openRecording(path)];
    expect(first.events).toEqual(again.events);
    const markets = first.events[0]?.markets ?? [];
    expect(markets.map((market) => market.yes.tokenId)).toEqual([YES, NO]);
    expect(new Set(markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId])).size).toBe(4);
    expect(first.events[0]?.grid.tickSize).toBe('0.001');
  });
});

describe('lines that are no frames', () => {
  it.each([
    ['{"type":', 'JSON'],
    ['[1,2]', 'not an object'],
    ['{"type":"orderbook.delta"}', 'names no token'],
    [JSON.stringify(frame.delta(1, 'bid', 0.5, 1, '0xdead')), '0xdead of no market'],
    [JSON.stringify(frame.delta(1, 'middle', 0.5, 1)), 'neither bid nor ask'],
    [JSON.stringify(frame.delta(1, 'bid', 0.505, 1)), '0.505 on 0.01'],
    [JSON.stringify(frame.delta(1, 'bid', 1, 1)), '1 on 0.01'],
    [JSON.stringify(frame.delta(1, 'bid', 0.5, -1)), 'micro-shares'],
    [JSON.stringify(frame.delta(1, 'bid', 0.5, 0.0000001)), 'micro-shares'],
    [JSON.stringify(frame.delta(1.5, 'bid', 0.5, 1)), 'whole milliseconds'],
    [JSON.stringify(frame.trade(1, 0.5, 1, 'HOLD')), 'neither BUY nor SELL'],
    [JSON.stringify(frame.status(1, 'ASLEEP')), 'ASLEEP'],
    [`{"type":"order.update","marketId":"${YES}","ts":1}`, 'order.update'],
    [`{"type":"orderbook.snapshot","marketId":"${YES}","ts":1}`, 'no levels'],
    [
      `{"type":"orderbook.delta","marketId":"${YES}","side":"bid","price":"0.5","size":1,"ts":1}`,
      'price',
    ],
  ])('are counted and passed over: %s', async (line, problem) => {
    const good = frame.delta(5, 'bid', 0.5, 1);
    const { frames, badLines } = await readAll(
      await openRecording(files.write([good, line, good])),
    );
    expect(frames).toHaveLength(2);
    expect(badLines).toHaveLength(1);
    expect(badLines[0]).toMatch(/^line 2: /);
    expect(badLines[0]).toContain(problem);
  });

  it('are no frames of a recording when they are many: file and line are named', async () => {
    const path = files.write(new Array<string>(300).fill('{"hello":"world"}'));
    const failure = await failureOf(async () => readAll(await openRecording(path)));
    expect(failure.code).toBe('replay.file');
    expect(failure.message).toContain(path);
    expect(failure.message).toMatch(/line \d+: names no token/);
  });

  it('are passed over when they are too long, with all that stands behind them played', async () => {
    const good = frame.delta(5, 'bid', 0.5, 1);
    const long = 'x'.repeat(1_200_000);
    const { frames, badLines } = await readAll(
      await openRecording(files.write([good, long, good, long, long, good])),
    );
    expect(frames).toHaveLength(3);
    expect(badLines).toEqual(
      [2, 4, 5].map((line) => `line ${line}: is longer than 262144 characters`),
    );
  });

  it('are passed over when they are the last, without an end', async () => {
    const path = files.writeRaw(
      Buffer.alloc(1_200_000, 'x'),
      JSON.stringify(eventMeta()),
      '.ndjson',
    );
    const { frames, badLines } = await readAll(await openRecording(path));
    expect(frames).toEqual([]);
    expect(badLines).toEqual(['line 1: is longer than 262144 characters']);
  });
});

describe('files that are no recordings', () => {
  it('are refused by their name', async () => {
    const failure = await failureOf(() => openRecording('frames.csv'));
    expect(failure.code).toBe('replay.file');
    expect(failure.message).toContain('frames.csv: must end in .ndjson.gz');
  });

  it('are refused without the meta file, which is named', async () => {
    const path = files.writeRaw(gzipSync(''), undefined);
    const failure = await failureOf(() => openRecording(path));
    expect(failure.code).toBe('replay.file');
    expect(failure.message).toContain(path.replace('.ndjson.gz', '.meta.json'));
  });

  it.each([
    ['no JSON', 'meta'],
    ['no known shape', JSON.stringify({ anything: 1 })],
    [
      'a market without its NO',
      JSON.stringify(eventMeta()).replace('"outcomeIndex":0', '"outcomeIndex":1'),
    ],
    ['a tick of another size', JSON.stringify(eventMeta()).replace('"0.01"', '"0.05"')],
    ['a token id that is no hex text', JSON.stringify(eventMeta()).replace(NO, 'nonsense')],
  ])('are refused with a meta of %s', async (_name, meta) => {
    const failure = await failureOf(() => openRecording(files.write([], meta)));
    expect(failure.code).toBe('replay.file');
    expect(failure.message).toContain('.meta.json: ');
  });

  it.each([
    [
      'event',
      { slug: 'a' },
      { slug: 'a', yesTokenId: '0x3', noTokenId: '0x4' },
      /event a is there/,
    ],
    ['token', { slug: 'a' }, { slug: 'b', yesTokenId: '0x1', noTokenId: '0x4' }, /token 0x1 is/],
    [
      'token of both outcomes',
      { slug: 'a', noTokenId: '0x1' },
      undefined,
      /token 0x1 is there twice/,
    ],
  ])('are refused with one %s of two markets', async (_name, first, second, message) => {
    const usual = {
      title: '',
      category: '',
      tickSize: '0.01',
      yesTokenId: '0x1',
      noTokenId: '0x2',
    };
    const markets = [first, second].flatMap((own) => (own ? [{ ...usual, ...own }] : []));
    await expect(openRecording(files.write([], { markets }))).rejects.toThrow(message);
  });

  it('are refused when they are not there', async () => {
    const path = files.write([]);
    rmSync(path);
    const failure = await failureOf(() => openRecording(path));
    expect(failure.code).toBe('replay.file');
    expect(failure.message).toContain(path);
  });

  it('fail while read when they are not packed or cut off, with the line reached', async () => {
    const meta = JSON.stringify(eventMeta());
    const lines = Array.from({ length: 20_000 }, (_, ts) => frame.delta(ts, 'bid', 0.5, ts));
    const whole = gzipSync(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const plain = files.writeRaw(Buffer.from('plain text'), meta);
    const cutOff = files.writeRaw(whole.subarray(0, whole.length / 2), meta);
    for (const [path, line] of [
      [plain, 'line 1: '],
      [cutOff, /line [1-9]\d{3,}: /],
    ] as const) {
      const failure = await failureOf(async () => readAll(await openRecording(path)));
      expect(failure.code).toBe('replay.file');
      expect(failure.message).toContain(path);
      expect(failure.message).toMatch(line);
    }
  });
});

describe.skipIf(!hasRecordings())('the recordings beside the project', () => {
  it.each([
    ['betfair-cricket-2022', 1, 1, 1, 1_657_537_220_540],
    ['betfair-horse-place-2021', 1, 10, 10, 1_617_118_483_553],
    ['betfair-greyhound-win-2022', 1, 6, 6, undefined],
    ['polymarket-bbo-2026-07', 600, 600, 600, undefined],
    ['loadtest-binance-2024', 1, 6, 0, undefined],
  ] as const)('list their markets: %s', async (name, events, markets, winners, startsAtMs) => {
    const recording = await openRecording(recordingPath(name));
    const listed = recording.events.flatMap((event) => event.markets);
    expect(recording.events).toHaveLength(events);
    expect(listed).toHaveLength(markets);
    expect(recording.winners.size).toBe(winners);
    expect(recording.startsAtMs).toBe(startsAtMs);
    const tokens = listed.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]);
    expect(new Set(tokens).size).toBe(2 * markets);
  });

  it('pays three of ten places and one of six wins', async () => {
    for (const [name, places] of [
      ['betfair-horse-place-2021', 3],
      ['betfair-greyhound-win-2022', 1],
    ] as const) {
      const recording = await openRecording(recordingPath(name));
      const markets = recording.events.flatMap((event) => event.markets);
      const paid = markets.filter(({ id, yes }) => recording.winners.get(id) === yes.tokenId);
      expect(paid).toHaveLength(places);
    }
  });

  it('can be left after a few frames without reading on', async () => {
    const recording = await openRecording(recordingPath('loadtest-binance-2024'));
    let frames = 0;
    for await (const batch of recording.batches()) {
      frames += batch.frames.length;
      if (frames > 1_000) break;
    }
    expect(frames).toBeLessThan(5_000);
  });
});
