import { describe, expect, it } from 'vitest';
import { orderHash, requestId, type TokenId } from '../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../src/domain/input.ts';
import type { Balances } from '../../../src/domain/message.ts';
import type { OrderReport, OrderUpdate } from '../../../src/domain/order.ts';
import { MICRO_SHARES_MAX, microShares, NO_SHARES } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import type { ParamSpec } from '../../../src/strategy/index.ts';
import { balances, EngineDriver, MARKET, NO, settings, YES } from '../../support/engine-driver.ts';
import { HOUSE } from '../../support/strategy-house.ts';

const LARGEST = microShares(MICRO_SHARES_MAX);

const HASH = orderHash('0x0a');

function running(scope: CoreSettings['orders']['scope'] = 'account'): EngineDriver {
  const engine = new EngineDriver();
  engine.start({ ...settings(), orders: { ...settings().orders, scope } });
  engine.healthyBook();
  return engine;
}

function stillKills(engine: EngineDriver): boolean {
  engine.tick();
  engine.sent = [];
  engine.operator('kill');
  engine.tick();
  return engine.take('cancelAll').length === 1;
}

describe('a venue that reports the largest quantities, again and again,', () => {
  it.each(['BUY', 'SELL'] as const)('does not end the core with settled %s trades', (side) => {
    const engine = running();
    for (const [index, tokenId] of [YES, YES, NO, NO].entries()) {
      const tradeId = `t-${index}`;
      const about = { tradeId, side, tokenId, marketId: MARKET, price: usdc('0.4') };
      engine.tell({ kind: 'tradeSettled', ...about, quantity: LARGEST });
    }
    expect(stillKills(engine)).toBe(true);
  });

  it('does not end the core with public trades', () => {
    const engine = running();
    for (let count = 0; count < 4; count += 1) {
      const about = {
        tokenId: YES,
        price: ticks(tickGrid('0.01'), 40),
        size: LARGEST,
        takerSide: 'BUY',
      } as const;
      engine.tell({ kind: 'trade', ...about, venueTs: undefined });
    }
    expect(stillKills(engine)).toBe(true);
  });

  it.each([
    { name: 'of YES', tokens: [YES] },
    { name: 'of NO', tokens: [NO] },
    { name: 'of both', tokens: [YES, NO] },
  ])('does not end the core with positions $name', ({ tokens }) => {
    const engine = new EngineDriver();
    engine.start(settings(), balances({ positions: tokens.map(largest) }));
    engine.healthyBook();
    engine.run(500);
    expect(stillKills(engine)).toBe(true);
  });

  it.each(HOUSE)('leaves $name able to say what it wants with the largest position', (strategy) => {
    for (const tokenId of [YES, NO]) {
      const engine = new EngineDriver([strategy]);
      const choice = { event: 'rain', market: undefined, strategy: strategy.name };
      const markets = [{ ...choice, params: defaultsOf(strategy.params), takerFeeRate: 0 }];
      const account = balances({ positions: [largest(tokenId)] });
      engine.start(settings({ markets }), account);
      engine.healthyBook();
      engine.run(500, () => engine.answerReads([], account));
      expect(engine.reported('strategy.failed')).toEqual([]);
    }
  });
});

function defaultsOf(params: object): Readonly<Record<string, unknown>> {
  const specs: readonly [string, ParamSpec<unknown>][] = Object.entries(params);
  return Object.fromEntries(specs.map(([name, spec]) => [name, spec.default]));
}

/** An order that was never sent from here. */
const theirs = (hash = HASH): OrderReport => ({
  ...{ orderHash: hash, tokenId: YES, side: 'SELL', price: ticks(tickGrid('0.01'), 55) },
  ...{ quantity: LARGEST, executed: NO_SHARES, status: 'OPEN', createdAtMs: undefined },
});

function listed(engine: EngineDriver, value: readonly OrderReport[]): void {
  engine.tick();
  // While one of ours is in flight nobody knows whose those are.
  engine.acceptPlacements();
  const asked = { requestId: requestId(9_999), askedAtMs: unixMs(engine.nowMs) };
  engine.tell({ kind: 'openOrders', ...asked, outcome: { kind: 'ok', value } });
}

/** What the user channel says of one. */
const told = (change: Partial<OrderUpdate> = {}): OrderUpdate => ({
  ...{ orderHash: HASH, tokenId: YES, marketId: MARKET, side: 'SELL' },
  ...{ price: ticks(tickGrid('0.01'), 55), status: 'PARTIALLY_FILLED' },
  ...{ filledQuantity: LARGEST, remaining: NO_SHARES, ...change },
});

describe('a venue that lists and tells of the largest orders', () => {
  it('does not end the core with two of others at one price', () => {
    const engine = running('own');
    const open = [theirs(), theirs(orderHash('0x0b'))];
    listed(engine, open);
    expect(engine.engine.view().ordersOfOthers).toBe(2);
    expect(() => engine.run(500)).not.toThrow();
  });

  it('does not end the core with one that trades again what has failed', () => {
    const engine = running();
    listed(engine, [theirs()]);
    const failed = { reason: 'x', marketId: MARKET, side: 'SELL', quantity: LARGEST } as const;
    engine.tell({ kind: 'orderUpdate', update: told({ status: 'MATCHED' }) });
    engine.tell({ kind: 'tradeFailed', ...failed });
    const restored = told({ status: 'OPEN', filledQuantity: NO_SHARES, remaining: LARGEST });
    engine.tell({ kind: 'orderUpdate', update: restored });
    engine.tell({ kind: 'orderUpdate', update: told({ status: 'MATCHED' }) });
    expect(stillKills(engine)).toBe(true);
  });

  it('does not end the core with more of one of ours than anybody can have sent', () => {
    const engine = running();
    engine.tick();
    const [order] = engine.answerPlacements({
      ...{ kind: 'unknown', cause: 'unreadable', detail: 'x', namedHash: HASH },
    });
    const { side = 'BUY', tokenId = YES } = order ?? {};
    engine.tell({ kind: 'orderUpdate', update: told({ side, tokenId, remaining: LARGEST }) });
    expect(() => listed(engine, [])).not.toThrow();
  });

  it('does not end the core with a split where less than nothing is held', () => {
    const engine = running();
    for (const tokenId of [YES, NO]) {
      const about = { tradeId: tokenId, side: 'SELL', tokenId, marketId: MARKET } as const;
      engine.tell({ kind: 'tradeSettled', ...about, price: usdc('0.4'), quantity: LARGEST });
    }
    const of = { id: 's-1', by: 'x', action: 'split', marketId: MARKET } as const;
    engine.sets({ ...of, amount: microShares(1_000_000) });
    expect(stillKills(engine)).toBe(true);
  });
});

function largest(tokenId: TokenId): Balances['positions'][number] {
  return { tokenId, marketId: MARKET, shareAmount: LARGEST, onHoldShareAmount: NO_SHARES };
}
