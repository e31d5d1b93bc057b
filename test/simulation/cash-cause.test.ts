import { describe, expect, it } from 'vitest';
import { orderHash } from '../../src/domain/ids.ts';
import type { VenueMessage } from '../../src/domain/message.ts';
import type { OrderStatus } from '../../src/domain/order.ts';
import { microShares } from '../../src/domain/shares.ts';
import type { ExchangeEvent } from '../../src/paper/exchange/events.ts';
import { CashCause } from './audit/causes/cash.ts';
import type { Room } from './audit/room.ts';

const FOR_MS = 60_000;
const HASH = orderHash('0xa1');

/** Somebody buys by hand for 11 USDC, and the frame of the settlement is lost. */
class Desk {
  #nowMs = 1_000_000;
  readonly #account = {} as Room['account'];
  readonly #cause: CashCause;

  constructor() {
    this.#cause = new CashCause({
      ...{ account: this.#account, processes: { process: 1 }, setsUnderWay: { any: false } },
      facts: { find: () => undefined },
      lately: { limits: () => [{ divergence: { cashUsdc: 1, forMs: FOR_MS } }] },
    } as unknown as Room);
    this.#read();
  }

  settle(): void {
    const order = { terms: { orderHash: HASH } };
    const leg = { account: this.#account, side: 'BUY', costNano: 11e9, order };
    const event = { kind: 'tradeSettled', tradeId: 't-1', leg } as unknown as ExchangeEvent;
    this.#cause.onEvent(event, this.#nowMs);
  }

  report(status: OrderStatus, filled: number): void {
    const update = { orderHash: HASH, status, filledQuantity: microShares(filled * 1e6) };
    this.#say({ kind: 'orderUpdate', update } as VenueMessage);
  }

  /** What has to trip after minutes with a read every ten seconds. */
  wait(): readonly string[] {
    const due: string[] = [];
    for (let read = 0; read < 24; read += 1) {
      this.#nowMs += 10_000;
      this.#read();
      due.push(...[...this.#cause.due(this.#nowMs)].map(({ control }) => control));
    }
    return due;
  }

  #read(): void {
    this.#say({ kind: 'balances', outcome: { kind: 'ok' } } as unknown as VenueMessage);
  }

  #say(message: VenueMessage): void {
    this.#cause.onMessage(message, this.#nowMs);
  }
}

describe('cash that moves without a report', () => {
  it('has to trip cash_divergence', () => {
    const desk = new Desk();
    desk.settle();
    expect(desk.wait()).toContain('cash_divergence');
  });

  it('has to while only an order is known that has not traded', () => {
    const desk = new Desk();
    desk.report('OPEN', 0);
    desk.settle();
    expect(desk.wait()).toContain('cash_divergence');
  });

  it('need not where a report said that the order traded, before or after', () => {
    const before = new Desk();
    before.report('MATCHED', 0);
    before.settle();
    expect(before.wait()).toEqual([]);
    const after = new Desk();
    after.settle();
    after.report('PARTIALLY_FILLED', 5);
    expect(after.wait()).toEqual([]);
  });
});
