// Who may call: names of this server against DNS rebinding, pages of this server against those of others,
// and the control token or a session that was begun with it.

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { mayUse, type Right, type Role } from './http-table.ts';
import type { Tokens } from './http-tokens.ts';
import type { Sessions } from './sessions.ts';

/** What is said to a request before anything is done. */
export type Verdict =
  | { readonly kind: 'granted'; readonly how: 'open' }
  | { readonly kind: 'granted'; readonly how: 'token' | 'session'; readonly role: Role }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly text: string };

/** The token of a session's own page, which the page of another site cannot read. */
export const CSRF_HEADER = 'x-csrf-token';

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

/**
 * Whether a browser goes to a page here as it follows a link: of a dashboard, a chat, a document. It begins nothing but
 * that page, which shows nothing by itself, and no other page can frame it or read it.
 */
export function isArrival(headers: IncomingHttpHeaders): boolean {
  const { origin } = headers;
  const isWindow = headers['sec-fetch-dest'] === 'document';
  return origin === undefined && isWindow && headers['sec-fetch-mode'] === 'navigate';
}

/** A command says of which journal the daemon is that it means, in the form of a URI. */
const JOURNAL_HEADER = 'x-bookend-journal';

/** Two daemons may have one token, and one of them the port at which the other is looked for. */
export function isMeant(headers: IncomingHttpHeaders, journal: string): boolean {
  const meant = headers[JOURNAL_HEADER];
  return meant === undefined || meant === encodeURIComponent(journal);
}

/**
 * Judges who asks.
 *
 * @param isReading - It changes nothing, so that a session needs no token of its page for it.
 */
export function judge(
  headers: IncomingHttpHeaders,
  right: Right,
  by: { readonly tokens: Tokens; readonly sessions: Sessions; readonly isReading: boolean },
): Verdict {
  if (right === 'open') return { kind: 'granted', how: 'open' };
  if (by.tokens.isEmpty) return refused(403, 'there is no control token: nothing is open here');
  if (right === 'page') return { kind: 'granted', how: 'open' };
  const role = by.tokens.roleOf(headers.authorization);
  if (role !== undefined) return ofRole(role, right, 'token');
  if (right === 'token' || headers.authorization !== undefined) return WRONG_TOKEN;
  const session = by.sessions.of(headers);
  if (session === undefined) return WRONG_TOKEN;
  const given = headers[CSRF_HEADER];
  const isOwn = typeof given === 'string' && session.hasCsrf(given);
  if (!by.isReading && !isOwn) return refused(403, `${CSRF_HEADER} is not that of the session`);
  return ofRole(session.role, right, 'session');
}

function ofRole(role: Role, right: Right, how: 'token' | 'session'): Verdict {
  if (mayUse(role, right)) return { kind: 'granted', how, role };
  return refused(403, `the ${role} token gives no right to this: it needs ${right}`);
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
