// Carries the plan out: begins and ends episodes, and does what happens at once.

import type { VirtualClock } from '../../../src/clock/virtual.ts';
import type { OperatorOrder } from '../../../src/domain/input.ts';
import type { SetsOrder } from '../../../src/domain/sets.ts';
import { microShares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { type Random, seededRandom } from '../../../src/paper/crowd/random.ts';
import type { SyntheticCrowd } from '../../../src/paper/crowd/synthetic.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';
import type { Account } from '../../../src/paper/exchange/account.ts';
import type { ExchangeOrder } from '../../../src/paper/exchange/exchange-order.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import { VenueRefusal } from '../../../src/paper/exchange/refusal.ts';
import { isEpisode, type Plan, type Trouble } from '../plan.ts';
import type { EventKind, TroubleKind } from '../profiles.ts';
import type { KeyFile } from './credentials.ts';
import type { HostClock } from './host.ts';
import type { OddPrices } from './odd-prices.ts';
import type { Tally } from './tally.ts';
import type { Weather } from './weather.ts';

/** What a workload may do to the daemon. */
export interface Daemon {
  /** A trouble begins, and lasts so long. */
  onTrouble(kind: TroubleKind, durationMs: number): void;
  operator(order: OperatorOrder): void;
  reload(random: Random): void;
  /** An operator's command to split, merge or redeem. */
  sets(order: SetsOrder): void;
  cutSockets(): void;
  /** Kills the process and starts another after a while. */
  crash(downMs: number): void;
  /** The same, inside one of the next turns. */
  crashInside(downMs: number, random: Random): void;
  /** The machine loses its power behind one of the next placements. */
  cutPower(downMs: number, random: Random): void;
  /** The same, and what it kept is lost. */
  loseLedger(downMs: number): void;
  /** Stops it in good order, and starts another after a while. */
  restart(downMs: number): void;
}

export type WorkloadParts = {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly host: HostClock;
  readonly venue: DirectVenue;
  readonly account: Account;
  readonly weather: Weather;
  readonly crowd: SyntheticCrowd;
  readonly keys: KeyFile;
  readonly oddPrices: OddPrices;
  readonly faults: Tally;
  readonly daemon: Daemon;
};

type Act = (random: Random, strength: number) => void;

/** Of the orders that somebody places by hand. */
const ODD_PART = 0.25;

export class Workload {
  readonly #parts: WorkloadParts;
  readonly #acts: Readonly<Record<EventKind, Act>>;
  #isOver = false;

  constructor(parts: WorkloadParts) {
    this.#parts = parts;
    this.#acts = this.#actsOf();
  }

  start(plan: Plan): void {
    for (const trouble of plan) {
      this.#after(trouble.atMs, () => this.#begin(trouble));
    }
  }

  /** Ends every trouble and mends what stays broken by itself. */
  resync(): void {
    this.#isOver = true;
    const { weather, venue, host, keys } = this.#parts;
    weather.clear();
    host.drift(0);
    venue.exchange.settlement.failNext(0);
    venue.exchange.settlement.delayNext(0, 0);
    keys.write(this.#latestKeys ?? keys.read());
    for (const market of this.#markets()) venue.exchange.setTradingStatus(market, 'open');
  }

  #latestKeys: ReturnType<KeyFile['read']> | undefined;

  #begin(trouble: Trouble): void {
    const { weather, faults, daemon } = this.#parts;
    const { kind } = trouble;
    daemon.onTrouble(kind, trouble.durationMs);
    if (isEpisode(kind)) {
      weather.begin(kind, trouble.strength);
      this.#after(trouble.durationMs, () => weather.end(kind));
      return;
    }
    faults.add(kind);
    this.#acts[kind](seededRandom(`${this.#parts.seed}/${trouble.name}`), trouble.strength);
  }

  #actsOf(): Readonly<Record<EventKind, Act>> {
    const { daemon, host, venue } = this.#parts;
    const { settlement } = venue.exchange;
    return {
      socketCut: () => daemon.cutSockets(),
      venueClockStep: (random) => this.#stepVenueClock(random),
      hostClockJump: (random) => host.jump(random.whole(100, 8_000)),
      hostClockDrift: (random) => host.drift((random.uniform() - 0.5) / 2_000),
      hostClockSet: (random) => this.#setHostClock(random),
      rotateCredentials: (random) => this.#rotate(random),
      pauseMarket: (random) => this.#pause(random),
      resolveMarket: (random) => this.#resolve(random),
      changeTickSize: (random) => this.#changeTickSize(random),
      settlementsLate: (random) =>
        settlement.delayNext(random.whole(5, 40), random.whole(20_000, 90_000)),
      settlementsFail: (random) => settlement.failNext(random.whole(3, 25)),
      manualOrder: (random) => this.#trade(random, 'rest'),
      manualTake: (random) => this.#trade(random, 'take'),
      crash: (random) => daemon.crash(random.whole(200, 20_000)),
      crashInside: (random) => daemon.crashInside(random.whole(200, 20_000), random),
      powerCut: (random) => daemon.cutPower(random.whole(2_000, 60_000), random),
      ledgerLost: (random) => daemon.loseLedger(random.whole(200, 20_000)),
      kill: (random) => this.#stopFor('kill', random),
      pause: (random) => this.#stopFor('pause', random),
      shutdown: (random) => daemon.restart(random.whole(200, 10_000)),
      retired: (random) => this.#retire(random),
      reload: (random) => daemon.reload(random),
      stopAndCrash: (random) => this.#stopAndCrash(random),
      stopUnwritten: (random) => this.#stopUnwritten(random),
      setsOrder: (random) => this.#orderSets(random),
      abandoned: (random) => daemon.crash(random.whole(100_000, 300_000)),
      news: (random) => this.#news(random),
    };
  }

  /** The operator asks again until it is let resume. */
  #stopFor(
    kind: 'kill' | 'pause',
    random: Random,
    firstMs: number = random.whole(100, 60_000),
  ): void {
    const { daemon } = this.#parts;
    daemon.operator({ kind, by: 'workload' });
    const again = (): void => {
      daemon.operator({ kind: 'resume', by: 'workload' });
    };
    for (let count = 0; count < 12; count += 1) this.#after(firstMs + count * 10_000, again);
  }

  /** What has just matched fails when nobody is there any more, unless the stop has waited for it. */
  #retire(random: Random): void {
    const { venue, daemon } = this.#parts;
    venue.exchange.settlement.failNext(random.whole(2, 12));
    daemon.restart(random.whole(100_000, 300_000));
  }

  #stopAndCrash(random: Random): void {
    this.#stopFor(this.#either(random, 'kill', 'pause'), random);
    this.#after(random.whole(0, 6_000), () => this.#parts.daemon.crash(random.whole(200, 3_000)));
  }

  /**
   * A full disk before an operator's stop, and for some time after the process has died, twice perhaps:
   * what the operator was answered is known to the guard alone.
   */
  #stopUnwritten(random: Random): void {
    const { daemon, weather } = this.#parts;
    weather.begin('diskFails', 1);
    this.#after(random.whole(8_000, 60_000), () => weather.end('diskFails'));
    const kind = random.chance(0.7) ? 'pause' : 'kill';
    const stoppedMs = random.whole(500, 3_000);
    const resumedMs = random.whole(5_000, 150_000);
    this.#after(stoppedMs, () => this.#stopFor(kind, random, resumedMs));
    const diesMs = stoppedMs + random.whole(0, 4_000);
    this.#after(diesMs, () => daemon.crash(random.whole(200, 3_000)));
    const againMs = diesMs + random.whole(4_000, 30_000);
    if (random.chance(0.4)) this.#after(againMs, () => daemon.crash(random.whole(200, 3_000)));
  }

  /** An operator's split or merge, and often what must not disturb it a moment later. */
  #orderSets(random: Random): void {
    const { daemon, clock } = this.#parts;
    const { market, trading } = this.#pick(random);
    const order: SetsOrder = {
      id: `operator-${clock.nowMs()}`,
      by: 'workload',
      action: trading === 'resolved' ? 'redeem' : this.#either(random, 'split', 'merge'),
      marketId: market.id,
      amount: trading === 'resolved' ? undefined : microShares(random.whole(1, 30) * 1_000_000),
    };
    daemon.sets(order);
    const soonMs = random.whole(0, 3_000);
    // The same request again is one request.
    if (random.chance(0.3)) this.#after(soonMs, () => daemon.sets(order));
    const fate = random.uniform();
    if (fate < 0.5) this.#after(soonMs, () => this.#stopFor('kill', random));
    else if (fate < 0.75) this.#after(soonMs, () => daemon.crash(random.whole(200, 20_000)));
  }

  #either<Value>(random: Random, one: Value, other: Value): Value {
    return random.chance(0.5) ? one : other;
  }

  /** Within the signature window mostly, and up to twice as far. */
  #stepVenueClock(random: Random): void {
    // Its orders keep the time of the world: steps beyond the window of a signature would have them made
    // at a time at which no request of theirs was valid.
    this.#parts.venue.faults.shiftClock(random.whole(-20_000, 20_000));
  }

  /** Beyond the signature window, or well within it. */
  #setHostClock(random: Random): void {
    const { host } = this.#parts;
    const byMs = this.#either(random, 1, -1) * random.whole(5_000, 240_000);
    host.set(byMs);
    if (random.chance(0.7)) this.#after(random.whole(2_000, 180_000), () => host.set(-byMs));
  }

  #rotate(random: Random): void {
    const { venue, account, keys } = this.#parts;
    const texts = venue.regenerate(account.name);
    this.#latestKeys = texts;
    keys.expire();
    this.#after(random.whole(0, 20_000), () => keys.write(this.#latestKeys ?? texts));
  }

  #pause(random: Random): void {
    const { exchange } = this.#parts.venue;
    const market = this.#pick(random);
    exchange.setTradingStatus(market, 'paused');
    this.#after(random.whole(1_000, 40_000), () => exchange.setTradingStatus(market, 'open'));
  }

  /** Never the first market: there must be something left to quote. */
  #resolve(random: Random): void {
    const [, second] = this.#markets();
    if (second) this.#parts.venue.exchange.resolve(second, random.chance(0.5) ? 1 : 0);
  }

  #changeTickSize(random: Random): void {
    const { exchange } = this.#parts.venue;
    const { listed } = this.#pick(random);
    const change = (): void => {
      exchange.regrid(listed, tickGrid(listed.grid.tickSize === '0.01' ? '0.001' : '0.01'));
    };
    change();
    if (random.chance(0.6)) this.#after(random.whole(1_000, 300_000), change);
  }

  #news(random: Random): void {
    const market = this.#pick(random);
    if (market.trading === 'resolved') return;
    this.#parts.crowd.announce(market.market.id, 0.15 + 0.7 * random.uniform());
  }

  #trade(random: Random, how: 'rest' | 'take'): void {
    const { venue, account } = this.#parts;
    const market = this.#pick(random);
    const index = random.chance(0.5) ? 1 : 0;
    const side = random.chance(0.6) ? 'BUY' : 'SELL';
    const best = venue.exchange.context.books
      .of(market)
      .levels(index, side === 'BUY' ? 'ask' : 'bid');
    const touch = best[0]?.priceTicks;
    if (touch === undefined) return;
    const distance = how === 'take' ? 0 : random.whole(2, 12);
    const price = touch + (side === 'BUY' ? -distance : distance);
    if (price < 1 || price >= market.grid.ticksPerUnit) return;
    try {
      const order = venue.exchange.placeLimit(account, {
        token: { market, index },
        side,
        price: ticks(market.grid, price),
        quantityMicro: random.whole(5, 60) * 1_000_000,
        timeInForce: how === 'take' ? 'FAK' : 'GTC',
        expiresAtMs: undefined,
        clientOrderId: undefined,
      });
      if (how === 'rest') this.#showOdd(order, random.split('odd'));
    } catch (error) {
      if (!(error instanceof VenueRefusal)) throw error;
    }
  }

  /** At a price between two ticks, as what rests of a market order may have: books show it at the nearest. */
  #showOdd({ terms }: ExchangeOrder, random: Random): void {
    if (!random.chance(ODD_PART)) return;
    const { orderHash, side, price, grid } = terms;
    const byTicks = (side === 'BUY' ? -1 : 1) * (random.whole(1, 4) / 10);
    this.#parts.oddPrices.add(
      orderHash,
      Number(((price + byTicks) / grid.ticksPerUnit).toFixed(4)),
    );
    this.#parts.faults.add('oddPrice');
  }

  #markets(): readonly ListedMarket[] {
    return this.#parts.venue.exchange.catalogue.events().flatMap((listed) => listed.markets);
  }

  #pick(random: Random): ListedMarket {
    const markets = this.#markets();
    const market = markets[random.whole(0, markets.length - 1)];
    if (!market) throw new Error('the venue lists markets');
    return market;
  }

  #after(delayMs: number, task: () => void): void {
    this.#parts.clock.after(delayMs, () => {
      if (!this.#isOver) task();
    });
  }
}
