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
import { ask, bid, controlled, wishing } from '../../../support/wanted.ts';

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

/** A run with 50 shares of snow, as an earlier one left them. */
class Run extends EngineDriver {
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

/** Bought for 40 USDC at 0.80 by a previous run. */
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

describe('a position without a price in this run', () => {
  it('that the run began with switches no loss limit off', () => {
    const run = new Run(LIMITED);
    run.snowBook([98], []);
    run.loseElsewhere();
    expect(run.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('that the run began with is no profit and no peak when its price comes', () => {
    const run = new Run(losing({ drawdownUsdc: 10, drawdownAction: 'cancel' }));
    run.snowBook([98], []);
    run.snowBook([97], [99]);
    expect(run.pnlUsdc).toBe(0);
    run.snowBook([87], [89]);
    expect(run.tripped).toEqual([]);
    run.snowBook([70], [72]);
    expect(run.tripped).toEqual(['drawdown cancel account']);
  });

  it('is worth what it last was in the run before, and what is lost elsewhere is seen', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9, [[SNOW, 970]]) };
    const run = new Run(LIMITED, left);
    run.snowBook([], []);
    run.pass(1_000);
    // Neither a loss of all that is not priced, nor a gain.
    expect(run.pnlUsdc).toBe(8.5);
    expect(run.tripped).toEqual([]);
    run.loseElsewhere();
    expect(run.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('is worth no more than somebody asks for it, and no less than somebody pays', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9, [[SNOW, 970]]) };
    const run = new Run(LIMITED, left);
    run.snowBook([98], []);
    expect(run.pnlUsdc).toBe(9);
    run.snowBook([], [90]);
    expect(run.pnlUsdc).toBe(5);
    expect(run.tripped).toEqual([]);
    run.snowBook([], [50]);
    expect(run.tripped).toEqual(['session_loss reduce-only account']);
  });

  it('leaves its last price to the next run with what losses are measured from', () => {
    const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9) };
    const run = new Run(LIMITED, left);
    run.snowBook([95], [97]);
    run.pass(11_000);
    const kept = run.records.findLast(
      (each): each is Extract<LedgerRecord, { kind: 'baselines' }> => each.kind === 'baselines',
    );
    expect(kept?.baselines.marks).toEqual([[SNOW, 960]]);
  });
});

describe('a profit that nobody knows', () => {
  const left = { flows: BOUGHT, baselines: measuredFrom(8.5e9) };

  it('holds the account after a while, is said, and lets go when the price is known', () => {
    const run = new Run(losing({ ...LIMITED.risk.loss, unmarkedMs: 30_000 }), left);
    run.snowBook([98], []);
    run.healthyBook();
    run.pass(20_000);
    expect(run.tripped).toEqual([]);
    run.pass(15_000);
    expect(run.tripped).toContain('unmarked_position stop-adding account');
    const { risk, markets } = run.engine.view();
    const latch = risk?.latches.find(({ scope }) => scope === 'account');
    expect(latch?.detail).toBe('no loss can be measured: no price is known for m-2');
    expect(risk?.level).toBe('stop-adding');
    expect(markets).toHaveLength(2);
    run.snowBook([96], [98]);
    run.pass(1_000);
    expect(run.engine.view().risk?.latches).toEqual([]);
  });

  it('holds it where the control of single positions is off, but not where no loss is limited', () => {
    const off = new Run(losing({}), left);
    const limited = new Run(LIMITED, left);
    for (const run of [off, limited]) {
      run.snowBook([98], []);
      run.pass(70_000);
    }
    expect(off.tripped).toEqual([]);
    expect(limited.tripped).toEqual(['unmarked_position stop-adding account']);
  });

  it('is the least that it may be once its market is out of the settings, and no market is quoted', () => {
    const run = new Run(LIMITED, left);
    run.snowBook([98], []);
    run.healthyBook();
    run.pass(70_000);
    expect(run.tripped).toEqual(['unmarked_position stop-adding account']);
    run.settings({ ...LIMITED, markets: LIMITED.markets.slice(0, 1) });
    run.pass(20_000);
    expect(run.engine.view().markets).toHaveLength(1);
    expect(run.tripped).toContain('session_loss reduce-only account');
    expect(run.pnlUsdc).toBe(-40);
  });
});
