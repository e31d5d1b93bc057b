// Drives the engine by hand: one market, a clock that is moved, and answers written out in the test.

import { createEngine, type Engine } from '../../src/core/engine.ts';
import type { Command, VenueCommand } from '../../src/domain/command.ts';
import {
  eventId,
  marketId,
  orderHash,
  outcomeId,
  type RequestId,
  type TokenId,
  tokenId,
} from '../../src/domain/ids.ts';
import type {
  AccountOrder,
  CoreSettings,
  FairTarget,
  Input,
  MarketOrder,
} from '../../src/domain/input.ts';
import type { Event } from '../../src/domain/market.ts';
import type {
  Balances,
  Level,
  PlaceOutcome,
  ReadOutcome,
  SettledTrade,
  VenueMessage,
} from '../../src/domain/message.ts';
import type { LimitOrder, OrderReport, OrderStatus, OrderUpdate } from '../../src/domain/order.ts';
import type { LedgerRecord, PersistedState } from '../../src/domain/record.ts';
import type { Report, ReportEvent } from '../../src/domain/report.ts';
import type { SetsOrder } from '../../src/domain/sets.ts';
import { NO_SHARES, shares } from '../../src/domain/shares.ts';
import { type TickSize, tickGrid, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../src/domain/trust.ts';
import { usdc } from '../../src/domain/usdc.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';

export const YES = tokenId('0x01');
export const NO = tokenId('0x02');
export const MARKET = marketId('m-1');
export const GRID = tickGrid('0.01');

export function settings(change: Partial<CoreSettings> = {}): CoreSettings {
  return {
    markets: [
      {
        event: 'rain',
        market: undefined,
        strategy: 'ladder',
        params: { halfSpreadTicks: 2, levels: 1, levelSpacingTicks: 1, size: 50 },
      },
    ],
    risk: {
      maxPositionShares: 500,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders: 200,
      maxLossUsdc: 1_000,
    },
    orders: {
      priceToleranceTicks: 0,
      sizeTolerance: 0.1,
      writesPer10s: 300,
      gatherMs: 0,
      preferSell: true,
    },
    book: { depth: 50 },
    // Its books are written by hand and show no own orders, and nobody answers audits.
    trust: { ...TRUST_DEFAULTS, ownOrderAuditMs: 0, auditsPerSec: 0 },
    timing: {
      reconcileMs: 5_000,
      balancesMs: 5_000,
      catalogueMs: 60_000,
      unknownHorizonMs: 35_000,
      positionLagMs: 150_000,
      proofQuietMs: 500,
      proofDeadlineMs: 10_000,
    },
    ...change,
  };
}

export function listing(tickSize: TickSize = '0.01', status: Event['status'] = 'open'): Event {
  return {
    id: eventId('e-1'),
    slug: 'rain',
    title: 'Will it rain?',
    category: 'weather',
    status,
    grid: tickGrid(tickSize),
    expiryAtMs: undefined,
    markets: [
      {
        id: MARKET,
        title: 'Rain',
        status: 'open',
        enableOrderBook: true,
        yes: { id: outcomeId('o-yes'), name: 'Yes', tokenId: YES, outcomeIndex: 1 },
        no: { id: outcomeId('o-no'), name: 'No', tokenId: NO, outcomeIndex: 0 },
      },
    ],
  };
}

export function balances(change: Partial<Balances> = {}): Balances {
  return {
    cashBalance: usdc(10_000),
    availableBalance: usdc(10_000),
    usdcOnHold: usdc(0),
    positions: [],
    ...change,
  };
}

export function level(price: number, size: number): Level {
  return { price: ticks(tickGrid('0.001'), price), size: shares(size) };
}

/** A book as a snapshot or a read shows it. */
export type BookLevels = { readonly bids: readonly Level[]; readonly asks: readonly Level[] };

/** An account with so much cash and so many shares of both outcomes, none of it on hold. */
export function holding(cash: number, yes: number, no: number): Balances {
  const position = (token: TokenId, size: number) => ({
    tokenId: token,
    marketId: MARKET,
    shareAmount: shares(size),
    onHoldShareAmount: shares(0),
  });
  return balances({
    cashBalance: usdc(cash),
    availableBalance: usdc(cash),
    positions: [position(YES, yes), position(NO, no)],
  });
}

/** What a first run finds in its ledger. */
export const NOTHING_STORED: PersistedState = {
  orders: [],
  tokens: [],
  flows: [],
  tradeIds: [],
  cashNano: undefined,
  halt: undefined,
  memories: {},
};

/** A run that knew the shares of an account, and has nothing else to tell. */
export function knowing({ positions }: Balances): PersistedState {
  const amounts = new Map(positions.map(({ tokenId, shareAmount }) => [tokenId, shareAmount]));
  const tokens = [YES, NO].map((tokenId) => ({
    tokenId,
    confirmed: amounts.get(tokenId) ?? shares(0),
    pending: [],
    uncertain: [],
    unreported: [],
    shown: [],
    changedAtMs: undefined,
  }));
  return { ...NOTHING_STORED, tokens };
}

export class EngineDriver {
  readonly engine: Engine;
  nowMs = 1_700_000_000_000;
  #hasRun = false;
  /** Commands to the venue that no helper below has answered yet, oldest first. */
  sent: VenueCommand[] = [];
  readonly reports: Report[] = [];
  readonly records: LedgerRecord[] = [];
  /** What was armed and disarmed, in order. */
  readonly armed: Extract<Command, { kind: 'arm' | 'disarm' }>[] = [];
  /** How often all placements that stood were taken back. */
  voidedPlacements = 0;
  #hashes = 0;
  /** Accepted, or left by the run before, and not cancelled by an answer of `answerCancels`. */
  #open = 0;
  readonly #accepted: { order: LimitOrder; hash: ReturnType<typeof orderHash> }[] = [];

  /** @param named - Strategies under other names than their own, as modules are. */
  constructor(
    strategies: readonly Strategy[] = [ladder as Strategy],
    named: Readonly<Record<string, Strategy>> = {},
  ) {
    const known = strategies.map((each) => [each.name, each] as const);
    this.engine = createEngine({ strategies: new Map([...known, ...Object.entries(named)]) });
  }

  /** An input as it is. */
  step(input: Input): void {
    this.#take(this.engine.step(input));
    this.#take(this.engine.tend());
  }

  settings(value: CoreSettings): void {
    this.step({ kind: 'settings', atMs: unixMs(this.nowMs), settings: value });
  }

  tell(message: VenueMessage): void {
    this.step({ kind: 'venue', atMs: unixMs(this.nowMs), message });
  }

  /** A new run is told what the one before it left. */
  restore(persisted: PersistedState): void {
    this.#hasRun = true;
    this.#open = persisted.orders.filter(({ orderHash }) => orderHash !== undefined).length;
    this.step({ kind: 'restored', atMs: unixMs(this.nowMs), persisted });
  }

  /** The ledger cannot be written, or can again. */
  ledgerFault(fault: string | undefined): void {
    this.step({ kind: 'ledger', atMs: unixMs(this.nowMs), fault });
  }

  operator(asked: AccountOrder['kind'] | MarketOrder): void {
    const order = typeof asked === 'string' ? { kind: asked, by: 'test' } : asked;
    this.step({ kind: 'operator', atMs: unixMs(this.nowMs), order });
  }

  sets(order: SetsOrder): void {
    this.step({ kind: 'sets', atMs: unixMs(this.nowMs), order });
  }

  /** Somebody outside the venue states a price. */
  fair(statement: { readonly target: FairTarget; readonly price: number }): void {
    const atMs = unixMs(this.nowMs);
    const unstated = { logOddsVar: undefined, statedAtMs: undefined };
    this.step({ kind: 'fair', atMs, ...unstated, ...statement });
  }

  tick(afterMs = 50): void {
    this.nowMs += afterMs;
    this.step({ kind: 'tick', atMs: unixMs(this.nowMs) });
  }

  /** Ticks for a while at the pace of the loop; `each` runs before every tick. */
  run(durationMs: number, each: () => void = () => {}): void {
    for (let passed = 0; passed < durationMs; passed += 50) {
      each();
      this.tick(50);
    }
  }

  /** Brings a fresh engine to quoting: everything it waits for arrives, the account is empty. */
  start(
    value: CoreSettings = settings(),
    account: Balances = balances(),
    trades: readonly SettledTrade[] = [],
  ): void {
    // Shares that no run knew of are waited for: those of a scene are known, unless it says otherwise.
    if (!this.#hasRun && account.positions.length > 0) this.restore(knowing(account));
    this.settings(value);
    this.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    this.tell({ kind: 'socketOpened' });
    this.tell({ kind: 'authenticated' });
    this.run(3_000, () => {
      this.answerReads([], account);
      this.answerTrades({ kind: 'ok', value: trades });
      this.answerCancels();
    });
    this.sent = [];
  }

  /** A snapshot; its frame says that it was so long ago. */
  book(token = YES, bids: readonly Level[] = [], asks: readonly Level[] = [], agoMs = 0): void {
    const venueTs = unixMs(this.nowMs - agoMs);
    this.tell({ kind: 'bookSnapshot', tokenId: token, bids, asks, venueTs });
  }

  /** A healthy book around 50: bids at 48, asks at 52, nothing on NO. */
  healthyBook(): void {
    this.book(YES, [level(48, 500)], [level(52, 500)]);
    this.book(NO, [], []);
  }

  /** Others change a bid; the frame says that it was so long ago. */
  bid(token: TokenId, { price, size }: Level, agoMs = 0): void {
    const venueTs = unixMs(this.nowMs - agoMs);
    this.tell({ kind: 'bookDelta', tokenId: token, side: 'bid', price, size, venueTs });
  }

  /** Answers whoever reads books over REST; the tokens that were asked for. */
  answerBooks(shown: (token: TokenId) => BookLevels): readonly TokenId[] {
    return this.take('readBook').map(({ requestId, tokenId: token }) => {
      const outcome = { kind: 'ok', value: shown(token) } as const;
      const askedAtMs = unixMs(this.nowMs);
      this.tell({ kind: 'bookRead', requestId, tokenId: token, askedAtMs, outcome });
      return token;
    });
  }

  take<Kind extends VenueCommand['kind']>(
    kind: Kind,
  ): readonly Extract<VenueCommand, { kind: Kind }>[] {
    const taken: Extract<VenueCommand, { kind: Kind }>[] = [];
    const rest: VenueCommand[] = [];
    for (const command of this.sent) {
      if (isOf(command, kind)) taken.push(command);
      else rest.push(command);
    }
    this.sent = rest;
    return taken;
  }

  /** Orders of all placements that are waiting for an answer. */
  placements(): readonly { requestId: RequestId; orders: readonly LimitOrder[] }[] {
    return this.take('placeOrders');
  }

  /** Accepts everything that was placed; the hashes, in order. */
  acceptPlacements(): readonly { order: LimitOrder; hash: ReturnType<typeof orderHash> }[] {
    const accepted: { order: LimitOrder; hash: ReturnType<typeof orderHash> }[] = [];
    for (const { requestId, orders } of this.placements()) {
      const outcomes = orders.map((order) => {
        this.#hashes += 1;
        const hash = orderHash(`0xaa${this.#hashes.toString(16)}`);
        accepted.push({ order, hash });
        this.#accepted.push({ order, hash });
        this.#open += 1;
        return {
          intentId: order.intentId,
          outcome: { kind: 'accepted', orderHash: hash } as const,
        };
      });
      this.tell({ kind: 'placed', requestId, outcomes });
    }
    return accepted;
  }

  answerPlacements(outcome: PlaceOutcome): readonly LimitOrder[] {
    const answered: LimitOrder[] = [];
    for (const { requestId, orders } of this.placements()) {
      answered.push(...orders);
      const outcomes = orders.map((order) => ({ intentId: order.intentId, outcome }));
      this.tell({ kind: 'placed', requestId, outcomes });
    }
    return answered;
  }

  answerReads(open: readonly OrderReport[], account: Balances = balances()): void {
    const askedAtMs = unixMs(this.nowMs);
    for (const { requestId } of this.take('readOpenOrders')) {
      const outcome = { kind: 'ok', value: open } as const;
      this.tell({ kind: 'openOrders', requestId, askedAtMs, outcome });
    }
    for (const { requestId } of this.take('readBalances')) {
      const outcome = { kind: 'ok', value: account } as const;
      this.tell({ kind: 'balances', requestId, askedAtMs, outcome });
    }
    // A venue whose words nobody understands: what it pays is seen in the cash.
    for (const { requestId, marketId } of this.take('readResolution')) {
      const value = { winner: undefined, isClaimable: undefined };
      this.tell({ kind: 'resolutionRead', requestId, marketId, outcome: { kind: 'ok', value } });
    }
    for (const _ of this.take('readCatalogue')) {
      this.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    }
  }

  /** Answers whoever reads the history of settled trades; how many did. */
  answerTrades(outcome: ReadOutcome<readonly SettledTrade[]>): number {
    const asked = this.take('readTrades');
    const askedAtMs = unixMs(this.nowMs);
    for (const { requestId } of asked) this.tell({ kind: 'trades', requestId, askedAtMs, outcome });
    return asked.length;
  }

  /**
   * Answers every cancel as done, whatever it named, but for those that the venue refuses to cancel;
   * the hashes that were named.
   */
  answerCancels(refused: readonly string[] = []): readonly string[] {
    const named: string[] = [];
    for (const { requestId, orderHashes } of this.take('cancelOrders')) {
      named.push(...orderHashes);
      const failed = orderHashes.filter((hash) => refused.includes(hash)).length;
      const cancelled = orderHashes.length - failed;
      this.#open = Math.max(0, this.#open - cancelled);
      this.tell({ kind: 'cancelled', requestId, outcome: { kind: 'accepted', cancelled, failed } });
    }
    for (const { requestId, scope } of this.take('cancelAll')) {
      const cancelled = scope.kind === 'account' ? Math.max(0, this.#open - refused.length) : 0;
      this.#open -= cancelled;
      const outcome = { kind: 'accepted', cancelled, failed: refused.length } as const;
      this.tell({ kind: 'cancelled', requestId, outcome });
    }
    return named;
  }

  update(
    hash: ReturnType<typeof orderHash>,
    order: LimitOrder,
    change: { status: OrderStatus; filled?: number; remaining?: number },
  ): void {
    this.tell({ kind: 'orderUpdate', update: updateOf(hash, order, change) });
  }

  /** What the venue would list if it had every order that was accepted here and not cancelled. */
  openReports(): readonly OrderReport[] {
    return this.#accepted.map((each) => reportOf(each.hash, each.order));
  }

  reported<Name extends ReportEvent>(name: Name): readonly Extract<Report, { event: Name }>[] {
    return this.reports.filter(
      (each): each is Extract<Report, { event: Name }> => each.event === name,
    );
  }

  #take(commands: ReturnType<Engine['step']>): void {
    for (const command of commands) {
      if (command.kind === 'venue') this.sent.push(command.command);
      else if (command.kind === 'report') this.reports.push(command.report);
      else if (command.kind === 'record') this.records.push(command.record);
      else if (command.kind === 'disarmPlacements') this.voidedPlacements += 1;
      else this.armed.push(command);
    }
  }
}

export function updateOf(
  hash: ReturnType<typeof orderHash>,
  order: LimitOrder,
  change: { status: OrderStatus; filled?: number; remaining?: number },
): OrderUpdate {
  return {
    orderHash: hash,
    tokenId: order.tokenId,
    marketId: MARKET,
    side: order.side,
    price: order.price,
    status: change.status,
    filledQuantity: change.filled === undefined ? NO_SHARES : shares(change.filled),
    remaining: change.remaining === undefined ? undefined : shares(change.remaining),
  };
}

export function reportOf(
  hash: ReturnType<typeof orderHash>,
  order: LimitOrder,
  executed = 0,
): OrderReport {
  return {
    orderHash: hash,
    tokenId: order.tokenId,
    side: order.side,
    price: order.price,
    quantity: order.quantity,
    executed: shares(executed),
    status: 'OPEN',
    createdAtMs: undefined,
  };
}

function isOf<Kind extends VenueCommand['kind']>(
  command: VenueCommand,
  kind: Kind,
): command is Extract<VenueCommand, { kind: Kind }> {
  return command.kind === kind;
}
