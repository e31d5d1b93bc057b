// What the trader and the process that serves HTTP say to each other, over a socket of their own: lines of
// text, each with the kind, a few plain values, and a text that was made once and is read by nobody between.

import { deserialize, serialize } from 'node:v8';
import type { SetsOrder } from '../domain/sets.ts';
import type { FileSettings } from '../settings/settings.ts';
import type { Posted } from '../telemetry/board.ts';
import type { EditAsk, MarketAsk } from '../telemetry/http-operator.ts';

export type Served =
  | { readonly kind: 'at'; readonly address: string }
  | { readonly kind: 'fault'; readonly detail: string };

/** Whoever has the port may be gone soon, as another daemon of it. */
export const LISTEN_AGAIN_MS = 2_000;

/** What an operator asks the trader for. */
export type Ask =
  | { readonly kind: 'kill' | 'pause' | 'resume'; readonly by: string }
  | { readonly kind: 'market'; readonly of: MarketAsk }
  | { readonly kind: 'sets'; readonly order: SetsOrder }
  | { readonly kind: 'edit'; readonly of: EditAsk; readonly by: string }
  /** Settings that were read and found right elsewhere, by `settingsText`. */
  | { readonly kind: 'preview'; readonly settings: string };

export type ToTrader =
  /** Somebody looks at these markets, and at no others. */
  | { readonly kind: 'looked'; readonly marketIds: readonly string[] }
  | { readonly kind: 'served'; readonly served: Served }
  | { readonly kind: 'ask'; readonly id: number; readonly ask: Ask };

export type FromTrader =
  | { readonly kind: 'posted'; readonly posted: Posted }
  /** It has turned and begun with it. */
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly status: number; readonly body: object };

/** A state of ten thousand markets comes in lines of one market each; a line of this length is a fault. */
const LINE_LENGTH_MAX = 16_000_000;

export function toLine(word: ToTrader | FromTrader): string {
  if (word.kind !== 'posted') return `${JSON.stringify(word)}\n`;
  const { posted } = word;
  // Neither JSON nor a name of ours has a tab or the end of a line in it; the venue's name of a market may.
  switch (posted.kind) {
    case 'head':
      return `head\t${posted.tickAgeMs ?? ''}\t${posted.json}\n`;
    case 'market':
      return `market\t${JSON.stringify(posted.marketId)}\t${posted.json}\n`;
    case 'series':
      return `series\t${posted.name}\t${JSON.stringify(posted.text)}\n`;
    case 'order':
      return `order\t\t${JSON.stringify(posted.marketIds)}\n`;
    case 'event':
      return `event\t${posted.isFill ? 'fill' : ''}\t${posted.json}\n`;
    case 'names':
      return `names\t\t${JSON.stringify(posted.names)}\n`;
  }
}

/** Both ends are of one build, and what does not look like it is a fault of it: `undefined`. */
export function readFromTrader(line: string): FromTrader | undefined {
  if (line.startsWith('{')) return JSON.parse(line);
  const first = line.indexOf('\t');
  const second = line.indexOf('\t', first + 1);
  if (first < 0 || second < 0) return undefined;
  const posted = readPosted(
    line.slice(0, first),
    line.slice(first + 1, second),
    line.slice(second + 1),
  );
  return posted === undefined ? undefined : { kind: 'posted', posted };
}

export function readToTrader(line: string): ToTrader {
  return JSON.parse(line);
}

function readPosted(kind: string, of: string, text: string): Posted | undefined {
  switch (kind) {
    case 'head':
      return { kind, tickAgeMs: of === '' ? undefined : Number(of), json: text };
    case 'market':
      return { kind, marketId: JSON.parse(of), json: text };
    case 'series':
      return { kind, name: of, text: JSON.parse(text) };
    case 'event':
      return { kind, isFill: of === 'fill', json: text };
    case 'order':
      return { kind, marketIds: JSON.parse(text) };
    case 'names':
      return { kind, names: JSON.parse(text) };
    default:
      return undefined;
  }
}

/** Settings as a text that loses nothing of them: JSON has no word for a key that is absent on purpose. */
export function settingsText(settings: FileSettings): string {
  return serialize(settings).toString('base64');
}

export function readSettings(text: string): FileSettings {
  return deserialize(Buffer.from(text, 'base64'));
}

/** Cuts what arrives into lines. @throws {Error} For a line that is longer than any. */
export function lineReader(onLine: (line: string) => void): (part: string) => void {
  let rest = '';
  return (part) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH_MAX) throw new Error('a line has no end');
    for (const line of lines) onLine(line);
  };
}
