// "Why am I not quoting?" has an answer for each side at all times, and so has what is no market yet.

import { describe, expect, it } from 'vitest';
import { marketId } from '../../../src/domain/ids.ts';
import type { MarketView } from '../../../src/domain/view.ts';
import { EngineDriver, listing, settings, YES } from '../../support/engine-driver.ts';

/** Holds every side without a quote to its reason. */
function answered(driver: EngineDriver): MarketView | undefined {
  const view = driver.engine.view();
  for (const market of view.markets) {
    const sides = [
      [market.ownBids, market.bidReason],
      [market.ownAsks, market.askReason],
    ] as const;
    for (const [quotes, reason] of sides) {
      if (quotes.length > 0) continue;
      expect(reason?.code).toMatch(/^\w+$/);
      expect(reason?.detail).not.toBe('');
      expect(reason?.clears).not.toBe('');
      expect(reason?.sinceMs).toBeLessThanOrEqual(driver.nowMs);
    }
  }
  return view.markets[0];
}

function turn(driver: EngineDriver): MarketView | undefined {
  driver.tick();
  driver.acceptPlacements();
  driver.answerCancels();
  driver.answerReads(driver.openReports());
  driver.tick();
  return answered(driver);
}

describe('a side without a quote', () => {
  it('says why through the whole life of a market', () => {
    const driver = new EngineDriver();
    driver.start();
    expect(turn(driver)?.bidReason?.code).toBe('no_book');
    driver.healthyBook();
    expect(turn(driver)?.bidReason).toBeUndefined();
    driver.operator('pause');
    expect(turn(driver)?.bidReason?.code).toBe('paused');
    driver.operator('resume');
    driver.tell({ kind: 'socketLost', reason: 'cut' });
    expect(turn(driver)?.askReason?.code).toBe('socket_lost');
    driver.tell({ kind: 'socketOpened' });
    expect(turn(driver)?.askReason?.code).toBe('user_channel_down');
    driver.tell({ kind: 'authenticated' });
    driver.healthyBook();
    driver.tell({ kind: 'marketStatus', tokenId: YES, status: 'paused', word: 'PAUSE' });
    expect(turn(driver)?.bidReason?.code).toBe('market_paused');
  });

  it('keeps the time at which its reason began for as long as it stays the same', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    turn(driver);
    driver.operator('pause');
    const since = turn(driver)?.bidReason?.sinceMs;
    driver.run(5_000);
    expect(turn(driver)?.bidReason?.sinceMs).toBe(since);
  });

  it('says that the tick size changes while the old orders go', () => {
    const driver = new EngineDriver();
    driver.start();
    driver.healthyBook();
    driver.tick();
    driver.acceptPlacements();
    driver.tick();
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing('0.001')] } });
    driver.tick();
    driver.tick();
    expect(answered(driver)?.bidReason?.code).toBe('tick_size_changes');
  });
});

describe('an entry of the configuration that is no market of the venue', () => {
  const choice = (event: string, market?: string) => ({
    ...settings().markets[0],
    event,
    market: market === undefined ? undefined : marketId(market),
    strategy: 'ladder',
    params: settings().markets[0]?.params ?? {},
  });

  it('is named with its reason and since when, and no more once it is listed', () => {
    const driver = new EngineDriver();
    driver.start(settings({ markets: [choice('snow'), choice('rain')] }));
    const [first] = driver.engine.view().unlisted ?? [];
    expect(first).toMatchObject({ choice: 'snow', code: 'market_unlisted' });
    driver.run(2_000);
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
    expect(driver.engine.view().unlisted?.[0]?.sinceMs).toBe(first?.sinceMs);
    const snow = { ...listing(), slug: 'snow' };
    driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [snow] } });
    expect(driver.engine.view().unlisted?.map(({ choice: name }) => name)).toEqual(['rain']);
  });

  it('is asked for again soon, as a read may have failed, and ever more rarely', () => {
    const driver = new EngineDriver();
    driver.start(settings({ markets: [choice('snow'), choice('rain')] }));
    driver.take('readCatalogue');
    const list = () => {
      const asked = driver.take('readCatalogue').length;
      if (asked > 0)
        driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing()] } });
      return asked;
    };
    let asked = 0;
    driver.run(3_000, () => {
      asked += list();
    });
    expect(asked).toBeGreaterThan(0);
    driver.run(600_000, () => {
      asked += list();
    });
    expect(asked).toBeLessThan(70);
  });

  it('names a market of an event that has none of its id', () => {
    const driver = new EngineDriver();
    driver.start(settings({ markets: [choice('rain', 'm-9')] }));
    expect(driver.engine.view().unlisted?.[0]?.choice).toBe('rain / m-9');
  });
});
