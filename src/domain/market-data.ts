// What stands in a recording of raw market data: texts of the socket and answers of reads as they came, and what a
// reader must know beside them. Each is a line of JSON in a segment; a folder of segments is a recording.

import type { UnixMs } from './time.ts';

/** Whoever reads a recording of another format says so. */
export const MARKET_DATA_FORMAT = 1;

export type MarketDataLine =
  /** The first line of every segment. */
  | {
      readonly kind: 'segment';
      readonly format: number;
      readonly segment: number;
      /** The recorder's process; another one has missed what came in between. */
      readonly run: string;
      readonly atMs: UnixMs;
    }
  /** A text of the socket as it came. */
  | { readonly kind: 'text'; readonly atMs: UnixMs; readonly text: string }
  /** An answer as it came. Without `body`, that is the same as of the last answer with this path in the segment. */
  | {
      readonly kind: 'answer';
      readonly atMs: UnixMs;
      readonly path: string;
      readonly status: number;
      readonly body?: string;
    }
  /** A whole book as the lines before it make it, as the venue would send it: a segment can be read alone. */
  | { readonly kind: 'book'; readonly atMs: UnixMs; readonly text: string }
  /** Something is missing here: the socket was lost, or the disk was slow or full. */
  | { readonly kind: 'gap'; readonly atMs: UnixMs; readonly why: string; readonly lines: number }
  /** The last line of a whole segment: the lines before it, and the SHA-256 of their bytes. */
  | { readonly kind: 'end'; readonly lines: number; readonly sha256: string };

export type MarketDataKind = MarketDataLine['kind'];

/** A segment that is being written, or that its writer was killed over. */
export const OPEN_SEGMENT = '.ndjson.open';
/** A segment that is whole. */
export const WHOLE_SEGMENT = '.ndjson.gz';
/** Which markets it is about, and who won. */
export const MARKET_DATA_META = 'meta.json';

const DIGITS = 6;

/** Names sort as they were written. */
export function segmentName(segment: number, suffix: string): string {
  return `${String(segment).padStart(DIGITS, '0')}${suffix}`;
}

/** `undefined` for what is no segment. */
export function segmentOf(
  name: string,
): { readonly segment: number; readonly isWhole: boolean } | undefined {
  const [, digits, suffix] = /^(\d{6,})(\.ndjson\.(?:open|gz))$/.exec(name) ?? [];
  if (digits === undefined) return undefined;
  return { segment: Number(digits), isWhole: suffix === WHOLE_SEGMENT };
}
