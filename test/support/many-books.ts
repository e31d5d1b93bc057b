// The core alone with thousands of books, of a venue that sends what a test tells.

import { createEngine, type Engine } from '../../src/core/engine.ts';
import type { VenueCommand } from '../../src/domain/command.ts';
import type { MarketId, TokenId } from '../../src/domain/ids.ts';
import type { MarketChoice } from '../../src/domain/input.ts';
import type { VenueMessage } from '../../src/domain/message.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import { unixMs } from '../../src/domain/time.ts';
import { TRUST_DEFAULTS } from '../../src/domain/trust.ts';
import type { PickMarkets, StateView } from '../../src/domain/view.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { balances, level, settings } from './engine-driver.ts';
import { listedEvent } from './listed-event.ts';

export const TICK_MS = 50;

/** All of one event, quoted by one strategy; trust is as by default. */
export class ManyBooks {
  readonly markets: readonly MarketId[];
  readonly tokens: readonly TokenId[];
  nowMs = 1_700_000_000_000;
  sent: VenueCommand[] = [];
  readonly #engine: Engine;
  #answers = false;
  /** Of each turn. */
  asksMax: number | undefined;
  /** Orders placed so far, in order; nobody answers them. */
  readonly placed: LimitOrder[] = [];
  /** Tokens renewed so far, in order. */
  readonly renewed: TokenId[] = [];

  constructor(
    markets: number,
    strategy: Strategy,
    params: Readonly<Record<string, unknown>> = {},
    change: Partial<MarketChoice> = {},
    gatherMs = 0,
  ) {
    this.#engine = createEngine({ strategies: new Map([[strategy.name, strategy]]) });
    const event = listedEvent('many', markets);
    this.tokens = event.markets.flatMap(({ yes, no }) => [yes.tokenId, no.tokenId]);
    this.markets = event.markets.map(({ id }) => id);
    const choice = { event: 'many', market: undefined, strategy: strategy.name, params, ...change };
    const { orders } = settings();
    const value = settings({
      markets: [choice],
      trust: TRUST_DEFAULTS,
      orders: { ...orders, gatherMs },
    });
    this.#engine.step({ kind: 'settings', atMs: unixMs(this.nowMs), settings: value });
    this.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [event] } });
    this.tell({ kind: 'socketOpened' });
    this.sent = [];
  }

  readonly view = (pick?: PickMarkets): StateView => this.#engine.view(pick);

  tell(message: VenueMessage): void {
    const input = { kind: 'venue', atMs: unixMs(this.nowMs), message } as const;
    for (const command of this.#engine.step(input)) {
      if (command.kind === 'venue') this.sent.push(command.command);
    }
  }

  snapshot(tokenId: TokenId): void {
    const sides = { bids: [level(40, 100)], asks: [level(60, 100)] };
    this.tell({ kind: 'bookSnapshot', tokenId, ...sides, venueTs: unixMs(this.nowMs) });
  }

  /** From now on the venue answers what is read of the account, in which nothing is. */
  start(): void {
    this.#answers = true;
    this.tell({ kind: 'authenticated' });
  }

  /** @returns How many subscriptions were renewed in each turn. */
  run(durationMs: number): readonly number[] {
    const renewed: number[] = [];
    for (let passedMs = 0; passedMs < durationMs; passedMs += TICK_MS) {
      this.nowMs += TICK_MS;
      const tick = { kind: 'tick', atMs: unixMs(this.nowMs) } as const;
      const { asksMax } = this;
      const commands = this.#engine.step(asksMax === undefined ? tick : { ...tick, asksMax });
      for (const command of [...commands, ...this.#engine.tend()]) {
        if (command.kind === 'venue') this.sent.push(command.command);
      }
      const { sent } = this;
      const tokens = sent.flatMap((each) => (each.kind === 'resubscribe' ? [each.tokenId] : []));
      renewed.push(tokens.length);
      this.renewed.push(...tokens);
      this.placed.push(...sent.flatMap((each) => (each.kind === 'placeOrders' ? each.orders : [])));
      this.sent = [];
      if (this.#answers) for (const command of sent) this.#answer(command);
    }
    return renewed;
  }

  #answer(command: VenueCommand): void {
    const askedAtMs = unixMs(this.nowMs);
    if (command.kind === 'cancelAll') {
      const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
      this.tell({ kind: 'cancelled', requestId: command.requestId, outcome });
    }
    if (command.kind === 'readOpenOrders') {
      const outcome = { kind: 'ok', value: [] } as const;
      this.tell({ kind: 'openOrders', requestId: command.requestId, askedAtMs, outcome });
    }
    if (command.kind === 'readBalances') {
      const outcome = { kind: 'ok', value: balances() } as const;
      this.tell({ kind: 'balances', requestId: command.requestId, askedAtMs, outcome });
    }
  }
}
