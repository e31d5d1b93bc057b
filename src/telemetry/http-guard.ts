// Who may call: names of this server against DNS rebinding, pages of this server against those of others,
// and the control token or a session that was begun with it.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { Secret } from '../domain/secret.ts';
import type { Right } from './http-table.ts';
import type { Sessions } from './sessions.ts';

/** What is said to a request before anything is done. */
export type Verdict =
  | { readonly kind: 'granted'; readonly how: 'open' | 'token' | 'session' }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly text: string };

/** The token of a session's own page, which the page of another site cannot read. */
export const CSRF_HEADER = 'x-csrf-token';

const TOKEN_LENGTH_MAX = 4_096;

/**
 * Whether a `Host` header names this server.
 *
 * A web page can make a browser call any address under the page's own name (DNS rebinding), so
 * names must be known. An address cannot be rebound and is always right.
 */
export function isKnownHost(header: string | undefined, names: readonly string[]): boolean {
  const name = hostName(header);
  if (name === undefined) return false;
  return name === 'localhost' || isIP(name) !== 0 || names.includes(name);
}

/**
 * Whether a browser sends this for a page of ours, or for nobody's page, as where an address was typed.
 * Programs send neither header.
 */
export function isOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  return [`http://${host}`, `https://${host}`].includes(origin.toLowerCase());
}

/** Compares digests in constant time: neither a match so far nor the length shows. */
export function isToken(header: string | undefined, token: Secret): boolean {
  const text = header === undefined || header.length > TOKEN_LENGTH_MAX ? '' : header;
  const given = /^Bearer +(\S+) *$/i.exec(text)?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token.reveal()));
}

/**
 * Judges who asks.
 *
 * @param isReading - It changes nothing, so that a session needs no token of its page for it.
 */
export function judge(
  headers: IncomingHttpHeaders,
  right: Right,
  by: {
    readonly token: Secret | undefined;
    readonly sessions: Sessions;
    readonly isReading: boolean;
  },
): Verdict {
  if (right === 'open') return { kind: 'granted', how: 'open' };
  if (by.token === undefined)
    return refused(403, 'there is no control token: nothing is open here');
  if (right === 'page') return { kind: 'granted', how: 'open' };
  if (isToken(headers.authorization, by.token)) return { kind: 'granted', how: 'token' };
  if (right === 'token' || headers.authorization !== undefined) return WRONG_TOKEN;
  const session = by.sessions.of(headers.cookie);
  if (session === undefined) return WRONG_TOKEN;
  const given = headers[CSRF_HEADER];
  const isOwn = typeof given === 'string' && session.hasCsrf(given);
  if (!by.isReading && !isOwn) return refused(403, `${CSRF_HEADER} is not that of the session`);
  return { kind: 'granted', how: 'session' };
}

const WRONG_TOKEN = refused(401, 'needs the control token or a session');

function refused(status: 401 | 403, text: string): Extract<Verdict, { kind: 'refused' }> {
  return { kind: 'refused', status, text };
}

/** `[::1]:9464` to `::1`, `localhost:9464` to `localhost`. */
function hostName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > HOST_LENGTH_MAX) return undefined;
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::\d{1,5})?$/i.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** A name of 253 characters, and a port. */
const HOST_LENGTH_MAX = 260;

export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
