// Delta frames of every sort a venue may send: plain ones, and each way of being different.

import type { TokenId } from '../../src/domain/ids.ts';

export type Random = () => number;

/** The same numbers on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One frame as text; about half of them are in plain form. */
export function deltaText(random: Random, tokens: readonly TokenId[]): string {
  const token = pick(random, tokens) ?? '0x0';
  const isOdd = random() < 0.5;
  const fields: [string, string][] = [
    ['type', isOdd ? typeText(random) : '"orderbook.delta"'],
    ['marketId', isOdd ? tokenText(random, token) : `"${token}"`],
    ['side', isOdd ? sideText(random) : random() < 0.5 ? '"bid"' : '"ask"'],
    ['price', isOdd ? numberText(random, 1) : plainPrice(random)],
    ['size', isOdd ? numberText(random, 1_000) : plainSize(random)],
    ['ts', isOdd ? timeText(random) : String(1_700_000_000_000 + Math.floor(random() * 1e9))],
  ];
  if (isOdd) disturb(random, fields);
  const text = fields
    .map(([key, value]) => member(random, isOdd, key, value))
    .join(gap(random, isOdd, ','));
  return damage(random, isOdd, `${blank(random, isOdd)}{${text}}${blank(random, isOdd)}`);
}

function pick<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

function plainPrice(random: Random): string {
  const text = (Math.floor(random() * 1_002) / 1_000).toString();
  return random() < 0.2 ? `"${text}"` : text;
}

function plainSize(random: Random): string {
  const size = random() < 0.3 ? 0 : Math.floor(random() * 1e9) / 10 ** Math.floor(random() * 7);
  const text = size.toString();
  return random() < 0.2 ? `"${text}"` : text;
}

function typeText(random: Random): string {
  const words = ['orderbook.delta', 'orderbook\\u002edelta', 'orderbook.Delta', 'orderbook.deltas'];
  return random() < 0.9 ? '"orderbook.delta"' : `"${pick(random, words)}"`;
}

function tokenText(random: Random, token: string): string {
  const forms = [
    token,
    token,
    token,
    token.toUpperCase().replace('X', 'x'),
    `${token}0`,
    '0xdead',
    '',
  ];
  return `"${pick(random, forms)}"`;
}

function sideText(random: Random): string {
  return `"${pick(random, ['bid', 'ask', 'bid', 'ask', 'BID', 'Ask', ' bid', 'both', 'bi', 'bidd'])}"`;
}

function numberText(random: Random, most: number): string {
  const value = random() * most;
  const forms = [
    value.toString(),
    value.toFixed(2),
    value.toFixed(3),
    `${value.toFixed(3)}000`,
    value.toExponential(),
    `${Math.floor(value * 100)}e-2`,
    `0${value.toFixed(2)}`,
    `${Math.floor(value)}.`,
    `.${Math.floor(value * 100)}`,
    `-${value.toFixed(2)}`,
    `+${value.toFixed(2)}`,
    '-0',
    '0',
    '0.0',
    '1',
    'null',
    'true',
    '9000000.000001',
    '9000000',
    '9007199254740993',
    '123456789012345.6',
    '0.1234567',
    `${value.toFixed(2)}00000000001`,
  ];
  const text = pick(random, forms) ?? '0';
  return random() < 0.3 ? `"${text}"` : text;
}

function timeText(random: Random): string {
  const at = 1_700_000_000_000 + Math.floor(random() * 1e9);
  const forms = [
    `${at}`,
    `"${at}"`,
    `${at}.5`,
    '-1',
    '0',
    `${at}0000`,
    'null',
    '1e12',
    '8640000000000001',
  ];
  return pick(random, forms) ?? '0';
}

/** Keys in another order, missing, told twice, unknown, nested. */
function disturb(random: Random, fields: [string, string][]): void {
  if (random() < 0.5) fields.sort(() => random() - 0.5);
  if (random() < 0.1) fields.pop();
  if (random() < 0.1) fields.push(['seq', '7']);
  if (random() < 0.05) fields.push(['tokenId', '"0x1"']);
  if (random() < 0.05) fields.push(['extra', '{"type":"orderbook.delta","a":[1,2,{"b":"}"}]}']);
  if (random() < 0.05) fields.push(['price', '0.5']);
  if (random() < 0.05) fields.push(['si\\u007ae', '5']);
}

function member(random: Random, isOdd: boolean, key: string, value: string): string {
  return `${blank(random, isOdd)}"${key}"${gap(random, isOdd, ':')}${value}`;
}

function gap(random: Random, isOdd: boolean, mark: string): string {
  return `${blank(random, isOdd)}${mark}${blank(random, isOdd)}`;
}

function blank(random: Random, isOdd: boolean): string {
  if (!isOdd || random() < 0.9) return '';
  return pick(random, [' ', '  ', '\n', '\t', '\r\n']) ?? '';
}

/** Cut short, grown, or with one letter changed. */
function damage(random: Random, isOdd: boolean, text: string): string {
  if (!isOdd || random() < 0.85) return text;
  const at = Math.floor(random() * text.length);
  const forms = [
    text.slice(0, at),
    `${text}${text}`,
    `[${text}]`,
    `${text.slice(0, at)}${String.fromCharCode(32 + Math.floor(random() * 200))}${text.slice(at + 1)}`,
    `${text.slice(0, at)}${text.slice(at + 1)}`,
    `\uFEFF${text}`,
    `${text}x`,
  ];
  return pick(random, forms) ?? text;
}
