// HMAC signatures of requests and of the socket's auth frame.

import { createHmac } from 'node:crypto';
import { assert } from '../domain/assert.ts';
import type { Secret } from '../domain/secret.ts';
import type { UnixSec } from '../domain/time.ts';

export type Method = 'GET' | 'POST' | 'DELETE';

/** The fixed path that a socket's auth frame signs. @spec Authentication › WebSocket authentication */
export const SOCKET_PATH = '/ws';

/**
 * Computes the signature of one REST request, or of the auth frame (`GET`, `/ws`, no body).
 *
 * The caller sends `request.body` unchanged: a second serialisation would break the signature.
 *
 * @param request - Final text of the request; `path` starts after the `/api` prefix.
 * @param auth - Secret, and the timestamp that also goes into the header.
 * @returns HMAC-SHA256 in base64.
 * @throws {AssertionError} When `path` still carries the prefix.
 * @spec Authentication › Signature
 */
export function signature(
  request: { readonly method: Method; readonly path: string; readonly body: string },
  auth: { readonly secret: Secret; readonly atSec: UnixSec },
): string {
  assert(!request.path.startsWith('/api/'), 'a signed path leaves out the /api prefix');
  const message = `${auth.atSec}${request.method}${request.path}${request.body}`;
  return createHmac('sha256', auth.secret.reveal()).update(message).digest('base64');
}
