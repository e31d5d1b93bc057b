// The envelope around every response. @spec Resources and their fields

import { z } from 'zod';
import { clipped } from '../domain/excerpt.ts';
import { jsonOr, shownJson } from '../domain/json.ts';
import { BODY_LENGTH_MAX } from './limits.ts';
import { anything } from './parse.ts';

export type Envelope =
  | { readonly kind: 'success'; readonly data: unknown }
  /** `code` is `undefined` in the older failure shape. */
  | { readonly kind: 'failure'; readonly code: string | undefined; readonly message: string }
  /** Not an envelope: a proxy's page, a cut body, another service. */
  | { readonly kind: 'unreadable'; readonly detail: string };

const TEXT_LENGTH_MAX = 300;
const CODE_LENGTH_MAX = 60;

const failure = z.object({
  success: z.literal(false),
  code: anything,
  message: anything,
});
const success = z.object({ success: z.literal(true), data: anything });

/** Sorts the text of a response body; it never throws. @spec Errors */
export function parseEnvelope(text: string): Envelope {
  const body = jsonOr(text, BODY_LENGTH_MAX);
  const good = success.safeParse(body);
  if (good.success) return { kind: 'success', data: good.data.data };
  const bad = failure.safeParse(body);
  if (!bad.success) return { kind: 'unreadable', detail: `no envelope: ${clipped(text, 80)}` };
  return { kind: 'failure', code: codeOf(bad.data.code), message: messageOf(bad.data.message) };
}

/** Codes are compared as the interface writes them, lower case. */
function codeOf(code: unknown): string | undefined {
  if (typeof code !== 'string') return undefined;
  const word = clipped(code, CODE_LENGTH_MAX).trim().toLowerCase();
  return word === '' ? undefined : word;
}

/** A message is for people; some frameworks send a list of them. */
function messageOf(message: unknown): string {
  if (typeof message === 'string') return clipped(message, TEXT_LENGTH_MAX);
  return message === undefined
    ? ''
    : clipped(shownJson(message, TEXT_LENGTH_MAX + 1), TEXT_LENGTH_MAX);
}
