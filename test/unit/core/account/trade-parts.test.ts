// One trade takes several of our orders and the venue names each part by it: a name alone does not say that
// a settlement was told before.

import { describe, expect, it } from 'vitest';
import type { SettledTrade } from '../../../../src/domain/message.ts';
import { formatShares, shares } from '../../../../src/domain/shares.ts';
import { usdc } from '../../../../src/domain/usdc.ts';
import { EngineDriver, MARKET, settings, YES } from '../../../support/engine-driver.ts';

/** Two bids of one market, at 48 and 47 cents, matched whole: both wait for the chain. */
function matched(): EngineDriver {
  const driver = new EngineDriver();
  const { markets, ...rest } = settings();
  const params = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };
  driver.start({ ...rest, markets: markets.map((each) => ({ ...each, params })) });
  driver.healthyBook();
  driver.tick();
  const bids = driver
    .acceptPlacements()
    .filter(({ order }) => order.tokenId === YES && order.side === 'BUY');
  expect(bids.map(({ order }) => order.price)).toEqual([48, 47]);
  for (const { hash, order } of bids) {
    driver.update(hash, order, { status: 'MATCHED', filled: 50, remaining: 0 });
  }
  return driver;
}

const part = (price: number, quantity = 50, tokenId: SettledTrade['tokenId'] = YES) =>
  ({
    kind: 'tradeSettled',
    tradeId: 't-1',
    side: 'BUY',
    tokenId,
    marketId: MARKET,
    price: usdc(price),
    quantity: shares(quantity),
  }) as const;

/** Shares of YES that have settled once these were told, and settlements that were kept. */
function told(...frames: readonly ReturnType<typeof part>[]) {
  const driver = matched();
  for (const frame of frames) driver.tell(frame);
  driver.tick();
  const tokens = driver.records.flatMap((each) =>
    each.kind === 'token' && each.token.tokenId === YES ? [each.token.confirmed] : [],
  );
  const names = driver.records.flatMap((each) =>
    each.kind === 'settlement' ? [each.settlement.tradeId] : [],
  );
  return { settled: formatShares(tokens.at(-1) ?? shares(0)), names: new Set(names).size };
}

describe('two parts of one trade, reported by its name', () => {
  it.each([YES, undefined])('both settle, each kept by a name of its own, of %s', (tokenId) => {
    expect(told(part(0.48, 50, tokenId), part(0.47, 50, tokenId))).toEqual({
      settled: '100',
      names: 2,
    });
  });

  it('settle once each, however often they are reported', () => {
    const twice = [part(0.48), part(0.47), part(0.48), part(0.47), part(0.47)];
    expect(told(...twice)).toEqual({ settled: '100', names: 2 });
  });
});

describe('a settlement reported by the name of another', () => {
  it('is none where it says the same', () => {
    expect(told(part(0.48), part(0.48))).toEqual({ settled: '50', names: 1 });
  });

  it('is none where no match waits that is just like it', () => {
    expect(told(part(0.48), part(0.4))).toEqual({ settled: '50', names: 1 });
    expect(told(part(0.48), part(0.47, 60))).toEqual({ settled: '50', names: 1 });
  });
});
