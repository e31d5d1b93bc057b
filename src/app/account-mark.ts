// By which two processes of one account know each other, without telling anybody whose it is.

import { createHash } from 'node:crypto';
import { withoutEndSlashes } from '../domain/address.ts';
import type { Identity } from '../domain/secret.ts';

/** `undefined` without credentials. */
export function accountMark(baseUrl: string, identity: Identity | undefined): string | undefined {
  if (identity === undefined) return undefined;
  const key = 'apiKey' in identity ? identity.apiKey : identity.bearerToken;
  const venue = withoutEndSlashes(baseUrl).toLowerCase();
  return createHash('sha256').update(`${venue}\n${key.reveal()}`).digest('hex');
}
