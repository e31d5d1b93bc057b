// The faults that a bot must quote through, on the venue double.

import { DoubleFloor } from './rig/double-floor.ts';
import { defineRow, type Extra, type Row, type Scene, sleep, waitFor } from './rig/run-row.ts';
import { backMs, type DoubleScene, opened, type Pace } from './row-parts.ts';
import { type STRANGE_ROWS, strangeRows } from './strange-rows.ts';
import { DOUBLE_DEFAULTS, type DoubleOptions } from './venue-double/options.ts';

const FINE: DoubleOptions['grid'] = { tickSize: '0.001', ticksPerUnit: 1_000 };
const SHARES = { openingShares: { yes: 80, no: 30 } };
const EARLIER_ORDERS = 6;
const ALL_LEVELS_MS_MAX = 15_000;
/** Matches settle all the time, so that the next one to fail is near. */
const BUST_MS_MAX = 5_000;
const CONVERGED_MS_MAX = 4_000;
const DRIFT_STEPS = 3;
const DRIFT_STEP_MS = 400;
const QUIET_MS = 3_000;
const RESTART_MS_MAX = 20_000;

export type FaultRow =
  | 'clean'
  | 'opening'
  | 'earlier'
  | 'stuck'
  | 'unavailable'
  | 'frames-lost'
  | 'bust-restored'
  | 'bust-ended'
  | 'outer-level'
  | 'ceiling'
  | 'unified'
  | 'paused'
  | 'restricted'
  | 'cancels-fail'
  | 'restarts'
  | (typeof STRANGE_ROWS)[number];

export function faultRows(pace: Pace): Readonly<Record<FaultRow, Row>> {
  return {
    ...startRows(pace),
    ...doubtRows(pace),
    ...limitRows(pace),
    ...readingRows(pace),
    ...strangeRows(pace),
  };
}

function startRows({ calmSec }: Pace) {
  return {
    clean: defineRow({
      name: 'clean',
      title: 'clean account',
      seconds: calmSec,
      open: opened(),
    }),
    opening: defineRow({
      name: 'opening',
      title: 'settled shares at the first start, nothing open',
      seconds: calmSec,
      open: opened(SHARES),
    }),
    earlier: defineRow({
      name: 'earlier',
      title: 'orders of an earlier process rest at the start',
      seconds: calmSec,
      open: async () => {
        const floor = await DoubleFloor.start({ ...DOUBLE_DEFAULTS, ...SHARES });
        floor.leaveOrders(EARLIER_ORDERS);
        return floor;
      },
    }),
  };
}

function doubtRows(pace: Pace) {
  return {
    stuck: defineRow({
      name: 'stuck',
      title: 'partial fills whose rest cannot be cancelled, busy market',
      seconds: pace.busySec,
      crowd: { moveMs: 800, stepTicks: 2, tradeMs: 200, tradeShares: [3, 12] },
      open: opened({}, { partialsCancellable: false }),
    }),
    unavailable: defineRow({
      name: 'unavailable',
      title: `${pace.outageMs / 1_000} s of service_unavailable, then well`,
      seconds: 0,
      open: opened(),
      act: async (scene: DoubleScene) => await unavailable(scene, pace),
    }),
    'frames-lost': defineRow({
      name: 'frames-lost',
      title: `user frames lost for ${pace.lostMs / 1_000} s`,
      seconds: 0,
      open: opened(),
      act: async (scene: DoubleScene) => await framesLost(scene, pace),
    }),
    'bust-restored': defineRow({
      name: 'bust-restored',
      title: 'trades fail on chain, their orders put back',
      seconds: 0,
      open: opened({}, { failedTrade: 'restore' }),
      act: async (scene: DoubleScene) => await busts(scene, pace),
    }),
    'bust-ended': defineRow({
      name: 'bust-ended',
      title: 'trades fail on chain, their orders end',
      seconds: 0,
      open: opened({}, { failedTrade: 'cancel' }),
      act: async (scene: DoubleScene) => await busts(scene, pace),
    }),
  };
}

function limitRows(pace: Pace) {
  return {
    'outer-level': defineRow({
      name: 'outer-level',
      title: 'outer levels 3 ticks from their target, 0.001 grid, budget idle',
      seconds: 0,
      quotes: { halfSpreadTicks: 10, levels: 3, levelSpacingTicks: 5 },
      // Others stand at the same prices, so that a place in the queue seems worth something.
      crowd: { halfSpreadTicks: 11, levels: 30, moveMs: 0, tradeMs: 0 },
      open: opened({ grid: FINE, markets: 1 }),
      act: async (scene: DoubleScene) => await outerLevel(scene, pace),
    }),
    ceiling: defineRow({
      name: 'ceiling',
      title: "at the venue's ceiling of open orders",
      seconds: 0,
      quotes: { levels: 5 },
      crowd: { moveMs: 0 },
      open: opened({}, { openOrdersMax: 8 }),
      act: async (scene: DoubleScene) => await ceiling(scene, pace),
    }),
    restarts: defineRow({
      name: 'restarts',
      title: 'restarts: ended and started, kill -9 of all of it, kill -9 of the trader',
      seconds: 0,
      open: opened(),
      act: restarts,
    }),
  };
}

/** What the interface document leaves open, as a venue may play it. */
function readingRows(pace: Pace) {
  return {
    unified: defineRow({
      name: 'unified',
      title: 'each book shows the orders of both outcomes',
      seconds: pace.busySec,
      open: opened({}, { books: 'unified' }),
    }),
    paused: defineRow({
      name: 'paused',
      title: `a pause of ${pace.pauseMs / 1_000} s whose end nobody announces`,
      seconds: 0,
      open: opened(),
      act: async (scene: DoubleScene) => await paused(scene, pace),
    }),
    restricted: defineRow({
      name: 'restricted',
      title: `an account that may not buy for ${pace.restrictedMs / 1_000} s`,
      seconds: 0,
      open: opened(SHARES),
      act: async (scene: DoubleScene) => await restricted(scene, pace),
    }),
    'cancels-fail': defineRow({
      name: 'cancels-fail',
      title: `batch cancels fail for ${pace.failingCancelsMs / 1_000} s, DELETE /orders works`,
      seconds: 0,
      open: opened(),
      act: async (scene: DoubleScene) => await cancelsFail(scene, pace),
    }),
  };
}

/** Everything is refused, and one placement in four takes effect all the same. */
async function unavailable(scene: DoubleScene, pace: Pace): Promise<Extra> {
  const { floor, judge, quotes } = scene;
  await sleep(pace.beforeFaultMs);
  floor.venue.switches.isUnavailable = true;
  judge.isVenueDown = true;
  await sleep(pace.outageMs);
  floor.venue.switches.isUnavailable = false;
  judge.isVenueDown = false;
  judge.onFaultsOver();
  const overMs = Date.now();
  const all = floor.marketCount * quotes.levels * 2;
  const isAny = await waitFor(() => hasPlacedSince(floor, overMs), ALL_LEVELS_MS_MAX);
  const firstMs = isAny ? Date.now() - overMs : undefined;
  const areAll = await waitFor(() => floor.openCount() >= all, ALL_LEVELS_MS_MAX);
  return { 'first order ms': firstMs, 'all levels ms': areAll ? Date.now() - overMs : undefined };
}

/** An order rests that was placed then or later. */
function hasPlacedSince(floor: DoubleFloor, sinceMs: number): boolean {
  for (let market = 0; market < floor.marketCount; market += 1) {
    if (floor.bot(market).resting.some(({ placedAtMs }) => placedAtMs >= sinceMs)) return true;
  }
  return false;
}

async function framesLost(scene: DoubleScene, pace: Pace): Promise<Extra> {
  const { floor, judge } = scene;
  await sleep(pace.beforeFaultMs);
  floor.venue.switches.losesUserFrames = true;
  await sleep(pace.lostMs);
  floor.venue.switches.losesUserFrames = false;
  judge.onFaultsOver();
  return {};
}

async function busts({ floor, judge }: DoubleScene, pace: Pace): Promise<Extra> {
  const { switches } = floor.venue;
  let left = 0;
  for (let count = 0; count < pace.busts; count += 1) {
    await sleep(pace.bustMs);
    switches.failNextTrades = 1;
    await waitFor(() => switches.failNextTrades === 0, BUST_MS_MAX);
    left += switches.failNextTrades;
  }
  judge.onFaultsOver();
  return { 'trades failed': pace.busts - left };
}

/** The venue takes no orders meanwhile, and says so once. @returns From its end to both sides of all markets. */
async function paused(scene: DoubleScene, pace: Pace): Promise<Extra> {
  const { venue } = scene.floor;
  await sleep(pace.beforeFaultMs);
  scene.judge.isVenueDown = true;
  venue.pause();
  await sleep(pace.pauseMs);
  venue.switches.isPaused = false;
  scene.judge.isVenueDown = false;
  return { 'back ms': await backMs(scene, BACK_MS_MAX) };
}

async function restricted(scene: DoubleScene, pace: Pace): Promise<Extra> {
  const { switches } = scene.floor.venue;
  await sleep(pace.beforeFaultMs);
  scene.judge.isVenueDown = true;
  switches.restriction = 'account_restricted';
  await sleep(pace.restrictedMs);
  switches.restriction = undefined;
  const back = await backMs(scene, RESTRICTED_BACK_MS_MAX);
  scene.judge.isVenueDown = false;
  return { 'back ms': back };
}

async function cancelsFail({ floor, judge }: DoubleScene, pace: Pace): Promise<Extra> {
  await sleep(pace.beforeFaultMs);
  floor.venue.switches.failsBatchCancels = true;
  await sleep(pace.failingCancelsMs);
  floor.venue.switches.failsBatchCancels = false;
  judge.onFaultsOver();
  return {};
}

const BACK_MS_MAX = 75_000;
const RESTRICTED_BACK_MS_MAX = 100_000;

/** The middle drifts by three ticks, one at a time; then each level must come to its target. */
async function outerLevel({ floor, crowd, quotes }: DoubleScene, pace: Pace): Promise<Extra> {
  let worstMs = 0;
  const isConverged = () => isAtTargets(floor, crowd.middle(0), quotes);
  await waitFor(isConverged, CONVERGED_MS_MAX);
  for (const way of pace.drifts) {
    for (let step = 0; step < DRIFT_STEPS; step += 1) {
      crowd.move(0, way);
      await sleep(DRIFT_STEP_MS);
    }
    const movedMs = Date.now();
    if (!(await waitFor(isConverged, CONVERGED_MS_MAX))) return { 'converged ms': undefined };
    worstMs = Math.max(worstMs, Date.now() - movedMs);
  }
  return { 'converged ms': worstMs };
}

function isAtTargets(floor: DoubleFloor, middle: number, quotes: Scene['quotes']): boolean {
  const { resting } = floor.bot(0);
  const { halfSpreadTicks, levels, levelSpacingTicks } = quotes;
  const at = new Set(resting.map(({ axisSide, ticks }) => `${axisSide} ${ticks}`));
  return Array.from({ length: levels }, (_, level) => level).every((level) => {
    const away = halfSpreadTicks + level * levelSpacingTicks;
    return at.has(`bid ${middle - away}`) && at.has(`ask ${middle + away}`);
  });
}

/** Once trading pauses, the nearest level of each side must rest: the ceiling leaves room for two each. */
async function ceiling({ floor, crowd, judge, quotes }: DoubleScene, pace: Pace): Promise<Extra> {
  await sleep(pace.ceilingMs);
  crowd.isTrading = false;
  judge.onFaultsOver();
  await sleep(QUIET_MS);
  let nearest = 0;
  for (let market = 0; market < floor.marketCount; market += 1) {
    for (const sign of [-1, 1]) {
      const target = crowd.middle(market) + sign * quotes.halfSpreadTicks;
      if (floor.bot(market).resting.some(({ ticks }) => ticks === target)) nearest += 1;
    }
  }
  return { 'nearest levels resting, of 4': nearest };
}

/** @returns From each death to the next quotes. */
async function restarts({ bot, judge }: DoubleScene): Promise<Extra> {
  const ended = await deathAndStart(judge, async () => {
    await bot.stop();
    bot.start();
  });
  const killed = await deathAndStart(judge, async () => {
    await bot.kill();
    bot.start();
  });
  // A guard starts the next trader; the plain one is started again by whoever watches it.
  const traderKilled = await deathAndStart(judge, async () => {
    bot.killTrader();
    if (bot.name === 'plain') {
      await bot.kill();
      bot.start();
    }
  });
  judge.onFaultsOver();
  return { 'down ms: ended': ended, killed, 'trader killed': traderKilled };
}

const BETWEEN_DEATHS_MS = 4_000;

async function deathAndStart(
  judge: Scene['judge'],
  way: () => Promise<void>,
): Promise<number | undefined> {
  await sleep(BETWEEN_DEATHS_MS);
  const diedMs = Date.now();
  judge.onDeath();
  await way();
  judge.onStart();
  const isBack = await waitFor(() => judge.hasQuoted(), RESTART_MS_MAX);
  return isBack ? Date.now() - diedMs : undefined;
}
