// Makes any value fit for a log line: credentials masked by type and by name, everything bounded.

import { Decimal } from 'decimal.js';
import { withoutUsers } from '../domain/address.ts';
import { clipped } from '../domain/excerpt.ts';
import { redacted, SECRET_MASK } from '../domain/redact.ts';
import { Secret } from '../domain/secret.ts';

const MASK = SECRET_MASK;

/** Names under which only credentials stand, headers among them; compared without `-` and `_`. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'serviceapikey',
  'servicepassphrase',
  'servicesignature',
  'apikey',
  'apisecret',
  'apipassphrase',
  'passphrase',
  'password',
  'secret',
  'signature',
  'controltoken',
]);

/** A line is for reading: deeper, longer or wider than this it is cut, and says so. */
const DEPTH_MAX = 6;
const TEXT_LENGTH_MAX = 2_000;
const ITEMS_MAX = 50;
/** Values in one line altogether, so that no structure makes a line grow without end. */
const VALUES_MAX = 1_000;

type Walk = { left: number; readonly above: Set<object> };

/** A copy of `fields` that JSON can carry and anybody may read. */
export function masked(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return maskedMap(fields, { left: VALUES_MAX, above: new Set() });
}

function maskedMap(value: object, walk: Walk): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const entries = Object.entries(value);
  for (const [name, inner] of entries.slice(0, ITEMS_MAX)) {
    const isSecret = SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
    result[maskedText(name)] = isSecret && inner !== undefined ? MASK : maskedValue(inner, walk);
  }
  if (entries.length > ITEMS_MAX) result['…'] = `${entries.length - ITEMS_MAX} more`;
  return result;
}

function maskedValue(value: unknown, walk: Walk): unknown {
  walk.left -= 1;
  if (walk.left < 0) return '…';
  if (typeof value === 'string') return maskedText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return value;
  return typeof value === 'object' ? maskedObject(value, walk) : String(value);
}

function maskedObject(value: object, walk: Walk): unknown {
  if (value instanceof Secret) return MASK;
  if (Decimal.isDecimal(value)) return value.toString();
  if (walk.above.has(value)) return '[circular]';
  if (walk.above.size >= DEPTH_MAX) return '[deep]';
  walk.above.add(value);
  const copy = maskedInside(value, walk);
  walk.above.delete(value);
  return copy;
}

function maskedInside(value: object, walk: Walk): unknown {
  if (value instanceof Error) return maskedError(value, walk);
  if (value instanceof Map) return maskedMap(Object.fromEntries(value), walk);
  if (value instanceof Set) return maskedList([...value], walk);
  return Array.isArray(value) ? maskedList(value, walk) : maskedMap(value, walk);
}

function maskedList(values: readonly unknown[], walk: Walk): readonly unknown[] {
  const head = values.slice(0, ITEMS_MAX).map((value) => maskedValue(value, walk));
  return values.length > ITEMS_MAX ? [...head, `… ${values.length - ITEMS_MAX} more`] : head;
}

function maskedError(error: Error, walk: Walk): Record<string, unknown> {
  return {
    name: error.name,
    message: maskedText(error.message),
    ...('code' in error ? { code: maskedValue(error.code, walk) } : {}),
    ...(error.cause === undefined ? {} : { cause: maskedValue(error.cause, walk) }),
    ...(error.stack === undefined ? {} : { stack: maskedText(error.stack) }),
  };
}

/** A text is looked through to here; what is cut behind it can hold no more than a part of a secret. */
const READ_LENGTH_MAX = TEXT_LENGTH_MAX + 2_000;

/** Secrets that we know, and those of others in headers and addresses that libraries put into their texts. */
export function maskedText(text: string): string {
  return clipped(
    withoutHeaders(withoutUsers(redacted(text.slice(0, READ_LENGTH_MAX)))),
    TEXT_LENGTH_MAX,
  );
}

/** Words behind which a credential follows. */
const HEADER = /\bBearer|service-(?:api-key|passphrase|signature)["']?/gi;

function withoutHeaders(text: string): string {
  let result = '';
  let done = 0;
  for (const { 0: name, index } of text.matchAll(HEADER)) {
    const from = credentialAt(text, index + name.length, /^b/i.test(name));
    const to = from === undefined ? done : endOfCredential(text, from);
    if (from === undefined || from < done || to === from) continue;
    result += text.slice(done, from) + MASK;
    done = to;
  }
  return result + text.slice(done);
}

/** Where it begins: a scheme has a blank behind it, and a header a colon or the like. */
function credentialAt(text: string, from: number, isScheme: boolean): number | undefined {
  const mark = skipBlanks(text, from);
  if (isScheme) return mark > from ? mark : undefined;
  return ':='.includes(text[mark] ?? ' ') ? skipBlanks(text, mark + 1) : undefined;
}

/** Quoted, with or without its end, or a word. */
function endOfCredential(text: string, from: number): number {
  const first = text[from] ?? '';
  const isQuoted = first === '"' || first === "'";
  let to = isQuoted ? from + 1 : from;
  while (to < text.length && !(isQuoted ? text[to] === first : ENDS.has(text[to] ?? ''))) to += 1;
  return isQuoted ? Math.min(to + 1, text.length) : to;
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);
const ENDS: ReadonlySet<string> = new Set([...BLANKS, '"', "'", ',']);

function skipBlanks(text: string, from: number): number {
  let index = from;
  while (BLANKS.has(text[index] ?? '')) index += 1;
  return index;
}
