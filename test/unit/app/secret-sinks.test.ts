// Secrets that a venue repeats, looked for in what a daemon shows and keeps: metrics, state, answers of the control
// routes, ledger, latch, recording, last words of a crash.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HttpLink } from '../../../src/app/http-link.ts';
import { TraderEnd } from '../../../src/app/http-process.ts';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import { crashText } from '../../../src/cli/crash.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { marketId } from '../../../src/domain/ids.ts';
import { SECRET_MASK } from '../../../src/domain/redact.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { decodeInput } from '../../../src/journal/input-line.ts';
import { latchFile, setLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { openRecorder, recordingFile } from '../../../src/journal/recorder.ts';
import { StateBoard } from '../../../src/telemetry/board.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { eventually } from '../../support/processes.ts';
import { journalIn, RUN_FACTS } from '../journal/support.ts';
import { marketView, picked, stateView } from '../telemetry/views.ts';

const SECRET = 'whsec/9f+Qz7Kx0Lr"2';
/** All digits, as a passphrase may be: numbers that look like it are numbers. */
const DIGITS = '4711081500';
for (const text of [SECRET, DIGITS]) new Secret(text);

const NOW = unixMs(1_800_000_000_000);
const clock = { nowMs: () => NOW };
/** As it is, in JSON, in an address, in base64 and from behind. */
const ECHO = [
  SECRET,
  JSON.stringify({ echo: SECRET }),
  encodeURIComponent(SECRET),
  Buffer.from(`user:${SECRET}`).toString('base64'),
  [...SECRET].reverse().join(''),
].join(' and ');

/** Of each shape a part that is nowhere else. */
const PARTS = [
  ...['9f+Qz7Kx0', '9f%2BQz7Kx0', '0xK7zQ+f9'],
  Buffer.from(`user:${SECRET}`).toString('base64').slice(8, -4),
];

function expectClean(text: string): void {
  for (const part of PARTS) expect(text).not.toContain(part);
  expect(text).toContain(SECRET_MASK);
}

describe('a secret that a venue repeats', () => {
  it('becomes no label of a metric', async () => {
    const metrics = createMetrics({ version: '1' });
    for (let count = 0; count < 2; count += 1) {
      metrics.observer.onFrame(ECHO.slice(0, 60));
      metrics.observer.onRequest({
        ...{ endpoint: 'GET /orders', result: 'refused', durationMs: 5 },
        code: SECRET,
      });
      metrics.observer.onReconnect(`closed by ${SECRET}`);
    }
    const texts = await Promise.all(metrics.names().map(async (name) => await metrics.text(name)));
    const text = texts.join('\n');
    expectClean(text);
    // A text that is no published code makes no series of its own.
    expect(text).toContain('bookend_request_refusals_total{code="other"} 2');
  });

  it('is in no state that another process shows', async () => {
    const path = join(dirname(journalIn()), 'trader');
    const system = systemClock();
    const board = new StateBoard(system.steady());
    const end = new TraderEnd(board);
    await end.listen(path);
    const view = {
      ...{ ...stateView(), phaseReason: `refused: ${ECHO}`, atMs: unixMs(Number(DIGITS)) },
      markets: [{ ...marketView('rain'), title: ECHO }],
    };
    const link = new HttpLink({
      ...{ path, metrics: createMetrics({ version: '1' }), tickAgeMs: () => 5, timers: system },
      view: (pick) => picked(view, pick),
      events: new RecentEvents(),
      answer: async () => await Promise.resolve({ status: 200, body: {} }),
    });
    await eventually('a state', () => board.view());
    link.close();
    end.close();

    const answer = board.state({});
    const state = answer.kind === 'ok' ? answer.json : '';
    expectClean(state);
    expect(JSON.parse(state)).toMatchObject({ atMs: Number(DIGITS) });
  });

  it('is kept in no column of the ledger, in no latch and in no recording', async () => {
    const journal = journalIn();
    const ledger = await openLedger({ path: journal, clock });
    const detail = `the venue said ${ECHO}`;
    ledger.commit([
      { kind: 'halt', halt: { limit: 'account', detail, sinceMs: NOW } },
      {
        kind: 'latches',
        latches: [
          {
            ...({ control: 'day_loss', level: 'killed', detail, sinceMs: NOW } as const),
            ...({ marketId: marketId(`m-${DIGITS}`), resumes: { kind: 'operator' } } as const),
          },
        ],
      },
      { kind: 'cash', cashNano: Number(DIGITS), atMs: NOW },
    ]);
    const { cashNano, latches } = ledger.load();
    // What is no text of the venue is kept as it is: numbers, and the names of markets.
    expect(cashNano).toBe(Number(DIGITS));
    expect(latches?.[0]?.marketId).toBe(`m-${DIGITS}`);
    await setLatch(journal, { by: 'guard', reason: detail, at: undefined });
    const recorder = await openRecorder({
      journal,
      about: RUN_FACTS,
      fileBytesMax: 1_000_000,
      filesMax: 2,
    });
    recorder.record({ kind: 'operator', atMs: NOW, order: { kind: 'kill', by: detail } });
    recorder.record({ kind: 'operator', atMs: NOW, order: { kind: 'kill', by: DIGITS } });
    recorder.record({ kind: 'tick', atMs: unixMs(Number(DIGITS)) });
    await recorder.close();

    const folder = dirname(journal);
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expectClean(bytes.join('\n'));
    expectClean(readFileSync(latchFile(journal), 'utf8'));
    const recording = readFileSync(recordingFile(journal), 'utf8');
    expectClean(recording);
    expect(recording).not.toContain(`"${DIGITS}"`);
    const lines = recording.trim().split('\n');
    expect(lines.slice(1, -1).map(decodeInput).at(-1)).toEqual({
      ...{ kind: 'tick', atMs: Number(DIGITS) },
    });
    ledger.close();
  });

  it('is in no last words of a process that fails', () => {
    const cause = Object.assign(new Error(`header ${SECRET}`), { headers: { key: SECRET } });
    expectClean(crashText(new Error(ECHO, { cause })));
    expect(crashText({ thrown: SECRET })).toBe(`{ thrown: '${SECRET_MASK}' }`);
  });
});

describe('the files beside a journal', () => {
  it('are for their owner alone: ledger, log, marks, stops, claim, latch, its room, recording', async () => {
    const journal = join(dirname(journalIn()), 'data', 'bookend.db');
    const lock = await lockJournal({ journal, clock, onLost: () => {} });
    const ledger = await openLedger({ path: journal, clock });
    ledger.commit([{ kind: 'pause', pause: { by: 'me', sinceMs: NOW } }]);
    await setLatch(journal, { by: 'me', reason: 'kill', at: undefined });
    const recorder = await openRecorder({
      journal,
      about: RUN_FACTS,
      fileBytesMax: 1_000_000,
      filesMax: 2,
    });
    recorder.record({ kind: 'tick', atMs: NOW });
    await recorder.close();
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    const names = readdirSync(dirname(journal));
    expect(names.length).toBeGreaterThanOrEqual(7);
    expect(mode(dirname(journal))).toBe('700');
    expect(names.map((name) => [name, mode(join(dirname(journal), name))])).toEqual(
      names.map((name) => [name, '600']),
    );
    ledger.close();
    await lock.release();
  });
});
