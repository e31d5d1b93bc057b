// What the trader tells of itself, and what that costs it.

import { describe, expect, it } from 'vitest';
import { toLine } from '../../../src/app/http-words.ts';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import { Snapshots } from '../../../src/app/snapshots.ts';
import { marketId, tokenId } from '../../../src/domain/ids.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { PickMarkets, StateView } from '../../../src/domain/view.ts';
import { type Posted, StateBoard } from '../../../src/telemetry/board.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { ManyBooks } from '../../support/many-books.ts';
import { marketView, picked, stateView } from '../telemetry/views.ts';

/** Time passes only where somebody waits, and what is done takes as long as a test says. */
class Pace {
  nowMs = 0;
  waitedMs = 0;
  task: (() => void) | undefined;
  readonly timers = {
    after: (delayMs: number, task: () => void) => {
      this.waitedMs += delayMs;
      this.nowMs += delayMs;
      this.task = task;
      return () => {
        this.task = undefined;
      };
    },
  };

  async turn(): Promise<void> {
    const task = await this.#next();
    this.task = undefined;
    task();
    await this.#next();
  }

  async #next(): Promise<() => void> {
    while (this.task === undefined) await new Promise((resolve) => setImmediate(resolve));
    return this.task;
  }
}

function shown(
  views: () => StateView,
  more: { readonly mayPost?: () => boolean; readonly events?: RecentEvents } = {},
) {
  const pace = new Pace();
  const posted: Posted[] = [];
  const metrics = createMetrics({ version: '1' });
  const snapshots = new Snapshots({
    view: (pick?: PickMarkets) => picked(views(), pick),
    metrics,
    events: more.events ?? new RecentEvents(),
    tickAgeMs: () => 10,
    mayPost: more.mayPost ?? (() => true),
    post: (each) => posted.push(...each),
    timers: pace.timers,
    spentMs: () => pace.nowMs,
  });
  return { pace, posted, metrics, snapshots };
}

const boardOf = (posted: readonly Posted[]): StateBoard => {
  const board = new StateBoard({ nowMs: () => unixMs(1_000) });
  board.onConnected();
  for (const each of posted) board.apply(each);
  return board;
};

const stateOf = (board: StateBoard): Record<string, unknown> => {
  const answer = board.state({});
  if (answer.kind !== 'ok') throw new Error(answer.text);
  return JSON.parse(answer.json);
};

describe('what a trader tells of a few markets', () => {
  it('is the whole state at once, and everything that it has counted', async () => {
    const view = { ...stateView(), markets: [marketView('rain'), marketView('snow')] };
    const { pace, posted, metrics, snapshots } = shown(() => view);
    metrics.onReload('refused');
    snapshots.start();
    await pace.turn();
    const { age, ...state } = stateOf(boardOf(posted));
    expect(state).toEqual(JSON.parse(JSON.stringify(view)));
    expect(age).toMatchObject({ trader: 'alive' });
    expect(boardOf(posted).counted()).toContain(
      'bookend_settings_reloads_total{result="refused"} 1',
    );
    expect(pace.waitedMs).toBe(400);
  });

  it('leaves what the run before said of them for seconds, and then says that it has none', async () => {
    const ended = shown(() => ({ ...stateView(), markets: [marketView('rain')] }));
    ended.snapshots.now();
    const board = boardOf(ended.posted);
    board.onGone();
    board.onConnected();
    // A start that waits for a venue which is away.
    const next = shown(() => ({ ...stateView(), phase: 'starting', markets: [] }));
    const told = () => {
      for (const each of next.posted.splice(0)) board.apply(each);
      return stateOf(board)['markets'];
    };
    next.snapshots.anew();
    next.snapshots.start();
    await next.pace.turn();
    expect(told()).toHaveLength(1);
    while (next.pace.nowMs < 6_000) await next.pace.turn();
    expect(told()).toEqual([]);
    expect(board.view()?.markets).toEqual([]);
  });

  it('has all that is counted in its first bits, and a millisecond of it in each later one', async () => {
    const { pace, posted, metrics, snapshots } = shown(stateView);
    const text = metrics.text.bind(metrics);
    metrics.text = async (name) => {
      pace.nowMs += 0.2;
      return await text(name);
    };
    snapshots.start();
    await pace.turn();
    await pace.turn();
    expect(boardOf(posted).counted()).toContain('bookend_reports_total{event="kill.unconfirmed"');
    expect(pace.waitedMs).toBe(600);
    const series = () => posted.filter(({ kind }) => kind === 'series').length;
    expect(series()).toBeGreaterThan(40);
    posted.length = 0;
    await pace.turn();
    expect(series()).toBe(5);
  });

  it('forgets a market that is gone', async () => {
    const views = [marketView('rain'), marketView('snow')].map((market) => [market]);
    const { pace, posted, snapshots } = shown(() => ({
      ...stateView(),
      markets: (views.length > 1 ? views.shift() : views[0]) ?? [],
    }));
    snapshots.start();
    await pace.turn();
    const state = stateOf(boardOf(posted));
    expect(state['markets']).toMatchObject([{ marketId: 'market-snow' }]);
  });

  it('counts a state that the core cannot tell, and tells the rest', async () => {
    const { pace, posted, snapshots } = shown(() => {
      throw new Error('broken');
    });
    snapshots.start();
    await pace.turn();
    expect(boardOf(posted).counted()).toMatch(/^bookend_view_failures_total [1-9]/m);
  });

  it('waits where nobody reads it', async () => {
    const { pace, posted, snapshots } = shown(stateView, { mayPost: () => false });
    snapshots.start();
    await pace.turn();
    expect(posted).toEqual([]);
    expect(pace.task).toBeDefined();
  });

  it('has the events since the last time, secrets masked, and all of them for somebody new', async () => {
    const events = new RecentEvents();
    const secret = 'Bearer abcdefghijklmnopqrstuvwxyz012345';
    const fill = { event: 'order.filled', side: 'BUY', price: '0.4', quantity: '5' } as const;
    const of = { marketId: marketId('m'), tokenId: tokenId('0xa') };
    events.add({ event: 'venue.read_failed', what: 'book', detail: secret }, unixMs(7));
    events.add({ ...fill, ...of }, unixMs(8));
    const { pace, posted, snapshots } = shown(stateView, { events });
    const told = () => posted.splice(0).filter((each) => each.kind === 'event');
    snapshots.start();
    await pace.turn();
    const [failure, filled] = told();
    expect(JSON.parse(failure?.json ?? '')).toMatchObject({
      ...{ number: 1, atMs: 7, event: 'venue.read_failed', level: 'warn', what: 'book' },
    });
    expect(failure?.json).not.toContain('abcdefghijklmnop');
    expect(filled).toMatchObject({ isFill: true });
    await pace.turn();
    expect(told()).toEqual([]);
    snapshots.anew();
    expect(told()).toEqual([failure, filled]);
  });

  it('is told anew to whoever begins to listen', async () => {
    const { pace, posted, snapshots } = shown(stateView);
    snapshots.start();
    await pace.turn();
    posted.splice(0);
    snapshots.anew();
    await pace.turn();
    expect(posted.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['order', 'names']));
  });
});

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

describe('a trader of a thousand markets', () => {
  const MARKETS = 1_000;

  function thousand(): ManyBooks {
    const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 10 };
    const books = new ManyBooks(MARKETS, ladder, params);
    books.start();
    for (const tokenId of books.tokens) books.snapshot(tokenId);
    books.run(1_000);
    return books;
  }

  it('tells of those that somebody looks at whosever turn it is', async () => {
    const ids = Array.from({ length: MARKETS }, (_, at) => `m${at}`);
    const view = { ...stateView(), markets: ids.map((id) => marketView(id)) };
    const { pace, posted, snapshots } = shown(() => view);
    const looked = 'market-m900';
    snapshots.start();
    const told = async (): Promise<readonly [bits: number, looked: number]> => {
      posted.splice(0);
      for (let turn = 0; turn < 3; turn += 1) await pace.turn();
      const bits = posted.filter(({ kind }) => kind === 'head').length;
      const of = posted.filter((each) => each.kind === 'market' && each.marketId === looked);
      return [bits, of.length];
    };
    expect((await told())[1]).toBe(0);
    snapshots.onLooked([looked, 'of-nobody']);
    const [bits, times] = await told();
    expect(bits).toBeGreaterThan(2);
    expect(times).toBe(bits);
    snapshots.onLooked([]);
    expect((await told())[1]).toBe(0);
  });

  it('has told each of them once within a tenth of its time, and then gives a hundredth', async () => {
    const ids = Array.from({ length: MARKETS }, (_, at) => `m${at}`);
    const view = { ...stateView(), markets: ids.map((id) => marketView(id)) };
    const { pace, posted, snapshots } = shown(() => {
      pace.nowMs += 20;
      return view;
    });
    snapshots.start();
    const untilAll = async (): Promise<number> => {
      posted.splice(0);
      const { waitedMs } = pace;
      const told = () => posted.filter(({ kind }) => kind === 'market').length;
      while (told() < MARKETS) await pace.turn();
      return pace.waitedMs - waitedMs;
    };
    // Twenty-five bits of 20 ms each, and the pauses behind the last of them.
    const bitsMs = 25 * 20;
    const lastMs = 2 * 3_000;
    expect(await untilAll()).toBeLessThan(16 * bitsMs + lastMs);
    expect(await untilAll()).toBeGreaterThan(100 * bitsMs);
    snapshots.anew();
    expect(await untilAll()).toBeLessThan(16 * bitsMs + lastMs);
  });

  it('gives a hundredth of its time also where all of them fit into one bit', async () => {
    const { pace, snapshots } = shown(() => {
      pace.nowMs += 10;
      return { ...stateView(), markets: [marketView('m0')] };
    });
    snapshots.start();
    await pace.turn();
    const { waitedMs } = pace;
    await pace.turn();
    expect(pace.waitedMs - waitedMs).toBeGreaterThan(1_000);
  });

  it('gives a hundredth of its time at the most, and has told all within a minute', async () => {
    const books = thousand();
    const pace = new Pace();
    const told = new Set<string>();
    let sent = 0;
    const snapshots = new Snapshots({
      view: books.view,
      metrics: createMetrics({ version: '1' }),
      events: new RecentEvents(),
      tickAgeMs: () => 10,
      mayPost: () => true,
      post: (posted) => {
        // Written as it leaves the process.
        sent += posted.map((each) => toLine({ kind: 'posted', posted: each })).join('').length;
        for (const each of posted) if (each.kind === 'market') told.add(each.marketId);
      },
      timers: pace.timers,
      // A machine that is busy with others makes a bit take longer, which is none of its work.
      spentMs: cpuMs,
    });
    const round = async (): Promise<void> => {
      told.clear();
      while (told.size < MARKETS) await pace.turn();
    };
    snapshots.start();
    // Some before: a program that has just begun is compiled meanwhile.
    for (let rounds = 0; rounds < 5; rounds += 1) await round();
    const { waitedMs } = pace;
    sent = 0;
    const beforeMs = cpuMs();
    for (let rounds = 0; rounds < 5; rounds += 1) await round();
    const spentMs = cpuMs() - beforeMs;
    const passedMs = pace.waitedMs - waitedMs;
    expect(sent).toBeGreaterThan(MARKETS * 500);
    expect(spentMs / (spentMs + passedMs)).toBeLessThan(0.01);
    expect(passedMs).toBeLessThan(5 * 60_000);
  });
});
