// Who may call: names of this server against DNS rebinding, and the control token.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { Secret } from '../domain/secret.ts';

/** What the control routes answer before they do anything. */
export type Access = 'granted' | 'noTokenConfigured' | 'wrongToken';

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

/** Compares digests in constant time: neither a match so far nor the length shows. */
export function controlAccess(header: string | undefined, token: Secret | undefined): Access {
  if (token === undefined) return 'noTokenConfigured';
  const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token.reveal())) ? 'granted' : 'wrongToken';
}

/** Answers with an error and its text. */
export function fail(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error });
}

/** `[::1]:9464` to `::1`, `localhost:9464` to `localhost`. */
function hostName(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::\d{1,5})?$/i.exec(header ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
