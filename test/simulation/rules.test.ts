// Rules that no planted bug breaks can fail all the same: each is shown what it forbids, and what it allows.

import { describe, expect, it } from 'vitest';
import { intentId, type OrderHash, orderHash, requestId } from '../../src/domain/ids.ts';
import { GTD_DEFAULTS } from '../../src/domain/input.ts';
import type { LimitOrder } from '../../src/domain/order.ts';
import type { StoredOrder } from '../../src/domain/record.ts';
import { RECYCLER } from '../../src/domain/sets.ts';
import { ticks } from '../../src/domain/ticks.ts';
import { unixMs } from '../../src/domain/time.ts';
import type { MarketView } from '../../src/domain/view.ts';
import { usdcOf } from '../../src/paper/exchange/amounts.ts';
import { restFaults } from './audit/rest.ts';
import { orderFaults } from './audit/rest-books.ts';
import { cashFaults, positionFaults } from './audit/rest-money.ts';
import { Senses } from './audit/senses.ts';
import { Scene } from './scene.ts';

describe('no_intent', () => {
  it('is an order that its placement did not ask for', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    expect(scene.broken).not.toContain('no_intent');
    scene.place('i-2', 39, { price: ticks(scene.market.grid, 38) });
    expect(scene.broken).toContain('no_intent');
  });
});

describe('placed_closed', () => {
  /** Behind a pause the daemon asks by one order, and again so much later. */
  function asksAgain(laterMs: number, aheadMs = 0) {
    const { market } = new Scene();
    const senses = new Senses(() => market);
    const { tokenId } = market.outcome(1);
    market.trading = 'paused';
    const at = (nowMs: number, ahead = 0) => ({ nowMs, hostMs: nowMs + ahead });
    senses.onMessage({ kind: 'authenticated' }, at(0));
    senses.onMessage({ kind: 'marketStatus', tokenId, status: 'paused', word: 'PAUSE' }, at(0));
    const order = { tokenId } as LimitOrder;
    const placing = { kind: 'placeOrders', requestId: requestId(1), orders: [order] } as const;
    expect(senses.onPlacing(placing, at(10_000))).toBeUndefined();
    return senses.onPlacing(placing, at(10_000 + laterMs, aheadMs))?.rule;
  }

  it('is an order that asks sooner than two seconds after the last, by the clock of the daemon', () => {
    expect(asksAgain(2_000)).toBeUndefined();
    expect(asksAgain(800)).toBe('placed_closed');
    expect(asksAgain(800, 2_600)).toBeUndefined();
  });
});

describe('self_cross', () => {
  it('is an order that meets an own one, of the other outcome too, and none that only comes near', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.place('i-2', 59, {}, 0);
    expect(scene.broken).not.toContain('self_cross');
    scene.place('i-3', 60, {}, 0);
    expect(scene.broken).toContain('self_cross');
  });

  it('is none with an order that came when nobody waited for it any more, until a list can show it', () => {
    const late = () => {
      const scene = new Scene();
      scene.place('i-1', 40, {}, 1, { lateMs: 30_000 });
      return scene;
    };
    const atOnce = late();
    atOnce.place('i-2', 60, {}, 0);
    expect(atOnce.broken).not.toContain('self_cross');
    const behindAList = late();
    behindAList.pass(11_000);
    behindAList.place('i-2', 60, {}, 0);
    expect(behindAList.broken).toContain('self_cross');
  });
});

describe('survivor_unnamed', () => {
  const unconfirmed = (scene: Scene, ...orderHashes: readonly OrderHash[]) =>
    scene.auditor.onCommand({
      kind: 'report',
      report: {
        event: 'kill.unconfirmed',
        stillOpen: 2,
        orderHashes,
        inFlight: [],
        settling: 0,
        unsettled: [],
        isOnlyParts: false,
        detail: '',
      },
    });

  it('is one of two that the venue does not cancel and of which only the other is told', () => {
    const scene = new Scene();
    const first = scene.place('i-1', 40);
    scene.takePart(40);
    const second = scene.place('i-2', 41);
    scene.takePart(41);
    scene.place('i-3', 39);
    scene.pass(20_000);
    unconfirmed(scene, first, second);
    expect(scene.broken).not.toContain('survivor_unnamed');
    unconfirmed(scene, second);
    expect(scene.broken.filter((rule) => rule === 'survivor_unnamed')).toHaveLength(1);
  });
});

describe('kill_missed', () => {
  const CONFIRMED = { event: 'kill.confirmed', cancelled: 0, tookMs: 0, scope: 'account' } as const;
  const confirm = (scene: Scene) => {
    const report = { ...CONFIRMED, leftAlone: 0, refused: [], settling: 0, unsettled: [] } as const;
    scene.auditor.onCommand({ kind: 'report', report });
  };
  /** The core takes in a list that was asked for so long ago. */
  const list = (scene: Scene, agoMs: number) =>
    scene.auditor.onTaken({
      ...{ kind: 'openOrders', requestId: requestId(1), outcome: { kind: 'ok', value: [] } },
      askedAtMs: unixMs(scene.clock.nowMs() - agoMs),
    });

  it('is an order that was back on the book before the list of the proof was asked for', () => {
    const scene = new Scene();
    const fact = scene.facts.find(scene.place('i-1', 40));
    if (fact) fact.backAtMs = scene.clock.nowMs();
    scene.pass(2_000);
    list(scene, 3_000);
    confirm(scene);
    expect(scene.broken).not.toContain('kill_missed');
    list(scene, 1_000);
    confirm(scene);
    expect(scene.broken).toContain('kill_missed');
  });
});

describe('left_resting', () => {
  const stop = (scene: Scene) => {
    const report = { event: 'phase.changed', from: 'stopping', to: 'stopped', reason: '' } as const;
    scene.auditor.onCommand({ kind: 'report', report });
    scene.auditor.onProcessEnds();
    scene.auditor.check();
  };

  it('is an own order on the book when the daemon is gone that had confirmed its stop', () => {
    const scene = new Scene();
    scene.placeByHand(39);
    stop(scene);
    expect(scene.broken).not.toContain('left_resting');
    scene.place('i-1', 40);
    scene.auditor.check();
    expect(scene.broken).toContain('left_resting');
  });

  it('is none beside a daemon that has just begun, nor of a settlement that failed too late', () => {
    const scene = new Scene();
    const fact = scene.facts.find(scene.place('i-1', 40));
    if (fact) fact.isBackLate = true;
    stop(scene);
    scene.place('i-2', 39);
    scene.auditor.onProcessStarts(2, true);
    scene.auditor.check();
    expect(scene.broken).not.toContain('left_resting');
  });
});

describe('outlived', () => {
  it('is an order that rests long after whoever placed it has died, and not before', () => {
    const scene = new Scene({ gtd: GTD_DEFAULTS });
    scene.place('i-1', 40);
    scene.auditor.onProcessEnds();
    scene.pass(60_000);
    scene.auditor.check();
    expect(scene.broken).not.toContain('outlived');
    scene.pass(24 * 3_600_000);
    scene.auditor.check();
    expect(scene.broken).toContain('outlived');
  });

  it('is none where orders have no dates', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.auditor.onProcessEnds();
    scene.pass(24 * 3_600_000);
    scene.auditor.check();
    expect(scene.broken).not.toContain('outlived');
  });
});

describe('sets_while_stopped', () => {
  const says = (scene: Scene, by: string, id: string) =>
    scene.auditor.onCommand({
      kind: 'report',
      report: {
        ...({ event: 'sets.changed', action: 'merge', state: 'sent' } as const),
        ...{ id, by, amount: '20', detail: '', marketId: scene.market.market.id },
      },
    });

  it('is a merge that nobody asked for, decided on in a pause', () => {
    const scene = new Scene();
    says(scene, RECYCLER, 's-1');
    const paused = { event: 'operator.order', order: 'pause', by: 'me', accepted: true } as const;
    scene.auditor.onCommand({ kind: 'report', report: paused });
    says(scene, 'somebody', 's-2');
    expect(scene.broken).not.toContain('sets_while_stopped');
    says(scene, RECYCLER, 's-3');
    expect(scene.broken).toContain('sets_while_stopped');
  });
});

describe('at rest', () => {
  const rules = (faults: readonly { readonly rule: string }[]) => faults.map(({ rule }) => rule);

  it('cash_differs where the daemon has another sum than the venue, or none', () => {
    const scene = new Scene();
    const cash = usdcOf(scene.account.cashNano).toFixed();
    expect(cashFaults(scene.rest(), cash)).toEqual([]);
    expect(rules(cashFaults(scene.rest(), `${cash}1`))).toEqual(['cash_differs']);
    expect(rules(cashFaults(scene.rest(), undefined))).toEqual(['cash_differs']);
  });

  it('position_differs where a match is not in the position, in its own outcome', () => {
    const scene = new Scene();
    scene.place('i-1', 40);
    scene.takePart(40);
    const faults = (shown: Partial<MarketView>) =>
      rules(positionFaults(scene.rest(), scene.view(shown), scene.market));
    expect(faults({ positionYes: '10' })).toEqual([]);
    expect(faults({})).toEqual(['position_differs']);
    expect(faults({ positionNo: '10' })).toEqual(['position_differs', 'position_differs']);
  });

  it('orders_differ where an order rests that the daemon does not show, or the other way round', () => {
    const scene = new Scene();
    const bid = { price: '0.40', quantity: '30' } as MarketView['ownBids'][number];
    const faults = (ownBids: MarketView['ownBids']) =>
      rules(orderFaults(scene.rest(), scene.view({ ownBids }), scene.market));
    expect(faults([bid])).toEqual(['orders_differ']);
    scene.place('i-1', 40);
    expect(faults([bid])).toEqual([]);
    expect(faults([])).toEqual(['orders_differ']);
  });

  it('orders_differ where an order rests on a market that is quoted no more', () => {
    const scene = new Scene();
    expect(rules(restFaults(scene.rest()))).not.toContain('orders_differ');
    scene.place('i-1', 40);
    expect(rules(restFaults(scene.rest()))).toContain('orders_differ');
  });

  it('ledger_differs where the disk has an order as resting that is not there', () => {
    const scene = new Scene();
    const kept = (hash: OrderHash, state: StoredOrder['state']) =>
      [{ intentId: intentId('i-1'), orderHash: hash, state, stateSinceMs: unixMs(0) }] as never;
    const faults = (hash: OrderHash, state: StoredOrder['state']) =>
      rules(restFaults(scene.rest({ kept: kept(hash, state) })));
    const hash = scene.place('i-1', 40);
    expect(faults(hash, 'resting')).not.toContain('ledger_differs');
    expect(faults(orderHash('0x77'), 'resting')).toContain('ledger_differs');
    expect(faults(orderHash('0x77'), 'matched')).not.toContain('ledger_differs');
    scene.venue.exchange.cancel(scene.account, hash);
    expect(faults(hash, 'resting')).toContain('ledger_differs');
  });

  it('ledger_differs where an end that no frame reported is not told on the disk, either', () => {
    const scene = new Scene();
    const nowMs = scene.rest().engine.view().atMs;
    const faults = (stateSinceMs: number) => {
      const kept = [
        { intentId: intentId('i-1'), state: 'cancelUnresolved', stateSinceMs },
      ] as never;
      return rules(restFaults(scene.rest({ kept })));
    };
    expect(faults(nowMs - 9_000)).not.toContain('ledger_differs');
    expect(faults(nowMs - 20_000)).toContain('ledger_differs');
  });

  it('ledger_differs where the possible duplicate of a placement stays on the disk for good', () => {
    const scene = new Scene();
    const nowMs = scene.rest().engine.view().atMs;
    const faults = (sentAtMs: number) =>
      rules(
        restFaults(
          scene.rest({
            kept: [{ intentId: intentId('i-1-duplicate'), state: 'unknown', sentAtMs }] as never,
          }),
        ),
      );
    expect(faults(nowMs - 60_000)).not.toContain('ledger_differs');
    expect(faults(nowMs - 200_000)).toContain('ledger_differs');
  });
});
