// Who is asking: HMAC headers or a bearer token. @spec Authentication

import { type UnixMs, type UnixSec, unixMs, unixSec } from '../../domain/time.ts';
import { TIMESTAMP_WINDOW_SEC } from '../../wire/limits.ts';
import { type Method, SOCKET_PATH, signature } from '../../wire/signature.ts';
import type { Account } from '../exchange/account.ts';
import type { Accounts, ApiKey } from '../exchange/accounts.ts';
import { VenueRefusal } from '../exchange/refusal.ts';
import type { ApiRequest } from './message.ts';

export type Caller = {
  readonly account: Account;
  readonly credential: 'key' | 'bearer';
  /** The key in use, so that its revocation ends what it opened. */
  readonly apiKey: string | undefined;
};

export type SignedParts = {
  readonly apiKey: string;
  readonly passphrase: string;
  readonly timestamp: string;
  readonly signature: string;
};

/**
 * Identifies the caller of a request.
 * @throws {VenueRefusal} One of the five authentication codes.
 * @spec Authentication › Request headers (HMAC)
 */
export function callerOf(
  request: ApiRequest,
  path: string,
  venue: { readonly accounts: Accounts; readonly nowMs: UnixMs },
): Caller {
  const { headers } = request;
  const bearer = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
  if (bearer !== undefined && headers['service-api-key'] === undefined) {
    return bearerCaller(bearer, venue);
  }
  const parts = signedParts(headers);
  const method = methodOf(request.method);
  return keyCaller(parts, { method, path, body: request.body }, venue);
}

/** Identifies the sender of an auth frame. @spec Authentication › WebSocket authentication */
export function socketCaller(
  parts: SignedParts,
  venue: { readonly accounts: Accounts; readonly nowMs: UnixMs },
): Caller {
  return keyCaller(parts, { method: 'GET', path: SOCKET_PATH, body: '' }, venue);
}

/** @throws {VenueRefusal} `unknown_api_key`: the token group has no code of its own. */
export function bearerCaller(
  token: string,
  venue: { readonly accounts: Accounts; readonly nowMs: UnixMs },
): Caller {
  const known = venue.accounts.bearer(token);
  if (!known) throw new VenueRefusal('unknown_api_key', 'the bearer token is not known');
  if (known.expiresAtMs <= venue.nowMs) {
    throw new VenueRefusal('expired_timestamp', 'the bearer token has expired');
  }
  return { account: known.account, credential: 'bearer', apiKey: undefined };
}

function keyCaller(
  parts: SignedParts,
  message: { readonly method: Method; readonly path: string; readonly body: string },
  venue: { readonly accounts: Accounts; readonly nowMs: UnixMs },
): Caller {
  const key = venue.accounts.key(parts.apiKey);
  if (!key) throw new VenueRefusal('unknown_api_key', 'the key is unknown or was regenerated');
  if (!isSame(parts.passphrase, key.passphrase)) {
    throw new VenueRefusal('invalid_passphrase', 'the passphrase does not match the key');
  }
  const atSec = timestampOf(parts.timestamp, venue.nowMs);
  if (!isSame(parts.signature, expectedSignature(key, message, atSec))) {
    throw new VenueRefusal('invalid_signature', 'HMAC mismatch; sign the path without /api');
  }
  return { account: key.account, credential: 'key', apiKey: key.apiKey };
}

function signedParts(headers: ApiRequest['headers']): SignedParts {
  const read = (name: string): string => {
    const text = headers[name];
    if (text) return text;
    throw new VenueRefusal('missing_credentials', `${name.toUpperCase()} is absent`);
  };
  return {
    apiKey: read('service-api-key'),
    passphrase: read('service-passphrase'),
    timestamp: read('service-timestamp'),
    signature: read('service-signature'),
  };
}

/** A signed path never carries the prefix, so a path that does is simply a mismatch. */
function expectedSignature(
  key: ApiKey,
  message: { readonly method: Method; readonly path: string; readonly body: string },
  atSec: UnixSec,
): string {
  return message.path.startsWith('/api/') ? '' : signature(message, { secret: key.secret, atSec });
}

function timestampOf(text: string, nowMs: UnixMs): UnixSec {
  const isWhole = /^\d{1,12}$/.test(text);
  const offSec = isWhole ? Math.abs(Number(text) - unixSec(nowMs)) : Number.POSITIVE_INFINITY;
  if (offSec > TIMESTAMP_WINDOW_SEC) {
    throw new VenueRefusal('expired_timestamp', 'more than 30 seconds from server time');
  }
  return unixSec(unixMs(Number(text) * 1_000));
}

function methodOf(method: string): Method {
  if (method === 'GET' || method === 'POST' || method === 'DELETE') return method;
  throw new VenueRefusal('invalid_request', 'method not allowed', { status: 405 });
}

/** Looks at every character whatever it finds, so that the time it takes tells of none of them. */
function isSame(given: string, wanted: string): boolean {
  if (wanted === '' || given.length !== wanted.length) return false;
  let differing = 0;
  for (let at = 0; at < wanted.length; at += 1) {
    differing |= given.charCodeAt(at) ^ wanted.charCodeAt(at);
  }
  return differing === 0;
}
