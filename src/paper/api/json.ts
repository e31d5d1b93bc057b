// JSON and percent-encoded text of external orders, read without an exception in sight.

import { readJson as readBounded } from '../../domain/json.ts';
import { BODY_LENGTH_MAX } from '../../wire/limits.ts';

/** The parsed value in a box, since it may itself be `undefined`-like; no box when it is no JSON. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  const read = readBounded(text, BODY_LENGTH_MAX);
  return read.isRead ? { value: read.value } : undefined;
}

/** The decoded text, or `undefined` when its encoding is broken. */
export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
