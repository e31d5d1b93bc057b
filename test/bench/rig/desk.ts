// The real core with many markets, quotes on each, and a venue that accepts everything at once: what
// the step costs, and nothing else.

import { createEngine, type Engine } from '../../../src/core/engine.ts';
import type { VenueCommand } from '../../../src/domain/command.ts';
import {
  eventId,
  marketId,
  type OrderHash,
  orderHash,
  outcomeId,
  type TokenId,
  tokenId,
} from '../../../src/domain/ids.ts';
import type { CoreSettings, Input } from '../../../src/domain/input.ts';
import type { Event, Market } from '../../../src/domain/market.ts';
import type { BookSide, VenueMessage } from '../../../src/domain/message.ts';
import type { LimitOrder, OrderReport } from '../../../src/domain/order.ts';
import { NO_SHARES, shares } from '../../../src/domain/shares.ts';
import { type TickGrid, tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { type UnixMs, unixMs } from '../../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../../src/domain/trust.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import type { Strategy } from '../../../src/strategy/index.ts';
import { strategy as ladder } from '../../../strategies/ladder.ts';

export const GRID: TickGrid = tickGrid('0.01');
const START_MS = 1_700_000_000_000;

export type DeskOptions = {
  readonly markets: number;
  readonly levels: number;
  /** Order writes in 10 s. */
  readonly writesPer10s?: number;
};

export class Desk {
  readonly engine: Engine;
  readonly tokens: readonly { readonly yes: TokenId; readonly no: TokenId }[];
  nowMs = START_MS;
  /** Notified of every placement request, with its orders. */
  onPlacement: (orders: readonly LimitOrder[]) => void = () => {};
  placements = 0;
  writes = 0;
  readonly #options: DeskOptions;
  readonly #open = new Map<string, OrderReport>();
  #hashes = 0;
  #answers: VenueMessage[] = [];

  constructor(options: DeskOptions) {
    this.#options = options;
    this.engine = createEngine({ strategies: new Map([['ladder', ladder as Strategy]]) });
    this.tokens = Array.from({ length: options.markets }, (_, index) => ({
      yes: tokenId(idText(2 * index + 1)),
      no: tokenId(idText(2 * index + 2)),
    }));
    this.#begin();
  }

  get openOrders(): number {
    return this.#open.size;
  }

  at(): UnixMs {
    return unixMs(this.nowMs);
  }

  tell(message: VenueMessage): void {
    this.#carryOut({ kind: 'venue', atMs: this.at(), message });
  }

  tick(): void {
    this.#carryOut({ kind: 'tick', atMs: this.at() });
    while (this.#answers.length > 0) {
      const answers = this.#answers;
      this.#answers = [];
      for (const message of answers) this.tell(message);
    }
  }

  /** Lets time pass at the pace of the loop. */
  run(durationMs: number): void {
    for (let passed = 0; passed < durationMs; passed += 50) {
      this.nowMs += 50;
      this.tick();
    }
  }

  delta(token: TokenId, side: BookSide, price: number, size: number): void {
    this.tell({
      kind: 'bookDelta',
      tokenId: token,
      side,
      price: ticks(GRID, price),
      size: shares(size),
      venueTs: this.at(),
    });
  }

  #begin(): void {
    this.#carryOut({ kind: 'settings', atMs: this.at(), settings: this.#settings() });
    this.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [this.#listing()] } });
    this.tell({ kind: 'socketOpened' });
    this.tell({ kind: 'authenticated' });
    for (const { yes, no } of this.tokens) {
      this.#snapshot(yes, 40, 60);
      this.#snapshot(no, 40, 60);
    }
    this.run(2_000);
  }

  #snapshot(token: TokenId, bid: number, ask: number): void {
    const level = (price: number) => ({ price: ticks(GRID, price), size: shares(1_000) });
    this.tell({
      kind: 'bookSnapshot',
      tokenId: token,
      bids: Array.from({ length: 20 }, (_, away) => level(bid - away)),
      asks: Array.from({ length: 20 }, (_, away) => level(ask + away)),
      venueTs: this.at(),
    });
  }

  #settings(): CoreSettings {
    const { levels, writesPer10s } = this.#options;
    return {
      markets: [
        {
          event: 'bench',
          market: undefined,
          strategy: 'ladder',
          params: { halfSpreadTicks: 3, levels, levelSpacingTicks: 1, size: 10 },
        },
      ],
      risk: {
        maxPositionShares: 100_000,
        maxOrderNotionalUsdc: 1_000,
        maxOpenOrders: 2_000,
        maxLossUsdc: 10_000_000,
      },
      orders: {
        priceToleranceTicks: 0,
        sizeTolerance: 0.2,
        writesPer10s: writesPer10s ?? 300,
        gatherMs: 20,
        preferSell: true,
      },
      book: { depth: 50 },
      // The venue of this rig shows no own orders in its books.
      trust: { ...TRUST_DEFAULTS, ownOrderAuditMs: 0 },
      timing: {
        reconcileMs: 5_000,
        balancesMs: 10_000,
        catalogueMs: 3_600_000,
        unknownHorizonMs: 45_000,
        positionLagMs: 150_000,
        proofQuietMs: 500,
        proofDeadlineMs: 10_000,
      },
    };
  }

  #listing(): Event {
    return {
      id: eventId('bench'),
      slug: 'bench',
      title: 'Bench',
      category: 'none',
      status: 'open',
      grid: GRID,
      expiryAtMs: undefined,
      markets: this.tokens.map(marketOf),
    };
  }

  #carryOut(input: Input): void {
    for (const command of this.engine.step(input)) {
      if (command.kind === 'venue') this.#answer(command.command);
    }
  }

  #answer(command: VenueCommand): void {
    const askedAtMs = this.at();
    switch (command.kind) {
      case 'placeOrders':
        this.#place(command);
        return;
      case 'cancelOrders': {
        for (const hash of command.orderHashes) this.#cancel(hash);
        const { requestId } = command;
        const cancelled = command.orderHashes.length;
        const outcome = { kind: 'accepted', cancelled, failed: 0 } as const;
        this.#answers.push({ kind: 'cancelled', requestId, outcome });
        return;
      }
      case 'cancelAll': {
        this.#open.clear();
        const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
        this.#answers.push({ kind: 'cancelled', requestId: command.requestId, outcome });
        return;
      }
      case 'readOpenOrders': {
        const outcome = { kind: 'ok', value: [...this.#open.values()] } as const;
        const { requestId } = command;
        this.#answers.push({ kind: 'openOrders', requestId, askedAtMs, outcome });
        return;
      }
      case 'readBalances': {
        const cash = usdc(10_000_000);
        const value = {
          cashBalance: cash,
          availableBalance: cash,
          usdcOnHold: usdc(0),
          positions: [],
        };
        const outcome = { kind: 'ok', value } as const;
        this.#answers.push({ kind: 'balances', requestId: command.requestId, askedAtMs, outcome });
        return;
      }
      default:
        // Audits stay without an answer here; the injected feed measures them.
        return;
    }
  }

  /** The user channel says so too: an end that nobody tells of is in doubt. */
  #cancel(hash: OrderHash): void {
    const order = this.#open.get(hash);
    if (order === undefined || !this.#open.delete(hash)) return;
    const { orderHash, tokenId, side, price, quantity } = order;
    const about = { orderHash, tokenId, marketId: undefined, side, price } as const;
    const left = { filledQuantity: NO_SHARES, remaining: quantity };
    this.#answers.push({ kind: 'orderUpdate', update: { ...about, ...left, status: 'CANCELLED' } });
  }

  #place(command: Extract<VenueCommand, { kind: 'placeOrders' }>): void {
    this.writes += 1;
    this.placements += command.orders.length;
    this.onPlacement(command.orders);
    const outcomes = command.orders.map((order) => {
      this.#hashes += 1;
      const hash = orderHash(`0x${this.#hashes.toString(16)}`);
      this.#open.set(hash, {
        orderHash: hash,
        tokenId: order.tokenId,
        side: order.side,
        price: order.price,
        quantity: order.quantity,
        executed: NO_SHARES,
        status: 'OPEN',
        createdAtMs: undefined,
      });
      return { intentId: order.intentId, outcome: { kind: 'accepted', orderHash: hash } as const };
    });
    this.#answers.push({ kind: 'placed', requestId: command.requestId, outcomes });
  }
}

/** Ids as long as real ones. */
export function idText(count: number): string {
  return `0x${(count * 2_654_435_761).toString(16).padStart(64, '7')}`;
}

function marketOf(token: { readonly yes: TokenId; readonly no: TokenId }, index: number): Market {
  return {
    id: marketId(`m-${index}`),
    title: `Market ${index}`,
    status: 'open',
    enableOrderBook: true,
    yes: { id: outcomeId(`y-${index}`), name: 'Yes', tokenId: token.yes, outcomeIndex: 1 },
    no: { id: outcomeId(`n-${index}`), name: 'No', tokenId: token.no, outcomeIndex: 0 },
  };
}
