// A venue that answers at once and shows its books late, own orders and all.

import type { OrderHash, TokenId } from '../../src/domain/ids.ts';
import type { BookSide } from '../../src/domain/message.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import { microShares, shares } from '../../src/domain/shares.ts';
import { type Ticks, ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../src/domain/trust.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import {
  type BookLevels,
  balances,
  EngineDriver,
  GRID,
  NO,
  settings,
  YES,
} from './engine-driver.ts';

/** Net changes are told this often. @spec Events › Order book channel (Public) */
const FLUSH_MS = 150;

type Place = { readonly tokenId: TokenId; readonly side: BookSide; readonly price: Ticks };
type Level = Place & { size: number; told: number };
type Frame = Place & { readonly flushedAtMs: number; readonly size: number };

/** Who quotes there. */
type Quoted = {
  readonly strategy?: Strategy;
  /** Of a ladder. */
  readonly levels?: number;
  /** What the stamps of its books are behind its own clock. */
  readonly stampsBehindMs?: number;
};

/** Others bid 300 at 40 and offer 300 at 60; own-order audits and audits are as ever. */
export class LateVenue {
  readonly driver: EngineDriver;
  /** A late channel loses no order: it catches up, and falls behind. */
  delayMs: number;
  readonly #stampsBehindMs: number;
  readonly #levels = new Map<string, Level>();
  readonly #live = new Map<OrderHash, LimitOrder>();
  #frames: Frame[] = [];
  #flushedAtMs = 0;
  /** Prices of all bids for YES that came to rest, oldest first. */
  readonly bids: number[] = [];

  constructor(delayMs: number, { strategy = ladder as Strategy, levels = 1, ...of }: Quoted = {}) {
    this.delayMs = delayMs;
    this.#stampsBehindMs = of.stampsBehindMs ?? 0;
    this.driver = new EngineDriver([strategy]);
    this.driver.start(
      settings({
        markets: [
          {
            event: 'rain',
            market: undefined,
            strategy: strategy.name,
            params: paramsOf(strategy, levels),
          },
        ],
        trust: TRUST_DEFAULTS,
      }),
    );
    this.driver.tell({ kind: 'clockOffset', offsetMs: 0, roundTripMs: 20 });
    for (const [side, price] of [
      ['bid', 40],
      ['ask', 60],
    ] as const) {
      this.others(side, price, 300);
      this.#levelAt({ tokenId: YES, side, price: ticks(GRID, price) }).told = shares(300);
    }
    const venueTs = unixMs(this.driver.nowMs - this.#stampsBehindMs);
    for (const tokenId of [YES, NO]) {
      this.driver.tell({ kind: 'bookSnapshot', tokenId, ...this.#bookOf(tokenId), venueTs });
    }
    this.driver.reports.length = 0;
  }

  /** Others bring or take so much. */
  others(side: BookSide, price: number, by: number): void {
    const change = by < 0 ? -shares(-by) : shares(by);
    this.#levelAt({ tokenId: YES, side, price: ticks(GRID, price) }).size += change;
  }

  /** Somebody else ends all own orders; the account's channel says so at once. */
  endOwn(): void {
    for (const [hash, order] of this.#live) {
      this.#end(hash);
      this.driver.update(hash, order, { status: 'CANCELLED' });
    }
  }

  pass(durationMs: number): void {
    this.driver.run(durationMs, () => {
      this.#flush();
      this.#tellWhatIsDue();
      for (const hash of this.driver.answerCancels()) this.#end(hash as OrderHash);
      for (const { order, hash } of this.driver.acceptPlacements()) {
        this.#live.set(hash, order);
        if (order.tokenId === YES && order.side === 'BUY') this.bids.push(order.price);
        this.#levelAt(placeOf(order)).size += order.quantity;
      }
      const listed = this.driver.openReports().filter(({ orderHash }) => this.#live.has(orderHash));
      this.driver.answerReads(listed, balances());
      this.driver.answerBooks((tokenId) => this.#bookOf(tokenId));
    });
  }

  #end(hash: OrderHash): void {
    const order = this.#live.get(hash);
    if (order === undefined) return;
    this.#live.delete(hash);
    this.#levelAt(placeOf(order)).size -= order.quantity;
  }

  #levelAt(place: Place): Level {
    const key = `${place.tokenId} ${place.side} ${place.price}`;
    const known = this.#levels.get(key) ?? { ...place, size: 0, told: 0 };
    this.#levels.set(key, known);
    return known;
  }

  #flush(): void {
    const { nowMs } = this.driver;
    if (nowMs - this.#flushedAtMs < FLUSH_MS) return;
    this.#flushedAtMs = nowMs;
    for (const at of this.#levels.values()) {
      const { tokenId, side, price, size, told } = at;
      if (size === told) continue;
      at.told = size;
      this.#frames.push({ tokenId, side, price, size, flushedAtMs: nowMs });
    }
  }

  #tellWhatIsDue(): void {
    const dueMs = this.driver.nowMs - this.delayMs;
    const due = this.#frames.filter(({ flushedAtMs }) => flushedAtMs <= dueMs);
    this.#frames = this.#frames.filter(({ flushedAtMs }) => flushedAtMs > dueMs);
    for (const { flushedAtMs, size, ...place } of due) {
      const venueTs = unixMs(flushedAtMs - this.#stampsBehindMs);
      this.driver.tell({ kind: 'bookDelta', ...place, size: microShares(size), venueTs });
    }
  }

  #bookOf(tokenId: TokenId): BookLevels {
    const of = (wanted: BookSide) =>
      [...this.#levels.values()]
        .filter(({ side, size, ...at }) => at.tokenId === tokenId && side === wanted && size > 0)
        .map(({ price, size }) => ({ price, size: microShares(size) }));
    return { bids: of('bid'), asks: of('ask') };
  }
}

function placeOf({ tokenId, side, price }: LimitOrder): Place {
  return { tokenId, side: side === 'BUY' ? 'bid' : 'ask', price };
}

/** As they are where nobody states them; a ladder has levels of fifty. */
function paramsOf({ name, params }: Strategy, levels: number): Record<string, unknown> {
  if (name === 'ladder') return { halfSpreadTicks: 2, levels, levelSpacingTicks: 1, size: 50 };
  const specs = Object.entries<{ readonly default: unknown }>(params);
  return Object.fromEntries(specs.map(([key, spec]) => [key, spec.default]));
}
