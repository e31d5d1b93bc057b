// The bounded list of last events that a screen shows while logs cannot be printed.

import { harmless } from './text.ts';

/** Names that people know, by the ids that log lines carry. */
export type Names = ReadonlyMap<string, string>;

/** Parts the outcome of a token from its market, in the name of a token. */
export const OF_MARKET = ' · ';

export type LastEvents = {
  /** Takes one line of log, JSON or not. */
  add(line: string): void;
  /** At most `count` lines, oldest first. */
  last(count: number): readonly string[];
};

/** More than the tallest terminal shows. */
const KEPT_MAX = 200;
/** A line longer than any terminal is wide is not worth keeping whole. */
const LINE_LENGTH_MAX = 500;

export function createLastEvents(names: () => Names = () => new Map()): LastEvents {
  const lines: string[] = [];
  return {
    add(line) {
      lines.push(readable(line, names()).slice(0, LINE_LENGTH_MAX));
      if (lines.length > KEPT_MAX) lines.splice(0, lines.length - KEPT_MAX);
    },
    last: (count) => (count <= 0 ? [] : lines.slice(-count)),
  };
}

/** Parts of a line that stand elsewhere in it, or that say the same in every line. */
const HEAD_FIELDS = new Set(['level', 'time', 'event', 'msg', 'pid', 'hostname']);

/** One structured log line as `time event field=value …`; anything else as it is. */
export function readable(line: string, names: Names = new Map()): string {
  const fields = parseFields(line);
  if (!fields) return harmless(line.trimEnd());
  const level = String(fields.get('level') ?? '');
  const head = [
    timeText(fields.get('time')),
    level === 'warn' || level === 'error' ? level.toUpperCase() : '',
    String(fields.get('event') ?? fields.get('msg') ?? ''),
  ];
  const isOfMarket = fields.has('marketId');
  const details = [...fields]
    .filter(([key, value]) => !HEAD_FIELDS.has(key) && value !== '')
    .map(([key, value]) => {
      const text = valueText(value, names);
      // Said once is enough.
      const short = key === 'tokenId' && isOfMarket ? text.split(OF_MARKET, 1)[0] : text;
      return `${key.replace(/Id$/, '')}=${short}`;
    });
  return harmless([...head, ...details].filter((part) => part !== '').join(' '));
}

/** Ids are for machines: a known one shows as its name, a long hash as its ends. */
function valueText(value: unknown, names: Names): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  const name = names.get(value);
  if (name !== undefined) return name;
  return value.replace(/0x[0-9a-f]{16,}/gi, (hex) => `${hex.slice(0, 6)}…${hex.slice(-4)}`);
}

function parseFields(line: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function timeText(time: unknown): string {
  if (typeof time !== 'number' && typeof time !== 'string') return '';
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? '' : at.toTimeString().slice(0, 8);
}
