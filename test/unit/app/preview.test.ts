// A preview asks each strategy twice, on the loop that quotes: that has its turns between, however long they all take.

import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { previewSettings } from '../../../src/app/preview.ts';
import { createEngine } from '../../../src/core/engine.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { coreSettings, loadSettings } from '../../../src/settings/load.ts';
import type { NamedSettings } from '../../../src/settings/selected.ts';
import { defineStrategy, type Strategy } from '../../../src/strategy/index.ts';
import { balances, level } from '../../support/engine-driver.ts';
import { listedEvent } from '../../support/listed-event.ts';
import { fileOf } from '../settings/support.ts';

const MARKETS = 20;
const CALL_MS = 15;
const START_MS = 1_700_000_000_000;

let isSlow = false;
let calls = 0;

const slow = defineStrategy<object>({
  name: 'slow',
  summary: 'Takes long.',
  params: {},
  quote: () => {
    calls += 1;
    const endMs = performance.now() + CALL_MS;
    while (isSlow && performance.now() < endMs) {}
    return { quotes: [], reasons: [] };
  },
}) as Strategy;

/** Every market of an event may be quoted. */
function atWork(strategies: ReadonlyMap<string, Strategy>) {
  const file = fileOf('markets: [{ event: many, strategy: slow }]\n');
  const settings = loadSettings({ file, env: {}, strategies }) as NamedSettings;
  const engine = createEngine({ strategies });
  let atMs = START_MS;
  const tell = (message: VenueMessage) =>
    engine.step({ kind: 'venue', atMs: unixMs(atMs), message });
  engine.step({ kind: 'settings', atMs: unixMs(atMs), settings: coreSettings(settings) });
  const event = listedEvent('many', MARKETS);
  tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [event] } });
  tell({ kind: 'socketOpened' });
  let commands = tell({ kind: 'authenticated' });
  for (const { yes, no } of event.markets) {
    for (const { tokenId } of [yes, no]) {
      const sides = { bids: [level(40, 100)], asks: [level(60, 100)] };
      tell({ kind: 'bookSnapshot', tokenId, ...sides, venueTs: unixMs(atMs) });
    }
  }
  for (let turn = 0; turn < 60; turn += 1) {
    for (const each of commands) {
      if (each.kind !== 'venue' || !('requestId' in each.command)) continue;
      const { kind, requestId } = each.command;
      const asked = { requestId, askedAtMs: unixMs(atMs) };
      if (kind === 'readOpenOrders')
        tell({ kind: 'openOrders', ...asked, outcome: { kind: 'ok', value: [] } });
      if (kind === 'readBalances')
        tell({ kind: 'balances', ...asked, outcome: { kind: 'ok', value: balances() } });
      if (kind === 'cancelAll') {
        const outcome = { kind: 'accepted', cancelled: 0, failed: 0 } as const;
        tell({ kind: 'cancelled', requestId, outcome });
      }
    }
    atMs += 50;
    commands = [...engine.step({ kind: 'tick', atMs: unixMs(atMs) }), ...engine.tend()];
  }
  return { engine, settings };
}

it('leaves the loop its turns where strategies take long', async () => {
  const { engine, settings } = atWork(new Map([['slow', slow]]));
  isSlow = true;
  calls = 0;
  let turns = 0;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; turns += 1) await setImmediate();
  })();
  const selection = { applied: () => settings };
  const parts = { engine, selection } as unknown as Parameters<typeof previewSettings>[1];
  const found = await previewSettings({}, parts, { next: settings, current: settings });
  isOver = true;
  await watching;
  isSlow = false;
  expect(found.markets).toHaveLength(MARKETS);
  expect(calls).toBe(2 * MARKETS);
  expect(turns).toBeGreaterThan(MARKETS / 2);
});
