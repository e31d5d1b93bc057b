// What has to go: orders that rest while nothing can be written, under a level that pulls them, or while
// nobody tells of fills.

import { describe, expect, it } from 'vitest';
import { type OrderHash, requestId } from '../../src/domain/ids.ts';
import type { RiskAction } from '../../src/domain/risk.ts';
import { RISK_CONTROL_DEFAULTS } from '../../src/domain/risk.ts';
import { Scene } from './scene.ts';
import type { Controls } from './world/controls.ts';

const ID = requestId(900);

/** The daemon hears of the account. */
function hearing(controls: Partial<Controls> = {}): Scene {
  const scene = new Scene(controls);
  scene.auditor.onMessage({ kind: 'authenticated' } as never);
  return scene;
}

/** An order rests, and the daemon says that it knows it. */
function placed(scene: Scene, name: string, price: number): OrderHash {
  const orderHash = scene.place(name, price);
  const moved = { event: 'order.moved', orderHash, from: 'sending', to: 'resting' } as const;
  const order = { tokenId: scene.market.outcome(1).tokenId, side: 'BUY', quantity: '30' } as const;
  const report = { ...moved, ...order, price: `0.${price}`, signal: 'ack' } as const;
  scene.auditor.onCommand({ kind: 'report', report });
  return orderHash;
}

/** So many seconds, with four turns in each. */
function processes(scene: Scene, seconds: number): void {
  for (let turn = 0; turn < seconds * 4; turn += 1) {
    scene.pass(250);
    scene.auditor.onTurn();
    scene.auditor.check();
  }
}

function cancels(scene: Scene, ...orderHashes: readonly OrderHash[]): void {
  const command = { kind: 'cancelOrders', requestId: ID, orderHashes } as const;
  scene.auditor.onCommand({ kind: 'venue', command });
}

function cancelsAll(scene: Scene): void {
  const command = { kind: 'cancelAll', requestId: ID, scope: { kind: 'account' } } as const;
  scene.auditor.onCommand({ kind: 'venue', command });
}

function trips(scene: Scene, raisedTo: RiskAction): void {
  const report = {
    ...({ event: 'control.tripped', control: 'fill_burst', marketId: undefined } as const),
    ...{ raisedTo, detail: 'five fills', clears: 'ends by itself in 600 s' },
  };
  scene.auditor.onCommand({ kind: 'report', report });
}

describe('not_pulled, while the ledger cannot be written', () => {
  it('is an order that nobody asks to be cancelled, and none that somebody does', () => {
    const scene = hearing();
    const first = placed(scene, 'i-1', 40);
    processes(scene, 20);
    scene.auditor.onDisk(false);
    cancels(scene, first);
    processes(scene, 20);
    expect(scene.broken).toEqual([]);
    placed(scene, 'i-2', 39);
    processes(scene, 4);
    expect(scene.broken).toEqual([]);
    processes(scene, 4);
    expect(new Set(scene.broken)).toEqual(new Set(['not_pulled']));
  });

  it('is none once it can be written again, nor while the process stands still', () => {
    const scene = hearing();
    placed(scene, 'i-1', 40);
    scene.auditor.onDisk(false);
    processes(scene, 3);
    scene.auditor.onDisk(true);
    processes(scene, 20);
    scene.auditor.onDisk(false);
    scene.pass(60_000);
    scene.auditor.check();
    expect(scene.broken).toEqual([]);
    processes(scene, 8);
    expect(scene.broken).toContain('not_pulled');
  });

  it('is none that was asked for with everything, and none that the daemon has not reported for', () => {
    const scene = hearing();
    placed(scene, 'i-1', 40);
    scene.auditor.onDisk(false);
    cancelsAll(scene);
    processes(scene, 20);
    const unreported = hearing();
    unreported.place('i-1', 40);
    unreported.auditor.onDisk(false);
    processes(unreported, 20);
    expect([...scene.broken, ...unreported.broken]).toEqual([]);
  });

  it('is none that this venue lets nobody cancel', () => {
    const scene = hearing();
    placed(scene, 'i-1', 40);
    scene.takePart(40);
    scene.auditor.onDisk(false);
    processes(scene, 20);
    expect(scene.broken).toEqual([]);
  });
});

describe('not_pulled, under a level', () => {
  it('is what adds where the level pulls it, and not where it only stops what is new', () => {
    const stopped = hearing();
    placed(stopped, 'i-1', 40);
    trips(stopped, 'stop-adding');
    processes(stopped, 20);
    expect(stopped.broken).toEqual([]);
    const pulled = hearing();
    placed(pulled, 'i-1', 40);
    trips(pulled, 'cancel');
    processes(pulled, 20);
    expect(pulled.broken).toContain('not_pulled');
  });

  it('is none that may bring the position nearer to zero', () => {
    const scene = hearing();
    const bid = placed(scene, 'i-1', 40);
    scene.takePart(40);
    cancels(scene, bid);
    trips(scene, 'cancel');
    // A buyer of NO lessens what is held of YES.
    scene.place('i-2', 55, {}, 0);
    processes(scene, 20);
    expect(scene.broken).toEqual([]);
  });
});

describe('not_swept', () => {
  const blind = (scope: 'account' | 'own') => {
    const scene = hearing({ scope, risk: { ...RISK_CONTROL_DEFAULTS, blind: { forMs: 5_000 } } });
    const to = { event: 'phase.changed', from: 'clearing', to: 'quoting', reason: '' } as const;
    scene.auditor.onCommand({ kind: 'report', report: to });
    const outcome = { kind: 'ok', value: [] } as never;
    const balances = { kind: 'balances', requestId: ID, askedAtMs: scene.clock.nowMs(), outcome };
    scene.auditor.onMessage(balances as never);
    // It says that it is blind: what it then does not do is another rule's.
    const report = {
      ...({ event: 'control.tripped', control: 'blind_account', marketId: undefined } as const),
      ...({ raisedTo: 'widen', detail: '', clears: 'by itself: it sees again' } as const),
    };
    scene.auditor.onCommand({ kind: 'report', report });
    scene.place('i-1', 40);
    scene.auditor.onMessage({ kind: 'socketLost' } as never);
    return scene;
  };

  it('is an order of which nobody may hear, and nobody asks for everything to be cancelled', () => {
    const scene = blind('account');
    processes(scene, 9);
    expect(scene.broken).toEqual([]);
    processes(scene, 6);
    expect(new Set(scene.broken)).toEqual(new Set(['not_swept']));
  });

  it('is none where somebody does, nor where only own orders may be named', () => {
    const swept = blind('account');
    cancelsAll(swept);
    const own = blind('own');
    for (const scene of [swept, own]) {
      processes(scene, 15);
      expect(scene.broken).toEqual([]);
    }
  });
});
