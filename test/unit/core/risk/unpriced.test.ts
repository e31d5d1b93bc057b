// A position in one market whose book has no price, beside a market that loses: a limit on losses holds
// for the account, whatever a book near its end looks like.

import { describe, expect, it } from 'vitest';
import { eventId, marketId, outcomeId, tokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { Event } from '../../../../src/domain/market.ts';
import type { LedgerRecord, StoredFlows } from '../../../../src/domain/record.ts';
import {
  RISK_CONTROL_DEFAULTS,
  type RiskControls,
  type StoredBaselines,
} from '../../../../src/domain/risk.ts';
import { shares } from '../../../../src/domain/shares.ts';
import {
  balances,
  EngineDriver,
  level,
  listing,
  NO,
  NOTHING_STORED,
  YES,
} from '../../../support/engine-driver.ts';
import { ask, bid, controlled, wishing } from '../../../support/wished.ts';

const SNOW = marketId('m-2');
const SNOW_YES = tokenId('0x03');
const SNOW_NO = tokenId('0x04');
const HELD = 50;
const OFF = { sessionUsdc: 0, dayUsdc: 0, drawdownUsdc: 0, warnPart: 1, unmarkedMs: 0 };

function losing(change: Partial<RiskControls['loss']>): CoreSettings {
  const collar = { ...RISK_CONTROL_DEFAULTS.collar, tradesThrough: 0, fairThrough: 0 };
  const loss = { ...RISK_CONTROL_DEFAULTS.loss, ...OFF, ...change };
  const settings = controlled({ loss, collar });
  return {
    ...settings,
    markets: settings.markets.flatMap((each) => [each, { ...each, event: 'snow' }]),
  };
}

function snow(): Event {
  const event = listing();
  const markets = event.markets.map((market) => ({
    ...market,
    id: SNOW,
    yes: { id: outcomeId('p-yes'), name: 'Yes', tokenId: SNOW_YES, outcomeIndex: 1 as const },
    no: { id: outcomeId('p-no'), name: 'No', tokenId: SNOW_NO, outcomeIndex: 0 as const },
  }));
  return { ...event, id: eventId('e-2'), slug: 'snow', title: 'snow', markets };
}

type Left = {
  readonly flows?: StoredFlows;
  readonly baselines?: StoredBaselines;
};

/** A life with 50 shares of snow, as an earlier one left them. */
class Life extends EngineDriver {
  constructor(settings: CoreSettings, { flows, baselines }: Left = {}) {
    super([wishing(() => [bid(48, 100), ask(52, 100)])]);
    this.restore({
      ...NOTHING_STORED,
      tokens: [
        {
          tokenId: SNOW_YES,
          confirmed: shares(HELD),
          pending: [],
          uncertain: [],
          unreported: [],
          shown: [],
          changedAtMs: undefined,
        },
      ],
      flows: flows === undefined ? [] : [flows],
      baselines,
    });
    this.settings(settings);
    this.#list();
    this.tell({ kind: 'socketOpened' });
    this.tell({ kind: 'authenticated' });
    this.pass(3_000);
  }

  pass(forMs: number): void {
    this.run(forMs, () => {
      if (this.take('readCatalogue').length > 0) this.#list();
      this.answerReads(this.openReports(), HOLDING);
      this.answerTrades({ kind: 'ok', value: [] });
      this.answerCancels();
    });
  }

  snowBook(bids: readonly number[], asks: readonly number[]): void {
    const levels = (prices: readonly number[]) => prices.map((price) => level(price, 500));
    this.book(SNOW_YES, levels(bids), levels(asks));
    this.book(SNOW_NO, [], []);
    this.pass(200);
  }

  /** Long of 100 of the other market for 48 USDC, and its middle goes to where 40 of them are lost. */
  loseElsewhere(): void {
    this.healthyBook();
    this.pass(100);
    const bought = this.acceptPlacements().find(({ order }) => order.tokenId === YES);
    if (bought === undefined) throw new Error('a bid was placed');
    this.update(bought.hash, bought.order, { status: 'MATCHED', filled: 100, remaining: 0 });
    this.middleAt(30);
    this.middleAt(8);
  }

  middleAt(middle: number): void {
    this.book(YES, [level(middle - 2, 500)], [level(middle + 2, 500)]);
    this.book(NO, [], []);
    this.run(200);
  }

  get pnlUsdc(): number {
    return Number(this.engine.view().account.pnlUsdc);
  }

  get tripped(): readonly string[] {
    return this.reported('control.tripped').map(
      ({ control, marketId: id, raisedTo }) => `${control} ${raisedTo} ${id ?? 'account'}`,
    );
  }

  #list(): void {
    this.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [listing(), snow()] } });
  }
}

const HOLDING = balances({
  positions: [
    {
      tokenId: SNOW_YES,
      marketId: SNOW,
      shareAmount: shares(HELD),
      onHoldShareAmount: shares(0),
    },
  ],
});

/** Bought for 40 USDC at 0.80 by an earlier life. */
const BOUGHT: StoredFlows = {
  marketId: SNOW,
  cashNano: -40e9,
  fills: 1,
  start: { yes: shares(0), no: shares(0) },
  startValueNano: 0,
};

function measuredFrom(nano: number, marks?: StoredBaselines['marks']): StoredBaselines {
  const day = Math.floor(1_700_000_000_000 / 86_400_000);
  return { sessionNano: nano, dayNano: nano, day, peakNano: nano, left: [], marks };
}

const LIMITED = losing({ sessionUsdc: 20, sessionAction: 'reduce-only' });

describe('a position without a price in this life', () => {
  it('that the life began with switches no loss limit off', () => {
    const life = new Life(LIMITED);
    life.snowBook([98], []);
    life.loseElsewhere();
    expect(life.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('that the life began with is no profit and no peak when its price comes', () => {
    const life = new Life(losing({ drawdownUsdc: 10, drawdownAction: 'cancel' }));
    life.snowBook([98], []);
    life.snowBook([97], [99]);
    expect(life.pnlUsdc).toBe(0);
    life.snowBook([87], [89]);
    expect(life.tripped).toEqual([]);
    life.snowBook([70], [72]);
    expect(life.tripped).toEqual(['drawdown cancel account']);
  });

  it('is worth what it last was in the life before, and what is lost elsewhere is seen', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9, [[SNOW, 970]]) };
    const life = new Life(LIMITED, left);
    life.snowBook([], []);
    life.pass(1_000);
    // Neither a loss of all that is not priced, nor a gain.
    expect(life.pnlUsdc).toBe(8.5);
    expect(life.tripped).toEqual([]);
    life.loseElsewhere();
    expect(life.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('is worth no more than somebody asks for it, and no less than somebody pays', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9, [[SNOW, 970]]) };
    const life = new Life(LIMITED, left);
    life.snowBook([98], []);
    expect(life.pnlUsdc).toBe(9);
    life.snowBook([], [90]);
    expect(life.pnlUsdc).toBe(5);
    expect(life.tripped).toEqual([]);
    life.snowBook([], [50]);
    expect(life.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('leaves its last price to the next life with what losses are measured from', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9) };
    const life = new Life(LIMITED, left);
    life.snowBook([95], [97]);
    life.pass(11_000);
    const kept = life.records.findLast(
      (each): each is Extract<LedgerRecord, { kind: 'baselines' }> => each.kind === 'baselines',
    );
    expect(kept?.baselines.marks).toEqual([[SNOW, 960]]);
  });
});

describe('a profit that nobody knows', () => {
  const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9) };

  it('holds the account after a while, is said, and lets go when the price is known', () => {
    const life = new Life(losing({ ...LIMITED.risk.loss, unmarkedMs: 30_000 }), left);
    life.snowBook([98], []);
    life.healthyBook();
    life.pass(20_000);
    expect(life.tripped).toEqual([]);
    life.pass(15_000);
    expect(life.tripped).toContain('unmarked_position stop-adding account');
    const { risk, markets } = life.engine.view();
    const latch = risk?.latches.find(({ scope }) => scope === 'account');
    expect(latch?.detail).toBe('no loss can be measured: no price is known for m-2');
    expect(risk?.level).toBe('stop-adding');
    expect(markets).toHaveLength(2);
    life.snowBook([96], [98]);
    life.pass(1_000);
    expect(life.engine.view().risk?.latches).toEqual([]);
  });

  it('holds it where the control of single positions is off, but not where no loss is limited', () => {
    const off = new Life(losing({}), left);
    const limited = new Life(LIMITED, left);
    for (const life of [off, limited]) {
      life.snowBook([98], []);
      life.pass(70_000);
    }
    expect(off.tripped).toEqual([]);
    expect(limited.tripped).toEqual(['unmarked_position stop-adding account']);
  });

  it('is the least that it may be once its market is out of the settings, and no market is quoted', () => {
    const life = new Life(LIMITED, left);
    life.snowBook([98], []);
    life.healthyBook();
    life.pass(70_000);
    expect(life.tripped).toEqual(['unmarked_position stop-adding account']);
    life.settings({ ...LIMITED, markets: LIMITED.markets.slice(0, 1) });
    life.pass(20_000);
    expect(life.engine.view().markets).toHaveLength(1);
    expect(life.tripped).toContain('session_loss reduce-only account');
    expect(life.pnlUsdc).toBe(-40);
  });
});
