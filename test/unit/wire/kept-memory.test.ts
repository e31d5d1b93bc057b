// What is kept of texts of others is as small as it looks.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { eventId } from '../../../src/domain/ids.ts';
import { parseEnvelope } from '../../../src/wire/envelope.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import { NO_TOKENS } from '../../../src/wire/tokens.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 1_048_576;
}

const LENGTH = 1_000_000;
const TEXTS = 60;
/** A text of its own, so that none is shared between two readings. */
const fresh = (character: string): string => Buffer.alloc(LENGTH, character).toString('latin1');

function complaintOf(text: string): unknown {
  try {
    return eventId(text);
  } catch (error) {
    return String(error);
  }
}

const READINGS: readonly (readonly [string, () => unknown])[] = [
  ['a frame that is no JSON', () => parseFrame(fresh('x'), NO_TOKENS)],
  ['a frame that is deep', () => parseFrame(fresh('['), NO_TOKENS)],
  ['a body that is no envelope', () => parseEnvelope(fresh('['))],
  [
    'a failure with a long message',
    () => parseEnvelope(JSON.stringify({ success: false, message: fresh('x') })),
  ],
  ['an id that is none', () => complaintOf(fresh('x'))],
];

describe('what is kept of a long text', () => {
  it.each(READINGS)('holds nothing of the rest: %s', (_, read) => {
    read();
    const before = heapMb();
    const kept = Array.from({ length: TEXTS }, read);
    expect(heapMb() - before).toBeLessThan(10);
    expect(kept).toHaveLength(TEXTS);
  });
});
