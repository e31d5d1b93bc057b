// What stays in memory: after a million frames, and after ten thousand markets came and went.

import { BookMirror } from '../../../src/core/book/mirror.ts';
import { createEngine } from '../../../src/core/engine.ts';
import { eventId, marketId, outcomeId, tokenId } from '../../../src/domain/ids.ts';
import type { Event } from '../../../src/domain/market.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';
import { settings } from '../../support/engine-driver.ts';
import { idText } from '../rig/desk.ts';
import { check, type GroupResult, type RunOptions } from '../rig/report.ts';
import { stepper } from './step.ts';

const MARKETS_A_ROUND = 100;

export function heap({ isShort }: RunOptions): GroupResult {
  const frames = afterFrames(isShort ? 10_000 : 1_000_000);
  const markets = afterMarkets(isShort ? 300 : 10_000);
  const mirrored = mirroredTokens(isShort ? 100 : 10_000);
  const row = (what: string, figures: Growth) => [
    what,
    `${figures.beforeMb.toFixed(1)} MB`,
    `${figures.afterMb.toFixed(1)} MB`,
    `${(figures.afterMb - figures.beforeMb).toFixed(1)} MB`,
  ];
  return {
    title: 'memory that stays, after a full collection',
    head: ['after', 'before', 'after', 'growth'],
    rows: [
      row(`${frames.count} frames over ten markets`, frames),
      row(`${markets.count} markets that came and went`, markets),
      row(`${mirrored.count} tokens mirrored, 99 levels each side`, mirrored),
    ],
    ratios: [
      { name: 'heap.frames', value: frames.afterMb / frames.beforeMb, aimMax: 1.05 },
      { name: 'heap.markets', value: markets.afterMb / markets.beforeMb, aimMax: 1.05 },
    ],
  };
}

type Growth = { readonly count: number; readonly beforeMb: number; readonly afterMb: number };

function afterFrames(count: number): Growth {
  const run = stepper(10);
  // The first frames fill rings and caches that are bounded by time and number.
  run(Math.min(count, 100_000));
  const beforeMb = heldMb();
  run(count);
  return { count, beforeMb, afterMb: heldMb() };
}

/** Markets are listed, subscribed, given books, and taken off the list again. */
function afterMarkets(count: number): Growth {
  const engine = createEngine({ strategies: new Map([['ladder', ladder as Strategy]]) });
  let nowMs = 1_700_000_000_000;
  const at = () => unixMs(nowMs);
  const [choice] = settings().markets;
  check(choice !== undefined, 'the settings quote one event');
  const value = settings({ markets: [{ ...choice, event: 'bench' }] });
  engine.step({ kind: 'settings', atMs: at(), settings: value });
  engine.step({ kind: 'venue', atMs: at(), message: { kind: 'socketOpened' } });
  const round = (first: number) => {
    const event = listing(first);
    const outcome = { kind: 'ok', value: [event] } as const;
    engine.step({ kind: 'venue', atMs: at(), message: { kind: 'catalogue', outcome } });
    for (const { yes, no } of event.markets) {
      for (const token of [yes.tokenId, no.tokenId]) {
        const bids = [{ price: ticks(event.grid, 40), size: shares(10) }];
        const asks = [{ price: ticks(event.grid, 60), size: shares(10) }];
        const message = {
          kind: 'bookSnapshot',
          tokenId: token,
          bids,
          asks,
          venueTs: at(),
        } as const;
        engine.step({ kind: 'venue', atMs: at(), message });
      }
    }
    for (let tick = 0; tick < 5; tick += 1) {
      nowMs += 50;
      engine.step({ kind: 'tick', atMs: at() });
    }
  };
  round(0);
  round(MARKETS_A_ROUND);
  const beforeMb = heldMb();
  for (let first = 2 * MARKETS_A_ROUND; first < count; first += MARKETS_A_ROUND) round(first);
  const afterMb = heldMb();
  check(
    engine.view().markets.length <= 2 * MARKETS_A_ROUND,
    'markets leave when they are unlisted',
  );
  return { count, beforeMb, afterMb };
}

function listing(first: number): Event {
  return {
    id: eventId('bench'),
    slug: 'bench',
    title: 'Bench',
    category: 'none',
    status: 'open',
    grid: tickGrid('0.01'),
    expiryAtMs: undefined,
    markets: Array.from({ length: MARKETS_A_ROUND }, (_, index) => {
      const number = first + index;
      const outcome = (outcomeIndex: 0 | 1) => ({
        id: outcomeId(`o-${number}-${outcomeIndex}`),
        name: outcomeIndex === 1 ? 'Yes' : 'No',
        tokenId: tokenId(idText(2 * number + 1 + outcomeIndex)),
        outcomeIndex,
      });
      return {
        id: marketId(`m-${number}`),
        title: `Market ${number}`,
        status: 'open',
        enableOrderBook: true,
        yes: outcome(1),
        no: outcome(0),
      } as const;
    }),
  };
}

function mirroredTokens(count: number): Growth {
  const beforeMb = heldMb();
  const grid = tickGrid('0.01');
  const mirrors = Array.from({ length: count }, () => new BookMirror(grid, 200));
  for (const mirror of mirrors) {
    mirror.onSnapshot({ bids: [], asks: [], venueTs: undefined }, unixMs(1));
  }
  const afterMb = heldMb();
  check(
    mirrors.every((each) => each.isPriceable),
    'every mirror is live',
  );
  return { count, beforeMb, afterMb };
}

/** Heap and what hangs on it outside, such as typed arrays. */
function heldMb(): number {
  const { gc } = globalThis;
  check(gc !== undefined, 'the rig runs with --expose-gc');
  for (let pass = 0; pass < 3; pass += 1) gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1_048_576;
}
