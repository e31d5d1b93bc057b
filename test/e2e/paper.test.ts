// `paper` as one command, as a new user types it: synthetic traders, and a recorded market.

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { StateView } from '../../src/domain/view.ts';
import { ensureBuilt } from '../support/build.ts';
import { freePort } from '../support/free-port.ts';
import { PATIENT, scrapeOf } from '../support/live-daemon.ts';
import {
  endIn,
  eventually,
  ROOT,
  type RunningProcess,
  startBookend,
} from '../support/processes.ts';
import { eventMeta, frame } from '../support/temp-recording.ts';

vi.setConfig({ testTimeout: 150_000 });

const RECORDING = join(ROOT, '../shared/data/betfair-cricket-2022.ndjson.gz');

const CONFIG = {
  markets: [
    { event: 'coin', strategy: 'ladder', params: { halfSpreadTicks: 2, levels: 2, size: 20 } },
  ],
  risk: { maxLossUsdc: 1_000 },
  timing: { proofQuietMs: 300, proofDeadlineMs: 5_000 },
  http: { port: 0 },
  guard: PATIENT,
  journal: { path: 'data/paper.db' },
  paper: {
    port: 0,
    activity: 4,
    crowd: 'generous',
    // A stop is to leave nothing, and most orders here trade in part.
    partlyFilled: 'cancellable',
    events: [{ slug: 'coin', title: 'Heads?', markets: [{ title: 'Heads?', fairValue: 0.5 }] }],
  },
};

/** A process that something holds is ended by force after so long. */
const HELD_MS = 1_000;
const TRIES_MAX = 4;

beforeAll(ensureBuilt);

/** Each starts in a folder of its own, so that they can run side by side. */
const it = test.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'bookend-e2e-'));
    await use(folder);
    await endIn(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  },
});

type Paper = { readonly address: string; readonly folder: string };

async function startPaper(folder: string, config: object, ...args: readonly string[]) {
  await writeFile(join(folder, 'paper.yaml'), JSON.stringify(config));
  const paper = startBookend(['paper', '--config', 'paper.yaml', ...args], { cwd: folder });
  const address = await eventually('the daemon', () => daemonAddress(paper), {
    said: paper.stderr,
  });
  return { paper, address, folder };
}

/** A recording whose end is missing. */
async function writeCut(folder: string): Promise<void> {
  const at = 1_650_392_673_000;
  const quotes = [
    frame.snapshot(at, [[0.4, 100]], [[0.6, 100]]),
    frame.delta(at + 1, 'bid', 0.39, 5),
  ];
  const text = quotes.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(folder, 'cut.meta.json'), JSON.stringify(eventMeta()));
  await writeFile(join(folder, 'cut.ndjson.gz'), gzipSync(text).subarray(0, -4));
}

function daemonAddress(paper: RunningProcess): string | undefined {
  return /"event":"daemon.started","http":"(http:[^"]+)"/.exec(paper.stderr())?.[1];
}

/** With the token that the daemon has left for its own user. */
async function state({ address, folder }: Paper): Promise<StateView> {
  const token = (await readFile(join(folder, 'data/paper.db.token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  return JSON.parse(await (await fetch(`${address}/api/state`, { headers })).text());
}

async function until(paper: Paper, what: string, holds: (state: StateView) => boolean) {
  return await eventually(what, async () => {
    // Between two runs nobody answers.
    const seen = await state(paper).catch(() => undefined);
    return seen?.markets && holds(seen) ? seen : undefined;
  });
}

describe.concurrent('`paper` with synthetic traders', () => {
  it('quotes, is filled, and ends clean on Ctrl-C', async ({ folder, expect }) => {
    const { paper, address } = await startPaper(folder, CONFIG);
    await until({ address, folder }, 'quotes on both sides', ({ markets }) =>
      areAllQuoted(markets),
    );
    const filled = await until(
      { address, folder },
      'a fill',
      ({ markets }) => (markets[0]?.fills ?? 0) > 0,
    );
    expect(filled.phase).toBe('quoting');
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect(await scrapeOf(address)).toContain('bookend_');
    paper.signal('SIGINT');
    expect(await paper.ended).toEqual({ code: 0, signal: null });
    expect(paper.stdout()).toMatch(/stopped: no open order is left; P&L [+-]\d/);
  });

  it('is gone at once when it has said that it stopped, with looks at the price of fills still ahead', async ({
    folder,
    expect,
  }) => {
    const tookMs: number[] = [];
    // What holds a process costs a whole second each time; a busy machine does not.
    for (let tries = 0; tries < TRIES_MAX && !tookMs.some((ms) => ms < HELD_MS); tries += 1) {
      const { paper, address } = await startPaper(folder, CONFIG);
      await until({ address, folder }, 'a fill', ({ markets }) => (markets[0]?.fills ?? 0) > 0);
      paper.signal('SIGINT');
      const end = /"event":"daemon.stopped"/;
      await eventually('its proof', () => end.test(paper.stderr()) || undefined);
      const saidMs = Date.now();
      expect((await paper.ended).code).toBe(0);
      tookMs.push(Date.now() - saidMs);
    }
    expect(Math.min(...tookMs), String(tookMs)).toBeLessThan(HELD_MS);
  });

  it('takes other ports when the configured ones are busy, and says so', async ({
    folder,
    expect,
  }) => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const taken = busy.address();
    const port = typeof taken === 'object' && taken !== null ? taken.port : 0;
    const paths = { ...CONFIG, http: { port }, paper: { ...CONFIG.paper, port } };
    const { paper, address } = await startPaper(folder, paths);
    expect(address).not.toContain(String(port));
    expect(paper.stderr()).toContain('"event":"paper.port_busy"');
    expect(paper.stderr()).toContain('"event":"http.port_busy"');
    paper.signal('SIGINT');
    expect((await paper.ended).code).toBe(0);
    busy.close();
  });

  it('is killed, resumed and paused from a second terminal that knows its configuration alone', async ({
    folder,
    expect,
  }) => {
    const port = await freePort();
    const { paper, address } = await startPaper(folder, { ...CONFIG, http: { port } });
    const state = { address, folder };
    await until(state, 'quotes', isQuoting);
    const second = async (...args: readonly string[]) => {
      const command = startBookend([...args, '--config', 'paper.yaml'], { cwd: folder });
      return { ...(await command.ended), text: command.stdout() };
    };
    const killed = await second('kill');
    expect(killed.text).toContain('no open order is left');
    expect(killed.code).toBe(0);
    await until(state, 'the killed daemon', ({ phase }) => phase === 'killed');
    expect((await second('resume')).text).toContain('resumed');
    await until(state, 'quotes after the resume', isQuoting);
    expect((await second('pause')).text).toContain('paused');
    await until(state, 'the paused daemon', ({ phase }) => phase === 'paused');
    paper.signal('SIGINT');
    expect((await paper.ended).code).toBe(0);
    // Nobody runs any more: a kill finds no venue, and the next start is as it was left.
    const late = await second('kill');
    expect([late.code, late.text]).toEqual([0, expect.stringContaining('no open order is left')]);
    const lifted = await second('resume');
    expect(lifted.text).toContain('kill and pause lifted; the next start quotes');
    expect(lifted.code).toBe(0);
    const ahead = await second('pause');
    expect([ahead.code, ahead.text]).toEqual([0, expect.stringContaining('the next start on')]);
    const again = await startPaper(folder, { ...CONFIG, http: { port } });
    const next = { address: again.address, folder };
    await until(next, 'the next start, paused', ({ phase }) => phase === 'paused');
    expect((await second('resume')).text).toContain('resumed');
    await until(next, 'quotes of the next start', isQuoting);
    again.paper.signal('SIGINT');
    expect((await again.paper.ended).code).toBe(0);
  });
});

function isQuoting({ markets }: StateView): boolean {
  return (markets[0]?.ownBids.length ?? 0) > 0;
}

/** No market at all is not every market. */
function areAllQuoted(markets: StateView['markets']): boolean {
  const isQuoted = ({ ownBids, ownAsks }: StateView['markets'][number]) =>
    ownBids.length > 0 && ownAsks.length > 0;
  return markets.length > 0 && markets.every(isQuoted);
}

const isRecorded = existsSync(RECORDING);
if (!isRecorded) console.warn(`skipped: no recording at ${RECORDING}`);

describe.concurrent('`paper --replay`', () => {
  it.skipIf(!isRecorded)(
    'quotes around a recorded market and follows its book',
    async ({ folder }) => {
      const { paper, address } = await startPaper(
        folder,
        CONFIG,
        '--replay',
        RECORDING,
        '--speed',
        '20',
      );
      const first = await until(
        { address, folder },
        'quotes around the recorded book',
        ({ markets }) => areAllQuoted(markets),
      );
      const [market] = first.markets;
      expect(market?.eventSlug).toBe('betfair-cricket-2022');
      expect(market?.tickSize).toBe('0.001');
      const bid = Number(market?.ownBids[0]?.price);
      const ask = Number(market?.ownAsks[0]?.price);
      expect(bid).toBeLessThan(ask);
      await until({ address, folder }, 'other prices', ({ markets }) => {
        const now = Number(markets[0]?.ownBids[0]?.price ?? bid);
        return now !== bid;
      });
      paper.signal('SIGINT');
      expect((await paper.ended).code).toBe(0);
    },
  );

  it('ends with its recording where it is asked to, and with exit code 1 where that is damaged', async ({
    folder,
    expect,
  }) => {
    await writeFile(join(folder, 'paper.yaml'), JSON.stringify(CONFIG));
    await writeCut(folder);
    const args = ['paper', '--config', 'paper.yaml', '--replay', 'cut.ndjson.gz', '--exit-at-end'];
    const paper = startBookend(args, { cwd: folder });
    expect((await paper.ended).code).toBe(1);
    expect(paper.stderr()).toMatch(
      /a recording is not usable: cut.ndjson.gz, line \d+: unexpected/,
    );
    expect(paper.stdout()).toContain('nothing was traded');
  });

  it('names file, line and reason first in /readyz, the state and `status` where its recording is damaged', async ({
    folder,
    expect,
  }) => {
    const port = await freePort();
    await writeCut(folder);
    const { paper, address } = await startPaper(
      folder,
      { ...CONFIG, http: { port } },
      ...['--replay', 'cut.ndjson.gz'],
    );
    const why = /^a recording is not usable: cut.ndjson.gz, line \d+: unexpected/;
    const { venueFault, notReady } = await until(
      { address, folder },
      'the fault of the recording',
      (shown) => shown.venueFault !== undefined,
    );
    expect(venueFault).toMatch(why);
    expect(notReady[0]).toBe(venueFault);
    const ready = await fetch(`${address}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('a recording is not usable: cut.ndjson.gz');
    const status = startBookend(['status', '--config', 'paper.yaml'], { cwd: folder });
    await status.ended;
    expect(status.stdout().split('\n')[0]).toContain(`NOTHING IS PLAYED ANY MORE: ${venueFault}`);
    paper.signal('SIGINT');
    expect((await paper.ended).code).toBe(1);
  });

  it('refuses a file that is no recording', async ({ folder, expect }) => {
    await writeFile(join(folder, 'paper.yaml'), JSON.stringify(CONFIG));
    await writeFile(join(folder, 'x.ndjson'), 'nothing');
    const paper = startBookend(['paper', '--config', 'paper.yaml', '--replay', 'x.ndjson'], {
      cwd: folder,
    });
    expect((await paper.ended).code).toBe(2);
    expect(paper.stderr()).toContain('x.meta.json');
  });
});
