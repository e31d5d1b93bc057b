import { describe, expect, it } from 'vitest';
import { profitOf } from '../../../src/backtest/fills.ts';
import type { RunResult } from '../../../src/backtest/result.ts';
import { CONDITIONS, runIn, synthetic } from './support.ts';

/** Cash and shares of the account at the end, valued as the run says: nothing of the watch is in it. */
function changeOfAccount(result: RunResult, world: ReturnType<typeof synthetic>): number {
  const [event] = world.events;
  const [market] = event?.markets ?? [];
  if (!market) throw new Error('one market');
  const value = world.worthOf(market.id)?.value ?? Number.NaN;
  const { cashUsdc, shares } = result.account;
  const yes = shares[market.yes.tokenId] ?? 0;
  const no = shares[market.no.tokenId] ?? 0;
  return Number(cashUsdc) + yes * value + no * (1 - value) - CONDITIONS.startingCashUsdc;
}

describe('a backtest in a synthetic world', () => {
  it('is the same run twice, and another with another seed', async () => {
    const [first, again, other] = [
      await runIn(synthetic('calm', 0.1)),
      await runIn(synthetic('calm', 0.1)),
      await runIn(synthetic('calm', 0.1, 2)),
    ];
    expect(again).toEqual(first);
    expect(first.total.fills).toBeGreaterThan(0);
    expect(other.digest).not.toBe(first.digest);
  });

  it('earns in its account what it says, to a hundredth of a cent', async () => {
    for (const seed of [1, 2]) {
      const world = synthetic('jumpy', 0.2, seed);
      const result = await runIn(world, { conditions: { takerFeeRate: 0.02, seed } });
      expect(result.total.fills).toBeGreaterThan(2);
      expect(result.total.pnlUsdc).toBeCloseTo(changeOfAccount(result, world), 4);
      expect(result.total.mark).toBe('belief');
    }
  });

  it('lets nobody trade on what its crowd left behind', async () => {
    const world = synthetic('calm', 0.02);
    const open = world.open.bind(world);
    const told: string[] = [];
    world.open = ({ desk, clock }) => {
      open({ desk, clock });
      desk.setTradingStatus = (_, status) => told.push(status);
    };
    await runIn(world);
    expect(told).toEqual(['closed']);
  });

  it('has one drawdown in all and in its one market, also where points of its chart were left out', async () => {
    const { total, markets } = await runIn(synthetic('jumpy', 1.25));
    expect(total.drawdownUsdc).toBeGreaterThan(0);
    expect(markets[0]?.drawdownUsdc).toBe(total.drawdownUsdc);
  });

  it('waits for settlements as long as they take', async () => {
    const world = synthetic('calm', 0.05);
    const conditions = { settleMsMin: 300_000, settleMsMax: 400_000, settlementFailureRate: 0.5 };
    const result = await runIn(world, { conditions });
    expect(result.total.failedFills).toBeGreaterThan(0);
    expect(result.total.pnlUsdc).toBeCloseTo(changeOfAccount(result, world), 4);
  });

  it('says why it quoted nothing', async () => {
    const idle = await runIn(synthetic('calm', 0.01), { market: 'another' });
    expect(idle.failure).toMatch(/no market of this world is quoted/);
    expect(idle.idle).toMatch(/another.*; clears: /);
    const small = await runIn(synthetic('calm', 0.01), { conditions: { startingCashUsdc: 0.1 } });
    expect(small.failure).toBeUndefined();
    expect(small.idle).toMatch(/^A calm world: /);
    expect((await runIn(synthetic('calm', 0.01))).idle).toBeUndefined();
  });

  it('says in parts where the profit came from, and they add up to it', async () => {
    const { total, markets } = await runIn(synthetic('informed', 0.1));
    expect(profitOf(total.parts)).toBeCloseTo(total.pnlUsdc, 9);
    const parts = markets.map((market) => profitOf(market.parts)).reduce((a, b) => a + b, 0);
    expect(parts).toBeCloseTo(total.pnlUsdc, 9);
  });

  it('takes back what did not settle', async () => {
    const world = synthetic('calm', 0.3);
    const result = await runIn(world, { conditions: { settlementFailureRate: 0.3 } });
    expect(result.total.failedFills).toBeGreaterThan(0);
    expect(result.total.pnlUsdc).toBeCloseTo(changeOfAccount(result, world), 4);
  });

  it('earns where nothing is ever learnt: the spread, and nothing against it', async () => {
    const { total } = await runIn(synthetic('null', 0.5));
    expect(total.fills).toBeGreaterThan(3);
    expect(total.pnlUsdc).toBeGreaterThan(0);
    expect(total.parts.spread).toBeGreaterThan(0);
  });

  it('quotes from the first moment on, nearly always', async () => {
    const { total } = await runIn(synthetic('calm', 0.3));
    expect(total.uptimeRatio).toBeGreaterThan(0.99);
  });

  it('has its first quotes later where the line to the venue is slow', async () => {
    const slow = { kind: 'constant', feedMs: 3_000, entryMs: 3_000, responseMs: 100 } as const;
    const near = await runIn(synthetic('calm', 0.01));
    const far = await runIn(synthetic('calm', 0.01), { conditions: { latency: slow } });
    expect(near.markets[0]?.points[0]?.bid).toBeDefined();
    expect(far.markets[0]?.points[0]?.bid).toBeUndefined();
    expect(far.markets[0]?.points.at(-1)?.bid).toBeDefined();
  });

  it('fills an account that stands before the crowd more than one that stands behind it', async () => {
    const shares = async (queue: 'conservative' | 'real' | 'optimistic') => {
      const { total } = await runIn(synthetic('calm', 0.3), { conditions: { queue } });
      return total.makerShares;
    };
    const [last, real, first] = [
      await shares('conservative'),
      await shares('real'),
      await shares('optimistic'),
    ];
    expect(last).toBeLessThan(real);
    expect(real).toBeLessThan(first);
  });

  it('says on what a result stands', async () => {
    const { conditions } = await runIn(synthetic('calm', 0.01));
    expect(conditions).toBe(
      'latency feed 40 ms, entry 60 ms, response 40 ms · queue real · taker fee rate 0 · settlement 15000 to 20000 ms, 0 % fail · partly filled orders can be cancelled · seed 1',
    );
  });
});
