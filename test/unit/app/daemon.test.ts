// The end of a daemon whose core has failed, against a real venue over loopback.

import { lookup } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Closing } from '../../../src/app/closing.ts';
import type { DaemonParts } from '../../../src/app/compose.ts';
import { Daemon } from '../../../src/app/daemon.ts';
import { EditedConfig } from '../../../src/app/edited-config.ts';
import { EXIT } from '../../../src/app/exit.ts';
import { LiveFigures } from '../../../src/app/figures.ts';
import { createLoop } from '../../../src/app/loop.ts';
import { OperatorRecord } from '../../../src/app/operator-record.ts';
import { OwnTeller } from '../../../src/app/own-orders.ts';
import { ProofWatch } from '../../../src/app/proof.ts';
import { RecentEvents } from '../../../src/app/recent-events.ts';
import { MarketSelection } from '../../../src/app/selection.ts';
import { UnwrittenStops } from '../../../src/app/unwritten-stops.ts';
import { type SystemClock, systemClock } from '../../../src/clock/system.ts';
import { createEngine } from '../../../src/core/engine.ts';
import { SIGNED_WITHIN_MS } from '../../../src/core/kernel/bounds.ts';
import type { Command } from '../../../src/domain/command.ts';
import { intentId, marketId, tokenId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import type { OrderState } from '../../../src/domain/order.ts';
import type { StoredOrder } from '../../../src/domain/record.ts';
import type { Report } from '../../../src/domain/report.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { MarketView } from '../../../src/domain/view.ts';
import { FairFeeds } from '../../../src/feeds/feeds.ts';
import type { Latch } from '../../../src/journal/latch.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { parseSettings } from '../../../src/settings/load.ts';
import { createLog } from '../../../src/telemetry/logs.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { createVenue } from '../../../src/venue/venue.ts';
import { marketView } from '../telemetry/views.ts';

const clock = systemClock();
const HORIZON_MS = 35_000;
/** For a proof of which nothing but a busy machine is in the way, and for a core that never says anything. */
const PROOF = { patienceMs: 10_000 };
const VERDICT = { patienceMs: 3_000 };
let venue: PaperVenue;

beforeEach(async () => {
  const markets = [{ slug: 'x', title: 'X?' }];
  const event = { slug: 'x', title: 'X', category: 'c', tickSize: '0.01', markets } as const;
  venue = await startPaperVenue({ events: [event] });
});
afterEach(async () => await venue.stop());

const openOrders = () => {
  const { exchange } = venue;
  return exchange.openOrders(exchange.accounts.named('maker')).length;
};

/** An order of the daemon's account rests on the venue. */
function rest(): void {
  const [market] = venue.desk.events()[0]?.markets ?? [];
  const [event] = venue.desk.events();
  if (!market || !event) throw new Error('nothing is listed');
  const answer = venue.desk.place('maker', {
    tokenId: market.yes.tokenId,
    side: 'BUY',
    price: ticks(event.grid, 40),
    quantity: shares(10),
    timeInForce: 'GTC',
  });
  expect(answer.kind).toBe('accepted');
}

/** A placement of a previous run that may arrive for so much longer. */
function sent(leftMs: number): StoredOrder {
  const sentAtMs = unixMs(clock.nowMs() + leftMs - HORIZON_MS - SIGNED_WITHIN_MS);
  return {
    intentId: intentId('i-1'),
    marketId: marketId('m-1'),
    tokenId: tokenId('0x01'),
    leg: 'yes',
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 40),
    ticksPerUnit: tickGrid('0.01').ticksPerUnit,
    quantity: shares(10),
    sentAtMs,
    isExternal: false,
    orderHash: undefined,
    state: 'sending',
    stateSinceMs: sentAtMs,
    executed: shares(0),
    confirmedAtMs: undefined,
    settingsVersion: undefined,
  };
}

/** A daemon of real parts around a core that answers as the test says. */
function daemonWith(
  step: (input: Input) => readonly Command[],
  {
    sent = [],
    unanswered = 0,
    state = 'unknown',
    clock = systemClock(),
    killedAgain,
    latched = [],
    standing: known = [],
    whileLifting = () => {},
    isHung = false,
    endsWithGuard = false,
    onResumed = () => {},
    patienceMs = 1_000,
    markets = [],
  }: {
    sent?: readonly StoredOrder[];
    unanswered?: number;
    state?: OrderState;
    clock?: SystemClock;
    killedAgain?: Latch;
    latched?: string[];
    /** What the disk holds. */
    standing?: readonly Latch[];
    whileLifting?: (daemon: Daemon) => void;
    /** The disk takes no latch, and never says so. */
    isHung?: boolean;
    endsWithGuard?: boolean;
    /** The guard is told. */
    onResumed?: () => void;
    /** A core has so long for its verdict, and then the independent path for its proof. */
    patienceMs?: number;
    /** As the core knows them. */
    markets?: readonly MarketView[];
  } = {},
) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', sink: { write: (l) => lines.push(l) } });
  const strategies = new Map();
  const source = { file: 'test.yaml', env: {}, strategies };
  const text = JSON.stringify({
    venue: { baseUrl: venue.baseUrl, wsUrl: venue.wsUrl },
    markets: [],
    timing: { proofQuietMs: 300, proofDeadlineMs: patienceMs, unknownHorizonMs: HORIZON_MS },
  });
  const settings = parseSettings(text, source);
  const { apiKey, apiSecret, apiPassphrase } = venue.account;
  const current = () => ({
    apiKey: new Secret(apiKey),
    apiSecret: new Secret(apiSecret),
    apiPassphrase: new Secret(apiPassphrase),
  });
  const credentials = { source: 'environment', current, reload: async () => false } as const;
  const access = { settings, credentials, clock, timers: clock };
  const engine = {
    ...createEngine({ strategies }),
    step,
    view: () => {
      const view = createEngine({ strategies }).view();
      return { ...view, markets, ordersByState: { ...view.ordersByState, [state]: unanswered } };
    },
  };
  const own = new OwnTeller('account');
  own.seed({ orders: sent }, clock.nowMs());
  const port = createVenue({ ...access, ...settings.venue, random: Math.random });
  const proofs = new ProofWatch(clock, clock);
  const late: { daemon?: Daemon } = {};
  const loop = createLoop({
    engine,
    send: (command) => port.send(command),
    clock,
    timers: clock,
    tickMs: 10,
    onReport: (report) => proofs.onReport(report),
    onInput() {},
    onBreaker: () => void late.daemon?.abort('the core threw', EXIT.failed),
  });
  const metrics = createMetrics({ version: 'test' });
  const parts: DaemonParts = {
    engine,
    venue: port,
    loop,
    metrics,
    events: new RecentEvents(),
    record: new OperatorRecord({ clock, before: [], keep() {}, tell() {} }),
    feeds: new FairFeeds({
      clock,
      timers: clock,
      fromTimeOfDay: clock.fromTimeOfDay,
      random: Math.random,
      lookup,
      onUpdate() {},
      onState() {},
    }),
    view: engine.view,
    figures: new LiveFigures({ clock, earnedIn: () => undefined }),
    proofs,
    stops: new UnwrittenStops({ log, guard: undefined }),
    config: new EditedConfig(clock),
    own,
    writer: { setScope() {} },
    access,
    wantedEvents: [],
    selection: new MarketSelection({
      ...{ clock, timers: clock, log },
      read: async () => ({ kind: 'notSent', detail: 'no filter here' }),
      held: () => new Set(),
      onChange() {},
    }),
  };
  const none = async () => {};
  const standing = async () => known;
  const set = async (by: string) => {
    latched.push(by);
    if (isHung) await new Promise(() => {});
  };
  const lift = async () => {
    if (late.daemon) whileLifting(late.daemon);
    return killedAgain;
  };
  const latch = { set, confirm: none, standing, lift, settled: none };
  const closing = new Closing(clock, () => {});
  closing.add('venue', async () => await port.stop());
  const host = { log, clock, endsWithGuard, http: { path: '', isPortFree: false } };
  const guarded = { resumed: onResumed } as never;
  const options = { settings, source, strategies, credentials, guarded, ...host };
  const daemon = new Daemon({ options, parts, latch, closing });
  late.daemon = daemon;
  port.start((message) => loop.deliver(message));
  loop.start();
  return { daemon, loop, lines };
}

describe('a daemon whose core throws', () => {
  it('cancels everything by the independent kill path and fails', async () => {
    rest();
    expect(openOrders()).toBe(1);
    const { daemon, lines } = daemonWith(() => {
      throw new Error('impossible state');
    }, PROOF);
    expect(await daemon.ended).toBe(EXIT.failed);
    expect(openOrders()).toBe(0);
    expect(lines.join('')).toContain('daemon.aborting');
  });

  it('says that nothing is confirmed when the venue is gone', async () => {
    rest();
    venue.faults.plan({ path: '/orders', times: 1_000, action: { kind: 'dropRequest' } });
    const { daemon } = daemonWith(() => {
      throw new Error('impossible state');
    });
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });
});

describe('a daemon whose core is silent', () => {
  it('is stopped by the independent kill path', async () => {
    rest();
    const { daemon, lines } = daemonWith(() => [], VERDICT);
    await daemon.stop('test');
    expect(await daemon.ended).toBe(EXIT.done);
    expect(openOrders()).toBe(0);
    expect(lines.join('')).toContain('the core gave no verdict');
  });

  it('answers a kill all the same', async () => {
    rest();
    const { daemon, loop } = daemonWith(() => [], VERDICT);
    expect(await daemon.kill('test')).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(openOrders()).toBe(0);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });

  it('confirms nothing while a placement has no answer', async () => {
    const { daemon, loop } = daemonWith(() => [], { unanswered: 1 });
    daemon.open();
    expect(await daemon.kill('test')).toMatchObject({ kind: 'unconfirmed', left: [] });
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a resume before the venue is open', () => {
  it('is refused: what a previous run left could not be lifted by it', async () => {
    const { daemon, loop } = daemonWith(() => []);
    await expect(daemon.resume('test')).rejects.toThrow('not resumed: the daemon is starting');
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a stop of one market that a start is told', () => {
  const ask = { market: 'm-1', by: 'test' } as const;

  it.each(['pause', 'kill'] as const)(
    'is obeyed by the daemon once it is open: a %s',
    async (order) => {
      const orders: string[] = [];
      const step = (input: Input) => {
        if (input.kind === 'operator') orders.push(input.order.kind);
        return [];
      };
      const markets = [{ ...marketView('rain'), marketId: marketId('m-1') }];
      const { daemon, loop } = daemonWith(step, { markets });
      const answer = daemon.ofMarket({ ...ask, order }).catch((error: Error) => error.message);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(orders).toEqual([]);
      daemon.open();
      await expect.poll(() => orders).toEqual(['stopMarket']);
      // This core shows no stop.
      expect(await answer).toBe(`no ${order}: the core has not taken it up`);
      loop.stop();
      await daemon.abort('end of the test', EXIT.done);
    },
  );

  it('is no resume, which is refused', async () => {
    const { daemon, loop } = daemonWith(() => []);
    const resumed = daemon.ofMarket({ ...ask, order: 'resume' });
    await expect(resumed).rejects.toThrow('no resume: the daemon is starting');
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a resume that holds', () => {
  it('is told to the guard, which ends its own part of the kill', async () => {
    let told = 0;
    const { daemon, loop } = daemonWith(() => [], { onResumed: () => (told += 1) });
    daemon.open();
    await daemon.resume('test');
    expect(told).toBe(1);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a resume beside a kill that another process orders', () => {
  it('is refused, and the core is notified of the kill', async () => {
    const orders: string[] = [];
    const step = (input: Input) => {
      if (input.kind === 'operator') orders.push(`${input.order.kind} by ${input.order.by}`);
      return [];
    };
    const killedAgain = { by: 'bookend kill', reason: 'kill', at: 'later' };
    const onResumed = () => orders.push('told to the guard');
    const { daemon, loop } = daemonWith(step, { killedAgain, onResumed });
    daemon.open();
    await expect(daemon.resume('test')).rejects.toThrow('killed again by bookend kill');
    await expect.poll(() => orders).toEqual(['resume by test', 'kill by bookend kill']);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a latch that cannot be lifted', () => {
  it('stays, and the core that had resumed is killed again', async () => {
    const orders: string[] = [];
    const latched: string[] = [];
    const step = (input: Input) => {
      if (input.kind === 'operator') orders.push(`${input.order.kind} by ${input.order.by}`);
      return [];
    };
    const whileLifting = () => {
      throw new Error('read-only file system');
    };
    const { daemon, loop } = daemonWith(step, { latched, whileLifting });
    daemon.open();
    await expect(daemon.resume('test')).rejects.toThrow('cannot be lifted: read-only file system');
    await expect.poll(() => orders).toEqual(['resume by test', 'kill by test']);
    expect(latched).toEqual(['test']);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a latch that is found while a resume lifts it', () => {
  it('is set again, and the resume is refused: a start has to know of the kill', async () => {
    const latched: string[] = [];
    const { daemon, loop } = daemonWith(() => [], {
      latched,
      whileLifting: (found) => found.onLatch({ by: 'bookend kill', reason: 'kill', at: 'later' }),
    });
    daemon.open();
    await expect(daemon.resume('test')).rejects.toThrow('killed again by bookend kill');
    expect(latched).toContain('bookend kill');
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a latch that is seen while a resume lifts it', () => {
  const latch = { by: 'test', reason: 'kill', at: '2026-01-02T03:04:05.678Z' };

  it('is the one that is lifted: the resume holds, and so it does when that is seen later', async () => {
    const orders: string[] = [];
    const step = (input: Input) => {
      if (input.kind === 'operator') orders.push(input.order.kind);
      return [];
    };
    const { daemon, loop } = daemonWith(step, {
      standing: [latch],
      whileLifting: (found) => found.onLatch(latch),
    });
    daemon.open();
    await daemon.resume('test');
    daemon.onLatch({ ...latch });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(orders).toEqual(['resume']);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });

  it.each([
    ['of another moment', latch, { ...latch, at: '2026-01-02T03:04:05.679Z' }],
    ['that says no time', { ...latch, at: undefined }, { ...latch, at: undefined }],
  ])('is another kill when it is one %s', async (_, lifted, seen) => {
    const { daemon, loop } = daemonWith(() => [], {
      standing: [lifted],
      whileLifting: (found) => found.onLatch(seen),
    });
    daemon.open();
    await expect(daemon.resume('test')).rejects.toThrow('killed again by test');
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

describe('a daemon that ends at once', () => {
  it('confirms nothing of what its last step placed: it leaves with the step, and no other follows', async () => {
    const { daemon } = daemonWith(() => [], { unanswered: 1, state: 'intended' });
    await daemon.abort('an error was not caught', EXIT.failed);
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });

  it('confirms nothing while a placement of a previous run may arrive that the core does not know', async () => {
    const { daemon } = daemonWith(() => [], { sent: [sent(20_000)] });
    await daemon.abort('SIGTERM came twice', EXIT.done);
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });

  it('confirms it when that can arrive no more', async () => {
    const { daemon } = daemonWith(() => [], { sent: [sent(-10)], ...PROOF });
    await daemon.abort('SIGTERM came twice', EXIT.done);
    expect(await daemon.ended).toBe(EXIT.done);
  });
});

describe('a kill beside a disk that hangs', () => {
  it.each([
    ['cancels everything, and says so', true],
    ['cancels everything before the daemon is open, too', false],
  ])('%s', async (_, isOpen) => {
    rest();
    const orders: string[] = [];
    const step = (input: Input): readonly Command[] => {
      if (input.kind !== 'operator') return [];
      orders.push(input.order.kind);
      return [{ kind: 'report', report: CONFIRMED }];
    };
    const { daemon, loop } = daemonWith(step, { isHung: true, ...PROOF });
    if (isOpen) daemon.open();
    expect(await daemon.kill('test')).toMatchObject({ kind: 'confirmed' });
    expect(orders).toEqual(isOpen ? ['kill'] : []);
    if (!isOpen) expect(openOrders()).toBe(0);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});

const UNCONFIRMED: Report = {
  event: 'kill.unconfirmed',
  ...{
    stillOpen: 0,
    orderHashes: [],
    inFlight: [],
    settling: 1,
    unsettled: [],
    isOnlyParts: false,
    detail: 'one settles',
  },
};
const CONFIRMED: Report = {
  event: 'kill.confirmed',
  ...{ cancelled: 1, tookMs: 1, leftAlone: 0, refused: [], settling: 0, unsettled: [] },
  scope: 'account',
};

it('a kill in the scope of own orders says so: those of others may rest', async () => {
  const own: Report = { ...CONFIRMED, scope: 'own', leftAlone: 2 };
  const { daemon, loop } = daemonWith((input) =>
    input.kind === 'operator' ? [{ kind: 'report', report: own }] : [],
  );
  daemon.open();
  expect(await daemon.kill('test')).toMatchObject({ scope: 'own', leftAlone: 2 });
  loop.stop();
  await daemon.abort('end of the test', EXIT.done);
});

/** A core that says so by its deadline, and that it is confirmed when so much more has passed. */
function settlingCore(
  confirmedInMs: number,
  confirmed: Report = CONFIRMED,
): (input: Input) => readonly Command[] {
  let stoppedAtMs: number | undefined;
  let isConfirmed = false;
  return (input) => {
    if (input.kind === 'operator') {
      stoppedAtMs = input.atMs;
      return [{ kind: 'report', report: UNCONFIRMED }];
    }
    const isOver = stoppedAtMs !== undefined && input.atMs - stoppedAtMs >= confirmedInMs;
    if (!isOver || isConfirmed) return [];
    isConfirmed = true;
    return [{ kind: 'report', report: confirmed }];
  };
}

describe('a stop beside an order that is matched and not settled', () => {
  it('ends when that has settled, though its deadline has passed', async () => {
    const { daemon } = daemonWith(settlingCore(500));
    await daemon.stop('test');
    expect(await daemon.ended).toBe(EXIT.done);
  });

  it('is a good end, since nothing of it rests, and says that it may rest again', async () => {
    const { daemon, lines } = daemonWith(settlingCore(500, { ...CONFIRMED, unsettled: ['0x99'] }));
    await daemon.stop('test');
    expect(await daemon.ended).toBe(EXIT.done);
    expect(daemon.unsettled).toBe(1);
    expect(said(lines, '"daemon.settling"')).toBe(true);
    expect(said(lines, '"unsettled":["0x99"]')).toBe(true);
  });
});

/** The venue answers nothing, so that no stop can be confirmed. */
function venueAway(): void {
  venue.faults.plan({ path: '/orders', times: 100_000, action: { kind: 'dropRequest' } });
}

const said = (lines: readonly string[], text: string) => lines.join('').includes(text);

describe('a daemon whose guard is gone', () => {
  it('goes on where its stop cannot be confirmed, and cancels when the venue is back', async () => {
    rest();
    venueAway();
    const { daemon, lines } = daemonWith(() => []);
    void daemon.external();
    await expect.poll(() => said(lines, 'daemon.goes_on'), { timeout: 20_000 }).toBe(true);
    expect(openOrders()).toBe(1);
    venue.faults.clear();
    await expect.poll(openOrders, { timeout: 20_000 }).toBe(0);
    await daemon.insist('SIGTERM');
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });

  it('goes on, too, when the guard went while the stop was under way', async () => {
    venueAway();
    const { daemon, lines } = daemonWith(() => []);
    void daemon.stop('SIGTERM');
    void daemon.external();
    await expect.poll(() => said(lines, 'daemon.goes_on'), { timeout: 20_000 }).toBe(true);
    await daemon.insist('SIGTERM');
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });

  it('is not ended by an error that nobody caught while it goes on', async () => {
    rest();
    venueAway();
    const { daemon, lines } = daemonWith(() => []);
    void daemon.external();
    await expect.poll(() => said(lines, 'daemon.goes_on'), { timeout: 20_000 }).toBe(true);
    await daemon.abort('an error was not caught', EXIT.failed);
    venue.faults.clear();
    await expect.poll(openOrders, { timeout: 20_000 }).toBe(0);
    await daemon.insist('SIGTERM');
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
  });

  it('ends where it was told again before', async () => {
    venueAway();
    const { daemon, lines } = daemonWith(() => []);
    void daemon.external();
    await daemon.insist('SIGTERM');
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
    expect(said(lines, 'daemon.goes_on')).toBe(false);
  });

  it('ends where the venue went with the guard: nothing rests there', async () => {
    venueAway();
    const { daemon, lines } = daemonWith(() => [], { endsWithGuard: true });
    await daemon.external();
    expect(await daemon.ended).toBe(EXIT.unconfirmed);
    expect(said(lines, 'daemon.goes_on')).toBe(false);
  });
});

describe('a kill before the venue is open', () => {
  it('waits for what a previous run sent and nobody answered', async () => {
    const startedAtMs = clock.nowMs();
    const { daemon, loop } = daemonWith(() => [], { sent: [sent(2_500)], ...PROOF });
    expect(await daemon.kill('test')).toMatchObject({ kind: 'confirmed', cancelled: 0 });
    expect(clock.nowMs() - startedAtMs).toBeGreaterThanOrEqual(2_500);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });

  it('waits as long by a clock that is set an hour ahead meanwhile', async () => {
    let aheadMs = 0;
    const steadyMs = () => performance.now();
    const stepped = systemClock({ wallMs: () => Date.now() + aheadMs, steadyMs });
    const startedAtMs = clock.nowMs();
    const { daemon, loop } = daemonWith(() => [], {
      sent: [sent(1_500)],
      clock: stepped,
      ...PROOF,
    });
    setTimeout(() => {
      aheadMs = 3_600_000;
    }, 200);
    expect(await daemon.kill('test')).toMatchObject({ kind: 'confirmed', cancelled: 0 });
    expect(clock.nowMs() - startedAtMs).toBeGreaterThanOrEqual(1_500);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });

  it('does not wait for what can arrive no more', async () => {
    const { daemon, loop } = daemonWith(() => [], { sent: [sent(-10)], ...PROOF });
    const startedAtMs = clock.nowMs();
    expect(await daemon.kill('test')).toMatchObject({ kind: 'confirmed', cancelled: 0 });
    expect(clock.nowMs() - startedAtMs).toBeLessThan(1_500);
    loop.stop();
    await daemon.abort('end of the test', EXIT.done);
  });
});
