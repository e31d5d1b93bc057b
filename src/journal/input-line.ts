// One input of the core as one line of a recording, and back.

import { BotError } from '../domain/errors.ts';
import type { Input } from '../domain/input.ts';
import { fromExact, toExact } from './exact.ts';

/** Without its line end. */
export function encodeInput(input: Input): string {
  return JSON.stringify(toExact(input));
}

/**
 * The input that `encodeInput` was given. The shape of what is inside is trusted: the recording is
 * our own.
 *
 * @throws {BotError} `replay.file` when the line is not an input.
 */
export function decodeInput(line: string): Input {
  const value = parsedLine(line);
  if (!isInput(value)) throw new BotError('replay.file', `not an input: ${line.slice(0, 80)}`);
  return value;
}

const KINDS_OF_INPUT: Readonly<Record<Input['kind'], true>> = {
  settings: true,
  venue: true,
  tick: true,
  operator: true,
  sets: true,
  fair: true,
  fairFault: true,
  restored: true,
  ledger: true,
  fired: true,
  placedAhead: true,
};
const KINDS: readonly unknown[] = Object.keys(KINDS_OF_INPUT);

/** What is inside is trusted. */
export function isInput(value: unknown): value is Input {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    KINDS.includes(value.kind) &&
    'atMs' in value &&
    typeof value.atMs === 'number'
  );
}

/** `undefined` when it is no JSON of ours. */
export function parsedLine(line: string): unknown {
  try {
    return fromExact(JSON.parse(line));
  } catch {
    return undefined;
  }
}
