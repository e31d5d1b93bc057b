// What the trader tells of itself, and what that costs it.

import { describe, expect, it } from 'vitest';
import { toLine } from '../../../src/app/http-words.ts';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import { Snapshots } from '../../../src/app/snapshots.ts';
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

function shown(views: () => StateView, more: { readonly mayPost?: () => boolean } = {}) {
  const pace = new Pace();
  const posted: Posted[] = [];
  const metrics = createMetrics({ version: '1' });
  const snapshots = new Snapshots({
    view: (pick?: PickMarkets) => picked(views(), pick),
    metrics,
    events: new RecentEvents(),
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
    const before = process.cpuUsage();
    for (let rounds = 0; rounds < 5; rounds += 1) await round();
    const { user, system } = process.cpuUsage(before);
    const spentMs = (user + system) / 1_000;
    const passedMs = pace.waitedMs - waitedMs;
    expect(sent).toBeGreaterThan(MARKETS * 500);
    expect(spentMs / (spentMs + passedMs)).toBeLessThan(0.01);
    expect(passedMs).toBeLessThan(5 * 60_000);
  });
});
