// What `check` warns of: a configuration that is allowed and cannot quote.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadSettings } from '../../../src/settings/load.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { warningsOf } from '../../../src/settings/warnings.ts';
import { worstCases, worstCaseText } from '../../../src/settings/worst-case.ts';
import { HOUSE } from '../../support/strategy-house.ts';
import { tempFolder } from '../../support/temp-folder.ts';

function settingsOf(text: string): Settings {
  const file = join(tempFolder('warnings'), 'run.yaml');
  writeFileSync(file, text);
  const strategies = new Map(HOUSE.map((each) => [each.name, each]));
  return loadSettings({ file, env: {}, strategies });
}

const warnings = (text: string): readonly string[] => warningsOf(settingsOf(text));

const market = (params: string) =>
  `markets: [{ event: rain, strategy: ladder, params: { ${params} } }]`;

const QUIET = `${market('size: 50, levels: 3')}\nrisk: { maxLossUsdc: 100 }\n`;

it('says nothing of a configuration that can quote', () => {
  expect(warnings(`${market('size: 50, levels: 3')}\nrisk: { maxLossUsdc: 100 }\n`)).toEqual([]);
});

it('says that nothing is quoted without a market', () => {
  expect(warnings('markets: []\nrisk: { maxLossUsdc: 100 }\n')).toEqual([
    'markets is empty: nothing can be quoted, and no daemon starts',
  ]);
});

it('names a size that a limit refuses, with both values', () => {
  const text = `${market('size: 600, levels: 1')}\nrisk: { maxLossUsdc: 100, maxPositionShares: 500, maxOrderNotionalUsdc: 100 }\n`;
  expect(warnings(text)).toEqual([
    'markets[0].params.size is 600, above risk.maxPositionShares (500): its orders are refused',
    'markets[0].params.size is 600: one side costs 300 USDC or more, above risk.maxOrderNotionalUsdc (100): its orders are refused',
    'risk.maxLossUsdc is 100, and the quotes of one market may lose 300 or more: the outer ones wait',
  ]);
});

it('counts the levels of all markets against the open orders', () => {
  const text = `${market('size: 10, levels: 8')}\nrisk: { maxLossUsdc: 100, maxOpenOrders: 10 }\n`;
  expect(warnings(text)).toEqual([
    'risk.maxOpenOrders is 10, and the levels of 1 markets need 16: the outer ones wait',
  ]);
});

it('says at what a configuration could lose at worst, beside the limits that hold it', () => {
  const text = `markets:
  - { event: rain, strategy: ladder, params: { size: 50, levels: 3 } }
  - { event: snow, strategy: ladder, params: { size: 10, levels: 2 } }
risk: { maxLossUsdc: 160, maxPositionShares: 500, maxOrderNotionalUsdc: 100, maxOpenOrders: 20 }
`;
  expect(worstCases(settingsOf(text)).map(worstCaseText)).toEqual([
    'one side of every ladder filled: 75 to 170 USDC of risk.maxLossUsdc 160; risk.maxLossUsdc ends it there',
    'positions at their limits, all lost: 1000 USDC of risk.maxLossUsdc 160; risk.maxLossUsdc ends it there',
    'the largest quote: 25 to 50 USDC of risk.maxOrderNotionalUsdc 100',
    'the longest ladder, one side: 150 shares of risk.maxPositionShares 500',
    'quotes of all markets: 10 orders of risk.maxOpenOrders 20',
  ]);
  expect(worstCases(settingsOf('markets: []')).map(({ most }) => most)).toEqual([0, 0, 0, 0, 0]);
});

it('reckons with the limits where sizes follow from other parameters than `size`', () => {
  const text = `markets:
  - { event: rain, strategy: ladder, params: { size: 50, levels: 3 } }
  - { event: snow, strategy: bands, params: { nearAmountAvg: 1000, nearAmountMax: 2000 } }
risk: { maxLossUsdc: 160, maxPositionShares: 500, maxOrderNotionalUsdc: 100, maxOpenOrders: 20, maxMarketOpenOrders: 20 }
`;
  expect(worstCases(settingsOf(text)).map(worstCaseText)).toEqual([
    'one side of every ladder filled: 75 to 650 USDC of risk.maxLossUsdc 160; risk.maxLossUsdc ends it there',
    'positions at their limits, all lost: 1000 USDC of risk.maxLossUsdc 160; risk.maxLossUsdc ends it there',
    'the largest quote: 25 to 100 USDC of risk.maxOrderNotionalUsdc 100',
    'the longest ladder, one side: 150 to 500 shares of risk.maxPositionShares 500',
    'quotes of all markets: 6 to 26 orders of risk.maxOpenOrders 20; risk.maxOpenOrders ends it there',
  ]);
});

it('names an address that everybody reaches', () => {
  const text = `${market('size: 10')}\nrisk: { maxLossUsdc: 100 }\nhttp: { host: 0.0.0.0 }\n`;
  expect(warnings(text)).toEqual([expect.stringContaining('http.host is 0.0.0.0')]);
});

it.each(['127.0.0.2', 'LOCALHOST', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
  'has nothing to say of http.host %s, which this machine alone reaches',
  (host) => {
    expect(warnings(`${QUIET}http: { host: '${host}' }\n`)).toEqual([]);
  },
);

it('names a venue that is reached without TLS from another machine', () => {
  const at = (baseUrl: string, wsUrl: string) =>
    warnings(
      `${market('size: 10')}\nrisk: { maxLossUsdc: 100 }\nvenue: { baseUrl: "${baseUrl}", wsUrl: "${wsUrl}" }\n`,
    );
  expect(at('http://[::1]:1/api', 'ws://localhost:1/ws')).toEqual([]);
  expect(at('https://venue.example/api', 'wss://venue.example/ws')).toEqual([]);
  expect(at('http://venue.example/api', 'ws://venue.example/ws')).toEqual([
    'venue.baseUrl is http://venue.example/api: everybody on the way reads the credentials; take https://',
    'venue.wsUrl is ws://venue.example/ws: everybody on the way reads the credentials; take wss://',
  ]);
});

it.each(['127.0.0.1', '127.8.9.10', 'localhost', '[::1]'])('%s is of this machine', (host) => {
  expect(warnings(`${QUIET}venue: { baseUrl: 'http://${host}:1/api' }\n`)).toEqual([]);
});

it('says who reads the credentials, also where a name begins as an address of this machine', () => {
  const [warning] = warnings(`${QUIET}venue: { baseUrl: 'http://127.0.0.1.example.org/api' }\n`);
  expect(warning).toContain('everybody on the way reads the credentials');
});

it('count the markets that hundreds of filters may choose', () => {
  const filter = (_: unknown, index: number) =>
    `  - { select: { tag: t${index}, max: 1000 }, strategy: ladder }\n`;
  const text = `markets:\n${Array.from({ length: 200 }, filter).join('')}`;
  expect(worstCases(settingsOf(text))[1]?.limitIs).toBe(250);
});
