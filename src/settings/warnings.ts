// What is allowed and yet cannot quote, or is open to everybody: `check` says it, and nothing is refused for it.

import { dividedRisk, isSelected } from './selected.ts';
import type { FileSettings } from './settings.ts';
import { worstCases } from './worst-case.ts';

type Choice = FileSettings['markets'][number];

/** One sentence each: the place, its value, and what would be right. */
export function warningsOf(settings: FileSettings): readonly string[] {
  const { markets, http, venue } = settings;
  return [
    ...(markets.length === 0
      ? ['markets is empty: nothing can be quoted, and no daemon starts']
      : []),
    ...markets.flatMap((choice, index) => sizeWarnings(choice, `markets[${index}]`, settings)),
    ...countWarnings(settings),
    ...divisionWarnings(settings),
    ...lossWarnings(settings),
    ...hostWarnings(http),
    ...venueWarnings(venue),
  ];
}

/** A share costs less than one USDC, and the dearer side of a market at least half of one. */
const DEARER_SIDE_USDC = 0.5;

function sizeWarnings({ params }: Choice, at: string, { risk }: FileSettings): readonly string[] {
  const size = numberOf(params, 'size');
  if (size === undefined) return [];
  const { maxPositionShares, maxOrderShares, maxOrderNotionalUsdc } = risk;
  const found: string[] = [];
  if (size > maxPositionShares) {
    found.push(`${at}.params.size is ${size}, above risk.maxPositionShares (${maxPositionShares})`);
  }
  if (size > maxOrderShares) {
    found.push(`${at}.params.size is ${size}, above risk.maxOrderShares (${maxOrderShares})`);
  }
  const costsUsdc = size * DEARER_SIDE_USDC;
  if (costsUsdc > maxOrderNotionalUsdc) {
    const limit = `risk.maxOrderNotionalUsdc (${maxOrderNotionalUsdc})`;
    found.push(
      `${at}.params.size is ${size}: one side costs ${costsUsdc} USDC or more, above ${limit}`,
    );
  }
  return found.map((text) => `${text}: its orders are refused`);
}

/** Two sides of every market; an event may have more markets than one. */
function countWarnings({ markets, risk }: FileSettings): readonly string[] {
  // Limits divide over what a filter selects: see divisionWarnings.
  if (markets.some(isSelected)) return [];
  const most = Math.max(0, ...markets.map(({ params }) => 2 * levelsOf(params)));
  const all = markets.reduce((sum, { params }) => sum + 2 * levelsOf(params), 0);
  const found: string[] = [];
  if (all > risk.maxOpenOrders) {
    found.push(
      `risk.maxOpenOrders is ${risk.maxOpenOrders}, and the levels of ${markets.length} markets need ${all}: the outer ones wait`,
    );
  }
  if (most > risk.maxMarketOpenOrders) {
    found.push(
      `risk.maxMarketOpenOrders is ${risk.maxMarketOpenOrders}, and one market needs ${most}: its outer levels wait`,
    );
  }
  return found;
}

/** What is left for one market once a filter has chosen as many as it may. */
function divisionWarnings(settings: FileSettings): readonly string[] {
  const { markets, risk } = settings;
  if (!markets.some(isSelected)) return [];
  const count = markets.reduce((sum, { select }) => sum + (select?.max ?? 1), 0);
  const each = dividedRisk(risk, { marketCount: count, eventCount: count });
  const ordersMost = Math.max(0, ...markets.map(({ params }) => 2 * levelsOf(params)));
  const costUsdc = Math.max(...markets.map(({ params }) => sizeOf(params) * DEARER_SIDE_USDC));
  const found: string[] = [];
  if (ordersMost > each.maxMarketOpenOrders) {
    found.push(
      `markets may be ${count} by markets[].select, each then has ${each.maxMarketOpenOrders} of risk.maxOpenOrders (${risk.maxOpenOrders}), and one needs ${ordersMost}: its outer levels wait`,
    );
  }
  if (costUsdc > each.maxEventLossUsdc) {
    found.push(
      `markets may be ${count} by markets[].select, each event may then lose ${each.maxEventLossUsdc.toFixed(2)} of risk.maxLossUsdc (${risk.maxLossUsdc}), and one quote may lose ${costUsdc}: raise that limit, or lower max or size`,
    );
  }
  return found;
}

function sizeOf(params: Choice['params']): number {
  return numberOf(params, 'size') ?? 0;
}

/** Where at no price there is room for all quotes of one market. */
function lossWarnings(settings: FileSettings): readonly string[] {
  const [sides] = worstCases(settings);
  if (sides === undefined || sides.least <= sides.limitIs) return [];
  const { least, limit, limitIs } = sides;
  return [
    `${limit} is ${limitIs}, and the quotes of one market may lose ${least} or more: the outer ones wait`,
  ];
}

function levelsOf(params: Choice['params']): number {
  return numberOf(params, 'levels') ?? 1;
}

function hostWarnings({ host, port }: FileSettings['http']): readonly string[] {
  if (isLocalAddress(`http://${host.includes(':') ? `[${host}]` : host}`)) return [];
  return [
    `http.host is ${host}: whoever reaches port ${port} sees /metrics; keep it behind a firewall or a proxy`,
  ];
}

/** The key and the passphrase go with every request as they are. */
function venueWarnings({ baseUrl, wsUrl }: FileSettings['venue']): readonly string[] {
  const open = [
    ['baseUrl', baseUrl, 'https'],
    ['wsUrl', wsUrl, 'wss'],
  ] as const;
  return open
    .filter(([, address, scheme]) => !address.startsWith(`${scheme}:`) && !isLocalAddress(address))
    .map(
      ([key, address, scheme]) =>
        `venue.${key} is ${address}: everybody on the way reads the credentials; take ${scheme}://`,
    );
}

/** Of this machine, as that of the embedded venue; what is no address at all is of none. */
export function isLocalAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return LOCAL.test(new URL(address).hostname);
}

/** As a URL writes it: a name may begin like an address, as `127.0.0.1.example.org` does. */
const LOCAL = /^(?:localhost|127\.[\d.]+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

function numberOf(params: Choice['params'], name: string): number | undefined {
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'number' ? value : undefined;
}
