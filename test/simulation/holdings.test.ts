// Which failed settlements a life has heard of, where its disk took nothing.

import { describe, expect, it } from 'vitest';
import { marketId, tokenId } from '../../src/domain/ids.ts';
import type { OrderFacts } from './audit/facts.ts';
import { Holdings } from './audit/holdings.ts';
import type { PlaceCommand } from './world/network.ts';

const MARKET = marketId('m-1');
const TOKEN = tokenId('0x01');
/** Longer than a wrong belief may last, and no longer than a failure that nobody told of is excused. */
const WRONG_MS = 100_000;

/** The venue has none of the shares that the daemon believes in. */
const facts = { totalMicro: () => 0, positionMicro: () => 0 } as unknown as OrderFacts;
const placing = { orders: [{ tokenId: TOKEN }] } as unknown as PlaceCommand;

/** A settlement failed at 10 s and was taken back; the life ended at 20 s, and the next one believes in it. */
function nextLife(at: { readonly isUnwritable: boolean }): string | undefined {
  const holdings = new Holdings();
  holdings.onAdopted(TOKEN, '0');
  holdings.look(facts, () => MARKET, 1_000);
  holdings.onLedger(at.isUnwritable);
  holdings.onFailed(MARKET, 10_000);
  holdings.onReversed(MARKET, 10_000);
  holdings.onLifeEnds(20_000);
  holdings.onAdopted(TOKEN, '19');
  let fault: string | undefined;
  for (let nowMs = 21_000; nowMs <= 21_000 + WRONG_MS; nowMs += 1_000) {
    holdings.onPlacing(placing, nowMs);
    fault ??= holdings.look(facts, () => MARKET, nowMs);
  }
  return fault;
}

describe('a failed settlement that a life took back', () => {
  it('is known to the next one, which is held to it', () => {
    expect(nextLife({ isUnwritable: false })).toContain('19 of 0x01 believed, 0 there');
  });

  it('is told to nobody where the disk had taken nothing when that life ended', () => {
    expect(nextLife({ isUnwritable: true })).toBeUndefined();
  });
});
