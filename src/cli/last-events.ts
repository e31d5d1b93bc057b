// The bounded list of last events that a screen shows while logs cannot be printed.

import { harmless } from './text.ts';

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
/** Fields that say the same for every line of one process. */
const DULL_FIELDS = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'event', 'v', 'name']);

export function createLastEvents(): LastEvents {
  const lines: string[] = [];
  return {
    add(line) {
      lines.push(readable(line).slice(0, LINE_LENGTH_MAX));
      if (lines.length > KEPT_MAX) lines.splice(0, lines.length - KEPT_MAX);
    },
    last: (count) => (count <= 0 ? [] : lines.slice(-count)),
  };
}

/** One structured log line as `time event field=value …`; anything else as it is. */
export function readable(line: string): string {
  const fields = parseFields(line);
  if (!fields) return harmless(line.trimEnd());
  const name = fields.get('event') ?? fields.get('msg') ?? '';
  const details = [...fields]
    .filter(([key]) => !DULL_FIELDS.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return harmless([timeText(fields.get('time')), String(name), ...details].join(' ').trim());
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
