// Rules of positions as intervals and of quoting uptime, on views and records that a test makes by hand.

import { describe, expect, it } from 'vitest';
import { intentId } from '../../src/domain/ids.ts';
import type { OutcomeIndex } from '../../src/domain/market.ts';
import type { OrderState } from '../../src/domain/order.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { MarketView, PositionView, StateView } from '../../src/domain/view.ts';
import type { TradeLeg } from '../../src/paper/exchange/trade.ts';
import { Faults } from './audit/faults.ts';
import { contains } from './audit/intervals.ts';
import { ReconcilingWatch, type Stopped } from './audit/reconciling.ts';
import { REPORTED_MS } from './audit/unreported.ts';
import {
  lowUptime,
  percentOf,
  summed,
  UPTIME_FLOORS,
  UptimeMeter,
  uptimeLines,
} from './audit/uptime.ts';
import { Scene } from './scene.ts';

const LAG_MS = 150_000;

function position(low: number, high = low, expected = low): PositionView {
  const texts = { low: String(low), expected: String(expected), high: String(high) };
  return { ...texts, sellable: '0', pending: '0', uncertain: [] };
}

/** What the daemon shows of YES, and that it has no NO. */
function show(scene: Scene, yes: PositionView, more: Partial<MarketView> = {}): void {
  const { id } = scene.market.market;
  const market = {
    ...{ marketId: id, title: 'Rain', positionYes: yes.expected, positionNo: '0' },
    ...{ yesTokenId: scene.market.market.yes.tokenId, noTokenId: scene.market.market.no.tokenId },
    ...{ positions: { yes, no: position(0) }, ...more },
  };
  scene.shown = { phase: 'quoting', markets: [market] } as unknown as StateView;
}

/** Time passes, a second at a time, as the rules look. */
function live(scene: Scene, durationMs: number): void {
  for (let passed = 0; passed < durationMs; passed += 1_000) {
    scene.pass(1_000);
    scene.auditor.check();
  }
}

/** The daemon writes down an order of YES of which ten shares are left. */
function record(scene: Scene, name: string, state: OrderState, side: 'BUY' | 'SELL' = 'BUY'): void {
  const { tokenId } = scene.market.outcome(1);
  const order = { intentId: intentId(name), tokenId, side, state, quantity: 10e6, executed: 0 };
  scene.auditor.onCommand({ kind: 'record', record: { kind: 'order', order } as never });
}

/** Ten shares of YES were bought on the venue. */
function bought(): Scene {
  const scene = new Scene();
  scene.place('i-1', 40);
  scene.takePart(40);
  // Something in the world was lost: exactness is no question any more.
  scene.auditor.onTrouble('userFramesLost', 0);
  return scene;
}

describe('position_outside', () => {
  const outside = (scene: Scene) => scene.broken.filter((rule) => rule === 'position_outside');

  it('is a position that the daemon does not admit, for longer than any frame takes', () => {
    const scene = bought();
    show(scene, position(0, 9));
    live(scene, 20_000);
    expect(outside(scene)).toEqual([]);
    live(scene, 3_000);
    expect(outside(scene).length).toBeGreaterThan(0);
  });

  it('is none where the position is inside, at either end', () => {
    for (const [low, high] of [
      [10, 10],
      [0, 10],
      [10, 40],
    ] as const) {
      const scene = bought();
      show(scene, position(low, high));
      live(scene, 60_000);
      expect(outside(scene)).toEqual([]);
    }
  });

  it('is none where a live order may have traded as much, until the daemon says that it ended', () => {
    const scene = bought();
    record(scene, 'i-2', 'unknown');
    show(scene, position(0));
    live(scene, 60_000);
    expect(outside(scene)).toEqual([]);
    record(scene, 'i-2', 'absent');
    live(scene, 30_000);
    expect(outside(scene).length).toBeGreaterThan(0);
  });

  it('is none where limits count on what balances took back', () => {
    const scene = bought();
    const takenBack = { shares: '10', cause: 'balances_differ', sinceMs: unixMs(0) };
    show(scene, { ...position(0), uncertain: [takenBack] });
    live(scene, 60_000);
    expect(outside(scene)).toEqual([]);
    show(scene, { ...position(0), uncertain: [{ ...takenBack, shares: '9' }] });
    live(scene, 30_000);
    expect(outside(scene).length).toBeGreaterThan(0);
  });

  it('lets a live sell explain fewer shares, and not more', () => {
    const working = { buyingMicro: 0, sellingMicro: 5 };
    expect(contains({ lowMicro: 10, highMicro: 10 }, 5, working)).toBe(true);
    expect(contains({ lowMicro: 10, highMicro: 10 }, 4, working)).toBe(false);
    expect(contains({ lowMicro: 10, highMicro: 10 }, 11, working)).toBe(false);
    expect(contains({ lowMicro: 10, highMicro: 10 }, 11, working, 1)).toBe(true);
  });

  it("is none of somebody else's shares before balances must show them", () => {
    const scene = new Scene();
    scene.auditor.onTrouble('userFramesLost', 0);
    scene.placeByHand(40);
    scene.takePart(40);
    show(scene, position(0));
    live(scene, 300_000);
    expect(outside(scene)).toEqual([]);
  });

  it('is nothing while the daemon shows no interval', () => {
    const scene = bought();
    show(scene, position(0), { positions: undefined } as never);
    live(scene, 60_000);
    expect(outside(scene)).toEqual([]);
  });
});

describe('interval_open', () => {
  const open = (scene: Scene) => scene.broken.filter((rule) => rule === 'interval_open');
  const wideBy = () => {
    const scene = bought();
    live(scene, 30_000);
    show(scene, position(0, 10));
    return scene;
  };

  it('is doubt that outlasts the lag of positions and a minute of quiet', () => {
    const scene = wideBy();
    live(scene, LAG_MS + 55_000);
    expect(open(scene)).toEqual([]);
    live(scene, 15_000);
    expect(open(scene).length).toBeGreaterThan(0);
  });

  it('begins anew with every fault, and while shares of the token move', () => {
    const scene = wideBy();
    live(scene, LAG_MS);
    scene.auditor.onTrouble('blackout', 20_000);
    live(scene, LAG_MS);
    scene.takePart(40);
    live(scene, LAG_MS + 55_000);
    expect(open(scene)).toEqual([]);
    live(scene, 80_000);
    expect(open(scene).length).toBeGreaterThan(0);
  });

  it('begins anew where the interval becomes wider, and not where it moves or narrows', () => {
    const scene = wideBy();
    live(scene, LAG_MS);
    show(scene, position(0, 40));
    live(scene, LAG_MS);
    show(scene, position(10, 40));
    live(scene, 55_000);
    expect(open(scene)).toEqual([]);
    live(scene, 15_000);
    expect(open(scene).length).toBeGreaterThan(0);
  });

  it('is none of an interval that closes and opens again', () => {
    const scene = wideBy();
    for (let time = 0; time < 3; time += 1) {
      live(scene, LAG_MS);
      show(scene, position(10));
      live(scene, 2_000);
      show(scene, position(0, 10));
    }
    expect(open(scene)).toEqual([]);
  });
});

describe('position_inexact', () => {
  const inexact = (scene: Scene) => scene.broken.filter((rule) => rule === 'position_inexact');
  const calm = () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    return scene;
  };

  it.each([
    ['an interval that is open', position(0, 10, 10)],
    ['a number that is wrong', position(9)],
    ['an expectation beside the interval', position(10, 10, 9)],
  ])('is %s where no frame was lost', (_, shown) => {
    const scene = calm();
    show(scene, shown);
    live(scene, 9_000);
    expect(inexact(scene)).toEqual([]);
    live(scene, 5_000);
    expect(inexact(scene).length).toBeGreaterThan(0);
  });

  it('is none of the right number, nor where frames were lost or settlements failed', () => {
    const right = calm();
    show(right, position(10));
    live(right, 60_000);
    expect(inexact(right)).toEqual([]);
    const lost = calm();
    lost.auditor.onTrouble('framesLate', 0);
    show(lost, position(0, 10, 10));
    live(lost, 60_000);
    expect(inexact(lost)).toEqual([]);
  });

  it('holds a daemon without intervals to what it expects', () => {
    const scene = calm();
    show(scene, position(9), { positions: undefined } as never);
    live(scene, 20_000);
    expect(inexact(scene).length).toBeGreaterThan(0);
  });
});

describe('stopped_by_doubt', () => {
  const LIMITS = [{ maxPositionShares: 40 }];
  const reason = (code: string) => ({ code }) as MarketView['bidReason'];
  const wideBy = (width: number, cause = 'order_end') => {
    const uncertain = [{ shares: String(width), cause, sinceMs: unixMs(-10_000) }];
    return { ...position(0, width), uncertain };
  };
  const view = (width: number, code?: string): Stopped => ({
    marketId: 'm-1' as Stopped['marketId'],
    positions: { yes: wideBy(width), no: position(0) },
    bidReason: code === undefined ? undefined : reason(code),
    askReason: undefined,
  });
  /** Looks once a second; the first fault is the answer. */
  const looks = (watch: ReconcilingWatch, shown: Stopped, fromMs: number, durationMs: number) => {
    for (let nowMs = fromMs; nowMs < fromMs + durationMs; nowMs += 1_000) {
      const fault = watch.look(shown, LIMITS, nowMs);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  it('is a pull that comes before there was too much doubt for a minute', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    expect(looks(watch, view(21), 0, 30_000)).toBeUndefined();
    expect(looks(watch, view(21, 'reconciling'), 30_000, 1_000)).toContain('30000 ms');
  });

  it('is a pull for what is soon known anyway', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    const positions = { yes: wideBy(90, 'may_arrive'), no: position(0) };
    expect(looks(watch, { ...view(0), positions }, 0, 90_000)).toBeUndefined();
    const pulled = { ...view(0, 'reconciling'), positions };
    expect(looks(watch, pulled, 90_000, 1_000)).toContain('after 0 ms');
  });

  it('is a pull for what was reported and taken back by balances', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    const owed = { shares: '90', cause: 'balances_differ', sinceMs: unixMs(-10_000) };
    const of = (isOwed: boolean) => {
      const uncertain = [isOwed ? { ...owed, isOwed } : owed];
      return { positions: { yes: { ...position(0, 90), uncertain }, no: position(0) } };
    };
    expect(looks(watch, { ...view(0), ...of(true) }, 0, 90_000)).toBeUndefined();
    const pulled = { ...view(0, 'reconciling'), ...of(true) };
    expect(looks(watch, pulled, 90_000, 1_000)).toContain('after 0 ms');
    const other = new ReconcilingWatch(LAG_MS);
    looks(other, { ...view(0), ...of(false) }, 0, 61_000);
    expect(
      looks(other, { ...view(0, 'reconciling'), ...of(false) }, 61_000, 1_000),
    ).toBeUndefined();
  });

  it('is no pull by a process that may have been uncertain since it began, before anybody looked', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    watch.onProcessStarts(0);
    expect(looks(watch, view(21, 'reconciling'), 61_000, 1_000)).toBeUndefined();
  });

  it('is a pull of little doubt', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    expect(looks(watch, view(20), 0, 90_000)).toBeUndefined();
    expect(looks(watch, view(20, 'reconciling'), 90_000, 1_000)).toContain('after 0 ms');
  });

  it('is a pull that lasts longer than the lag of positions', () => {
    const watch = new ReconcilingWatch(LAG_MS);
    looks(watch, view(21), 0, 61_000);
    expect(looks(watch, view(21, 'reconciling'), 61_000, LAG_MS)).toBeUndefined();
    expect(looks(watch, view(21, 'reconciling'), 61_000 + LAG_MS, 50_000)).toContain('one doubt');
  });

  it('is a second pull for the same doubt, and none for another', () => {
    const pulled = () => {
      const watch = new ReconcilingWatch(LAG_MS);
      looks(watch, view(21), 0, 61_000);
      looks(watch, view(21, 'reconciling'), 61_000, 100_000);
      return watch;
    };
    const same = pulled();
    looks(same, view(21), 161_000, 100_000);
    expect(looks(same, view(21, 'reconciling'), 261_000, 1_000)).toContain('one doubt');
    const other = pulled();
    looks(other, view(0), 161_000, 5_000);
    looks(other, view(21), 166_000, 61_000);
    expect(looks(other, view(21, 'reconciling'), 227_000, 1_000)).toBeUndefined();
  });

  it('is any other word of doubt that stops a side', () => {
    const scene = bought();
    show(scene, position(10), { askReason: reason('position_unconfirmed') } as never);
    live(scene, 2_000);
    expect(scene.broken).toContain('stopped_by_doubt');
  });

  it('is nothing while the daemon shows no interval', () => {
    const scene = bought();
    const more = { positions: undefined, askReason: reason('position_unconfirmed') };
    show(scene, position(10), more as never);
    live(scene, 2_000);
    expect(scene.broken).not.toContain('stopped_by_doubt');
  });
});

describe('what may not be reported yet', () => {
  const leg = (scene: Scene): TradeLeg =>
    ({ account: scene.account, market: scene.market, index: 1, quantityMicro: 30e6 }) as TradeLeg;

  it('is a settlement that failed, for as long as balances may lag', () => {
    const scene = new Scene();
    const { unreported } = scene.auditor;
    const { market } = scene.market;
    expect(unreported.isAnyUnsettled).toBe(false);
    unreported.onFailed(leg(scene));
    expect(unreported.isUnsettled(market)).toBe(true);
    expect(unreported.ofToken(market.yes.tokenId)).toBe(30e6);
    expect(unreported.ofToken(market.no.tokenId)).toBe(0);
    scene.pass(REPORTED_MS);
    expect(unreported.isAnyUnsettled).toBe(false);
    expect(unreported.ofToken(market.yes.tokenId)).toBe(0);
  });

  it('is no failure of an own order where nothing can have held back the frame that says so', () => {
    const scene = new Scene();
    const { unreported } = scene.auditor;
    const { market } = scene.market;
    unreported.onFailed(leg(scene), true);
    expect(unreported.ofToken(market.yes.tokenId)).toBe(0);
    expect(unreported.isUnsettled(market)).toBe(true);
    scene.auditor.onTrouble('userFramesLost', 1_000);
    expect(unreported.ofToken(market.yes.tokenId)).toBe(30e6);
  });

  it('is that for as long as the daemon expects another position', () => {
    const scene = new Scene();
    const { unreported } = scene.auditor;
    unreported.onFailed(leg(scene));
    show(scene, position(5));
    live(scene, 1_000);
    scene.pass(REPORTED_MS);
    expect(unreported.isUnsettled(scene.market.market)).toBe(true);
    show(scene, position(0));
    live(scene, 1_000);
    expect(unreported.isUnsettled(scene.market.market)).toBe(false);
  });

  it('is what was split shortly before a process began without a journal, and nothing older', () => {
    const scene = new Scene();
    const { unreported } = scene.auditor;
    const { tokenId } = scene.market.market.yes;
    unreported.onSets(tokenId, 50e6);
    scene.pass(100_000);
    unreported.onSets(tokenId, 6e6);
    scene.pass(100_000);
    scene.auditor.onMemoryLost();
    scene.auditor.onProcessStarts(2, true);
    expect(unreported.ofToken(tokenId)).toBe(6e6);
  });
});

describe('a world in which frames may be touched', () => {
  it('begins with the first fault that can, and not with news or a pause', () => {
    const faults = new Faults();
    faults.note('news', 0, 5);
    faults.note('pauseMarket', 0, 6);
    expect(faults.isHarmless).toBe(true);
    expect(faults.endsAtMs).toBe(Number.NEGATIVE_INFINITY);
    faults.note('framesLate', 100, 7);
    expect(faults.isHarmless).toBe(false);
    expect(faults.endsAtMs).toBe(107);
    faults.onResynced(50);
    expect(faults.endsAtMs).toBe(50);
  });

  it('begins when a process dies, and is from the start where something else disturbs it', () => {
    const faults = new Faults();
    faults.onProcessDied(9);
    expect([faults.isHarmless, faults.endsAtMs]).toEqual([false, 9]);
    expect(new Faults(false).isHarmless).toBe(false);
  });
});

describe('quoting uptime', () => {
  /** A meter over a venue whose account has orders where a test places them. */
  const metered = () => {
    const scene = new Scene();
    const world = {
      ...{ isAnswering: true, isAlive: true, isDiskSound: true, isWanted: true, isHarmless: false },
      view: undefined as unknown,
    };
    const meter = new UptimeMeter({
      facts: scene.facts,
      markets: () => [scene.market],
      isConfigured: () => true,
      isWanted: () => world.isWanted,
      isAnswering: () => world.isAnswering,
      isAlive: () => world.isAlive,
      isDiskSound: () => world.isDiskSound,
      isHarmless: () => world.isHarmless,
      view: () => world.view as StateView | undefined,
    });
    /** The state of now lasts so long. */
    const lasts = (ms: number) => {
      meter.check(scene.clock.nowMs());
      scene.pass(ms);
      meter.check(scene.clock.nowMs());
    };
    const say = (code: string | undefined, phase = 'quoting', detail = '') => {
      const why = code === undefined ? undefined : { code, detail };
      const { id } = scene.market.market;
      world.view = { phase, markets: [{ marketId: id, bidReason: why, askReason: why }] };
    };
    say(undefined);
    return { scene, world, meter, lasts, say };
  };
  const bid = (scene: Scene, index: OutcomeIndex = 1) => scene.place(`i-${index}`, 40, {}, index);

  it('is the time in which both sides rest on the venue, of the time in which they may', () => {
    const { scene, meter, lasts } = metered();
    bid(scene);
    lasts(3_000);
    // A bid for NO at 0.40 is an ask for YES at 0.60.
    bid(scene, 0);
    lasts(1_000);
    expect(meter.sums).toEqual({ upMs: 5_000, lost: [['no reason', 3_000]], aside: [] });
    expect(percentOf(meter.sums)).toBe(62.5);
  });

  it('begins with the first quote, and ends with the plan', () => {
    const { scene, meter, lasts } = metered();
    lasts(60_000);
    expect(percentOf(meter.sums)).toBeUndefined();
    bid(scene);
    lasts(1_000);
    meter.end(scene.clock.nowMs());
    lasts(60_000);
    expect(meter.sums.upMs).toBe(1_000);
  });

  it('loses what doubt, a start or our own caution keeps empty, by the reason that is given', () => {
    const { scene, meter, lasts, say } = metered();
    const hash = bid(scene);
    lasts(1);
    scene.venue.exchange.cancel(scene.account, hash);
    for (const code of ['position_unconfirmed', 'reconciling', 'position_uncertain', 'no_book']) {
      say(code);
      lasts(500);
    }
    say(undefined, 'clearing');
    lasts(500);
    lasts(500);
    const lost = Object.fromEntries(meter.sums.lost);
    expect(Object.keys(lost).sort()).toEqual([
      ...['clearing', 'no reason', 'no_book', 'position_uncertain'],
      ...['position_unconfirmed', 'reconciling'],
    ]);
    expect(meter.sums.aside).toEqual([]);
  });

  it.each([
    ['max_position_shares', 'quoting'],
    ['max_loss_usdc', 'quoting'],
    ['fill_burst', 'quoting'],
    [undefined, 'paused'],
    [undefined, 'killed'],
    [undefined, 'halted'],
  ])('does not count what %s keeps empty while it is %s', (code, phase) => {
    const { scene, meter, lasts, say } = metered();
    const hash = bid(scene);
    lasts(1);
    scene.venue.exchange.cancel(scene.account, hash);
    say(code, phase);
    scene.pass(1_000);
    meter.check(scene.clock.nowMs());
    const before = meter.sums;
    lasts(10_000);
    expect(meter.sums.upMs).toBe(before.upMs);
    expect(meter.sums.lost).toEqual(before.lost);
    expect(meter.sums.aside).toEqual([[code ?? phase, 20_000]]);
  });

  it.each([
    ['fill_burst', 'aside'],
    ['position_uncertain', 'lost'],
  ] as const)('takes an order that %s holds back at its level for %s', (control, kind) => {
    const { scene, meter, lasts, say } = metered();
    bid(scene);
    say('stop_adding', 'quoting', `ask at 0.60: ${control}, more than is allowed`);
    lasts(1_000);
    expect(meter.sums[kind]).toEqual([[control, 1_000]]);
  });

  it.each([
    [false, 'aside'],
    [true, 'lost'],
  ] as const)(
    'takes a cash break for a control, where nothing was lost (%s) for %s',
    (isHarmless, kind) => {
      const { scene, world, meter, lasts, say } = metered();
      world.isHarmless = isHarmless;
      bid(scene);
      say('cash_divergence');
      lasts(1_000);
      expect(meter.sums[kind]).toEqual([['cash_divergence', 1_000]]);
    },
  );

  it('does not count a closed market, a venue that is down, a dead process, or a side nobody wants', () => {
    const { scene, world, meter, lasts } = metered();
    bid(scene);
    bid(scene, 0);
    lasts(1);
    world.isAnswering = false;
    lasts(1_000);
    world.isAnswering = true;
    world.isWanted = false;
    lasts(1_000);
    world.isWanted = true;
    scene.venue.exchange.setTradingStatus(scene.market, 'paused');
    lasts(1_000);
    expect(meter.sums.upMs).toBe(2);
    expect(Object.fromEntries(meter.sums.aside)).toEqual({
      'the venue does not answer': 2_000,
      'the strategy wants none': 2_000,
      'market paused': 2_000,
    });
    const dead = metered();
    const hash = bid(dead.scene);
    dead.lasts(1);
    dead.scene.venue.exchange.cancel(dead.scene.account, hash);
    dead.world.isAlive = false;
    dead.lasts(1_000);
    expect(dead.meter.sums.aside).toEqual([['no process runs', 2_000]]);
  });

  it('does not count what is empty while the disk writes nothing, and counts what rests', () => {
    const { scene, world, meter, lasts } = metered();
    bid(scene);
    world.isDiskSound = false;
    lasts(1_000);
    expect(meter.sums).toEqual({
      upMs: 1_000,
      lost: [],
      aside: [['the disk does not write', 1_000]],
    });
  });
});

describe('uptime_low', () => {
  const HOUR_MS = 3_600_000;
  const uptime = (percent: number, ms = HOUR_MS) => ({
    upMs: (ms * percent) / 100,
    lost: [['no_book', ms * (1 - percent / 100)]] as const,
    aside: [['paused', HOUR_MS]] as const,
  });

  it('is a profile below its own floor, whatever was not counted', () => {
    expect(lowUptime('calm', uptime(99.4))?.rule).toBe('uptime_low');
    expect(lowUptime('calm', uptime(99.6))).toBeUndefined();
    expect(lowUptime('feed', uptime(97.1))).toBeUndefined();
    expect(lowUptime('feed', uptime(96.9))?.detail).toContain('96.90 %');
  });

  it('is none of a few minutes, nor where nothing was counted', () => {
    expect(lowUptime('calm', uptime(50, 600_000))).toBeUndefined();
    expect(lowUptime('calm', summed([]))).toBeUndefined();
    expect(percentOf(summed([]))).toBeUndefined();
  });

  it('is of all runs of the profile together, and says where the time went', () => {
    const both = summed([uptime(100), uptime(98)]);
    expect(percentOf(both)).toBeCloseTo(99, 9);
    const [head, lost, aside] = uptimeLines('calm', both);
    expect(head).toMatch(/^calm +99\.00 %, floor 99\.5 % BELOW$/);
    expect(lost).toContain('no_book 72.0 s');
    expect(aside).toContain('paused 7200.0 s');
  });

  it('has a floor of 97 % or more for every profile', () => {
    expect(Math.min(...Object.values(UPTIME_FLOORS))).toBeGreaterThanOrEqual(97);
  });
});
