// Quotes that come and go while nobody else moves.

import { describe, expect, it } from 'vitest';
import type { OrderHash } from '../../src/domain/ids.ts';
import { RETURNS_MAX } from './audit/restless.ts';
import { Scene } from './scene.ts';
import type { Flight } from './world/network.ts';

const STEP_MS = 1_000;

/** The daemon cancels an order, and it is gone. */
function cancel(scene: Scene, hash: OrderHash): void {
  const body = JSON.stringify({ orderHashes: [hash] });
  const request = { method: 'POST', target: '/api/orders/batch-cancel', headers: {}, body };
  const origin = { process: 1, placing: undefined, changing: undefined };
  scene.auditor.onSent({ request, origin, isDouble: false } as unknown as Flight);
  scene.venue.exchange.cancel(scene.account, hash);
  scene.pass(STEP_MS);
}

/** Quotes one after the other, each in place of the one before. */
function quotes(scene: Scene, prices: readonly number[]): void {
  prices.forEach((price, index) => {
    cancel(scene, scene.place(`i-${price}-${index}`, price));
  });
}

const TO_AND_FRO = Array.from({ length: RETURNS_MAX + 3 }, (_, index) => (index % 2 ? 38 : 40));

describe('restless', () => {
  it('is a quote that goes to and fro in a market that stands still', () => {
    const scene = new Scene();
    scene.auditor.onStill();
    quotes(scene, TO_AND_FRO.slice(1));
    expect(scene.broken).not.toContain('restless');
    cancel(scene, scene.place('one more', 38));
    expect(scene.broken).toContain('restless');
  });

  it('is none of a quote that others may have moved', () => {
    const scene = new Scene();
    quotes(scene, TO_AND_FRO);
    expect(scene.broken).not.toContain('restless');
  });

  it('is no quote that is renewed where it is, before the last one goes or after', () => {
    const scene = new Scene();
    scene.auditor.onStill();
    let last = scene.place('first', 40);
    for (let renewed = 0; renewed < 2 * RETURNS_MAX; renewed += 1) {
      const next = scene.place(`i-${renewed}`, 40);
      cancel(scene, last);
      quotes(scene, [39 - renewed]);
      last = next;
    }
    expect(scene.broken.filter((rule) => rule === 'restless')).toHaveLength(0);
  });
});
