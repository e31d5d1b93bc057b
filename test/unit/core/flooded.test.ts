// A venue that tells of very much more than was ever sent costs no more with each word, and nothing is left out.

import { describe, expect } from 'vitest';
import { orderHash } from '../../../src/domain/ids.ts';
import { shares } from '../../../src/domain/shares.ts';
import { usdc } from '../../../src/domain/usdc.ts';
import { EngineDriver, MARKET, settings, YES } from '../../support/engine-driver.ts';
import { it } from '../../support/runs.ts';

const TOLD = 2_000;
/** Of a token, in what is kept of it with every change. */
const EACH_MAX = 510;

function quoting() {
  const driver = new EngineDriver();
  driver.start(settings());
  driver.healthyBook();
  driver.tick();
  const bid = driver
    .acceptPlacements()
    .find(({ order }) => order.side === 'BUY' && order.tokenId === YES);
  if (bid === undefined) throw new Error('a bid rests');
  return { driver, bid: bid.order };
}

function lastKept(driver: EngineDriver) {
  const kept = driver.records.findLast(
    (record) => record.kind === 'token' && record.token.tokenId === YES,
  );
  if (kept?.kind !== 'token') throw new Error('the token is kept');
  return kept.token;
}

const sum = (items: readonly { readonly quantity: number }[]) =>
  items.reduce((total, { quantity }) => total + quantity, 0);

describe('a token of which very much is told', () => {
  it('has all that orders unknown here may have traded in its range, in a bounded list', () => {
    const { driver, bid } = quoting();
    for (let count = 1; count <= TOLD; count += 1) {
      const hash = orderHash(`0xf100d${count.toString(16)}`);
      driver.update(hash, bid, { status: 'PARTIALLY_FILLED', filled: 1, remaining: 5 });
    }
    driver.tick();
    const { uncertain } = lastKept(driver);
    expect(uncertain.length).toBeLessThan(EACH_MAX);
    expect(sum(uncertain)).toBe(shares(TOLD));
    driver.run(4 * settings().timing.positionLagMs, () => driver.answerReads([]));
    // Nobody answers what is placed meanwhile, and that has items of its own.
    const isOfThem = ({ cause }: { cause: string }) => cause === uncertain[0]?.cause;
    expect(lastKept(driver).uncertain.filter(isOfThem)).toEqual([]);
  });

  it('has all settlements that wait for their fills, in a bounded list', () => {
    const { driver } = quoting();
    for (let count = 1; count <= TOLD; count += 1) {
      driver.tell({
        ...{ kind: 'tradeSettled', tradeId: `flood-${count}`, tokenId: YES, marketId: MARKET },
        ...{ side: 'BUY', price: usdc('0.48'), quantity: shares(1) },
      });
    }
    driver.tick();
    const { confirmed, unreported } = lastKept(driver);
    expect(unreported.length).toBeLessThan(EACH_MAX);
    expect(sum(unreported)).toBe(shares(TOLD));
    expect(confirmed).toBe(shares(TOLD));
  });
});
