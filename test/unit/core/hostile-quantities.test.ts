import { describe, expect, it } from 'vitest';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Balances } from '../../../src/domain/message.ts';
import { MICRO_SHARES_MAX, microShares, NO_SHARES } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { balances, EngineDriver, MARKET, NO, settings, YES } from '../../support/engine-driver.ts';

const LARGEST = microShares(MICRO_SHARES_MAX);

function running(): EngineDriver {
  const engine = new EngineDriver();
  engine.start(settings());
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
});

function largest(tokenId: TokenId): Balances['positions'][number] {
  return { tokenId, marketId: MARKET, shareAmount: LARGEST, onHoldShareAmount: NO_SHARES };
}
