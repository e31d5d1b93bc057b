// One daemon with its venue, crowd, disk and guard on virtual time, scraped every fifteen seconds. It is that of
// the fault simulation without its judge: what is judged here is what Prometheus makes of the numbers.

import { Shadows } from '../../src/app/shadow.ts';
import { VirtualClock } from '../../src/clock/virtual.ts';
import type { FeedState } from '../../src/domain/feed.ts';
import type { CoreSettings, OperatorOrder } from '../../src/domain/input.ts';
import { shares } from '../../src/domain/shares.ts';
import { DEATH_REASONS, type DeathReason, type Supervision } from '../../src/domain/supervision.ts';
import { tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../src/domain/trust.ts';
import { usdc } from '../../src/domain/usdc.ts';
import type { StateView } from '../../src/domain/view.ts';
import { seededRandom } from '../../src/paper/crowd/random.ts';
import { type SyntheticCrowd, startSyntheticCrowd } from '../../src/paper/crowd/synthetic.ts';
import { type DirectVenue, openDirectVenue } from '../../src/paper/direct.ts';
import type { PaperOptions } from '../../src/paper/options.ts';
import type { EpisodeKind } from '../simulation/profiles.ts';
import { PLAIN } from '../simulation/world/controls.ts';
import { KeyFile } from '../simulation/world/credentials.ts';
import { Disk } from '../simulation/world/disk.ts';
import { Guard } from '../simulation/world/guard.ts';
import { FreezableTimers, HostClock } from '../simulation/world/host.ts';
import { DaemonProcess, type ProcessWatch } from '../simulation/world/process.ts';
import { settingOf, strategies } from '../simulation/world/setting.ts';
import { Tally } from '../simulation/world/tally.ts';
import { Weather } from '../simulation/world/weather.ts';
import { scraped } from '../support/scraped.ts';
import { Machine } from './machine.ts';
import { stamped } from './openmetrics.ts';

export const START_MS = Date.UTC(2026, 10, 21);
export const SCRAPE_MS = 15_000;
/** Who trades, and what the daemon trades with. */
const MAKER = 'maker';
const CASH = 2_000;
/** A loop that is slow enough for hours, and quick enough for every alert. */
const TICK_MS = 1_000;
const CROWD = { makers: 1, makerLevels: 3, makerError: 0.02, noiseTakersPerSec: 0.8 };
const CROWD_STEP_MS = 5_000;
const ACTIVITY = 0.1;
const AUDITS_PER_SEC = 0.2;

/** What is not as usual from the beginning. */
export type Unusual = {
  readonly settings?: (usual: CoreSettings) => CoreSettings;
  readonly rules?: PaperOptions['rules'];
};

export type Scrapes = {
  /** Names of the series that are kept; all of them where nothing is said. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Takes each scrape, as text with times. */
  readonly onScrape: (text: string) => Promise<void>;
};

type Scraped = ReturnType<typeof scraped>;

/** One market has other parameters simulated beside its own: a dashboard compares both. */
function withShadow([first, ...others]: CoreSettings['markets']): CoreSettings['markets'] {
  return first === undefined ? [] : [{ ...first, shadow: { halfSpreadTicks: 1 } }, ...others];
}

export class ReplayedDaemon {
  readonly clock = new VirtualClock({ startMs: START_MS });
  readonly venue: DirectVenue;
  readonly host = new HostClock(this.clock);
  readonly crowd: SyntheticCrowd;
  readonly keys: KeyFile;
  readonly weather: Weather;
  /** The source of external prices, where the daemon has one. */
  feed: FeedState | undefined;
  /** Lines of the recording that were given up. */
  droppedRecords = 0;
  settings: CoreSettings;
  readonly #instance: string;
  readonly #random;
  readonly #crowdTimers = new FreezableTimers(this.clock, CROWD_STEP_MS);
  readonly #machine = new Machine(TICK_MS);
  readonly #guard = new Guard();
  readonly #broken: Error[] = [];
  readonly #deaths = new Map<DeathReason, number>();
  #last: Supervision['last'];
  #disk: Disk | undefined;
  #process: DaemonProcess | undefined;
  #metrics: Scraped | undefined;
  #shadows = new Shadows();
  #processes = 0;
  #latchedBy: string | undefined;
  #isAwake = false;

  constructor(instance: string, { settings = (usual) => usual, rules }: Unusual = {}) {
    this.#instance = instance;
    this.#random = seededRandom(`alerts/${instance}`);
    const { events, settings: usual } = settingOf('binary', PLAIN);
    const trust = { ...TRUST_DEFAULTS, auditsPerSec: AUDITS_PER_SEC };
    this.settings = settings({ ...usual, trust, markets: withShadow(usual.markets) });
    this.venue = openDirectVenue({
      ...{ clock: this.clock, timers: this.clock, events, seed: 1 },
      ...{ startingCash: CASH, accountName: MAKER },
      ...(rules === undefined ? {} : { rules }),
    });
    this.keys = new KeyFile(this.venue.account);
    this.weather = new Weather(this.#random.split('weather'), new Tally());
    this.crowd = startSyntheticCrowd(this.venue.desk, {
      ...{ seed: `alerts/${instance}`, timers: this.#crowdTimers, activity: ACTIVITY },
      markets: Object.fromEntries(events.map(({ slug }) => [slug, CROWD])),
    });
  }

  get account() {
    return this.venue.exchange.accounts.named(MAKER);
  }

  get markets() {
    return this.venue.exchange.catalogue.events().flatMap((listed) => listed.markets);
  }

  get view(): StateView | undefined {
    const process = this.#process;
    if (process?.isOver !== false) return undefined;
    return {
      ...this.#shadows.shown(process.engine.view()),
      unwrittenStops: process.unwrittenStops,
      guard: { run: this.#processes, deaths: this.#deathCounts(), last: this.#last },
      ...(this.feed === undefined ? {} : { feeds: [this.#feedView(this.feed)] }),
    };
  }

  /** Runs for a while, and is scraped meanwhile. */
  async run(durationMs: number, { only, onScrape }: Scrapes): Promise<void> {
    this.#disk = await Disk.open({ mode: 'gathered', clock: this.clock, weather: this.weather });
    this.#startProcess();
    try {
      for (let atMs = SCRAPE_MS; atMs <= durationMs; atMs += SCRAPE_MS) {
        await this.#runUntil(START_MS + atMs);
        await onScrape(await this.#scrape(only));
        const [error] = this.#broken;
        if (error !== undefined) throw error;
      }
    } finally {
      this.#process?.end();
      this.venue.stop();
      await this.#disk.close();
    }
  }

  // What goes wrong

  at(delayMs: number, task: () => void): void {
    this.clock.after(delayMs, task);
  }

  /** Does it now, and again with a pause between. */
  repeat(times: number, everyMs: number, task: () => void): void {
    for (let count = 0; count < times; count += 1) this.at(count * everyMs, task);
  }

  episode(kind: EpisodeKind, durationMs: number, strength = 1): void {
    this.weather.begin(kind, strength);
    this.at(durationMs, () => this.weather.end(kind));
  }

  operator(order: OperatorOrder): void {
    if (this.#process?.isOver !== false) return;
    this.#process.operator(order);
    if (order.kind === 'kill') this.#latchedBy = order.by;
    if (order.kind === 'resume') this.#latchedBy = undefined;
  }

  reload(settings: CoreSettings): void {
    this.settings = settings;
    this.#process?.reload(settings);
    this.#metrics?.onReload('applied');
  }

  /** Somebody saved a file with a mistake in it. */
  refuseReload(): void {
    this.#metrics?.onReload('refused');
  }

  cutSockets(): void {
    this.#process?.cutSockets();
  }

  /** The trader dies, and its guard starts another. */
  die(reason: DeathReason, downMs: number): void {
    const process = this.#process;
    if (process?.isOver !== false) return;
    process.end();
    this.#deaths.set(reason, (this.#deaths.get(reason) ?? 0) + 1);
    const at = new Date(this.clock.nowMs()).toISOString();
    this.#last = { reason, detail: 'replayed', at, clearMs: downMs };
    this.at(downMs, () => this.#startProcess());
  }

  /** Nobody of the crowd trades any more, and its orders are gone. */
  leaveTheCrowd(): void {
    this.crowd.stop();
    this.#crowdTimers.freeze();
  }

  /** Everybody hears that YES of every market is worth this much. */
  news(probability: number): void {
    for (const { market, trading } of this.markets) {
      if (trading !== 'resolved') this.crowd.announce(market.id, probability);
    }
  }

  /** A number between two others. */
  chance(from: number, to: number): number {
    return from + (to - from) * this.#random.uniform();
  }

  /** Prices go one way as long as the daemon holds the other, and on. */
  runAway(): void {
    this.repeat(12, 30_000, () => {
      const held = this.view?.markets ?? [];
      for (const { marketId, positionYes, positionNo, bestBid } of held) {
        const isLong = Number(positionYes) > Number(positionNo);
        const from = Number(bestBid ?? 0.5);
        const to = isLong ? from - 0.15 : from + 0.15;
        this.crowd.announce(marketId, Math.min(0.97, Math.max(0.03, to)));
      }
    });
  }

  changeTickSize(): void {
    const [market] = this.markets;
    if (market === undefined) return;
    const { listed } = market;
    const other = listed.grid.tickSize === '0.01' ? '0.001' : '0.01';
    this.venue.exchange.regrid(listed, tickGrid(other));
  }

  /** An order of somebody else on the account, far from the others. */
  placeByHand(): void {
    const [market] = this.markets;
    if (market === undefined) return;
    this.venue.exchange.placeLimit(this.account, {
      ...{ token: { market, index: 1 }, side: 'BUY', timeInForce: 'GTC' },
      price: ticks(market.grid, Math.round(market.grid.ticksPerUnit * 0.05)),
      ...{ quantityMicro: 20_000_000, expiresAtMs: undefined, clientOrderId: undefined },
    });
  }

  /** Everybody leaves, and somebody sells a little into each bid of the daemon: then prices go on. */
  tradeInPart(): void {
    const { desk, exchange } = this.venue;
    const taker = 'taker';
    desk.fund(taker, usdc(1_000));
    for (const order of exchange.openOrders(this.account)) {
      const { side, outcome, price } = order.terms;
      if (side !== 'BUY') continue;
      const { market, index } = exchange.catalogue.token(outcome.tokenId);
      // A buyer of the other outcome at the other end of the axis meets it.
      const other = market.outcome(index === 1 ? 0 : 1);
      desk.place(taker, {
        ...{ tokenId: other.tokenId, side: 'BUY', timeInForce: 'FAK' },
        price: ticks(market.grid, market.grid.ticksPerUnit - price),
        quantity: shares(4),
      });
    }
    this.leaveTheCrowd();
  }

  #deathCounts(): Supervision['deaths'] {
    const counts = DEATH_REASONS.map((reason) => [reason, this.#deaths.get(reason) ?? 0]);
    return Object.fromEntries(counts) as Supervision['deaths'];
  }

  #feedView(state: FeedState) {
    return {
      ...{ name: 'odds', event: 'rain', market: undefined, from: 'odds.json', state },
      ...{ sinceMs: this.clock.nowMs(), detail: '', price: '0.5', ageMs: 1_000, volatility: 0.6 },
      counts: { taken: 1, refused: 0, skipped: 0, failures: state === 'down' ? 1 : 0 },
    };
  }

  #startProcess(): void {
    const disk = this.#disk;
    if (disk === undefined) throw new Error('the disk is open first');
    this.#processes += 1;
    this.host.begin();
    this.#machine.onProcessBegins(this.clock.nowMs());
    const metrics = scraped({
      version: '0.0.0',
      view: () => this.view,
      dropped: { recorder: () => this.droppedRecords },
    });
    this.#metrics = metrics;
    this.#shadows = new Shadows();
    this.#process = new DaemonProcess({
      ...{ number: this.#processes, clock: this.clock, host: this.host, venue: this.venue },
      ...{ weather: this.weather, keys: this.keys, settings: this.settings, tickMs: TICK_MS },
      ...{ mutation: undefined, latchedBy: this.#latchedBy, disk, guard: this.#guard },
      random: this.#random.split(`process/${this.#processes}`),
      strategies: this.#shadows.beside(strategies((strategy) => strategy)),
      watch: this.#watch(),
      counts: metrics,
      onWake: () => {
        this.#isAwake = true;
      },
    });
    this.#process.start();
  }

  #watch(): ProcessWatch {
    return {
      onSent: () => {},
      during: (_, effect) => effect(),
      onAnswer: () => {},
      onMessage: () => {},
      onCommand: () => {},
      onInput: (input) => {
        this.#shadows.onInput(input);
        if (input.kind === 'tick') this.#machine.onTurn(this.clock.nowMs());
      },
      onBroke: (error) => this.#broken.push(error),
    };
  }

  async #runUntil(untilMs: number): Promise<void> {
    for (;;) {
      const dueMs = this.clock.nextDueMs();
      if (dueMs === undefined || dueMs > untilMs) break;
      this.clock.runUntil(dueMs);
      if (this.#isAwake) await this.#settlePromises();
    }
    this.clock.runUntil(untilMs);
  }

  /** Every promise that can go on has gone on before an immediate runs: nothing else waits. */
  async #settlePromises(): Promise<void> {
    this.#isAwake = false;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }

  /** As Prometheus keeps it: a target that does not answer leaves nothing but `up`. */
  async #scrape(only: Scrapes['only']): Promise<string> {
    const atMs = unixMs(this.clock.nowMs());
    const stamp = { job: 'bookend', instance: this.#instance, atMs };
    const isUp = this.#process?.isOver === false;
    const up = stamped(`up ${isUp ? 1 : 0}`, stamp);
    if (!isUp || this.#metrics === undefined) return up;
    return (
      up + stamped(await this.#metrics.text(), stamp, { instead: this.#machine.series(atMs), only })
    );
  }
}
