// The venue's addresses: what is dialled, what is sent, what is signed.

import { withoutEndSlashes } from '../../domain/address.ts';
import { BotError } from '../../domain/errors.ts';

export type Base = {
  readonly origin: string;
  /** `/api`, or whatever path the address ends in; sent before every path and never signed. */
  readonly prefix: string;
};

/**
 * Takes a base address apart.
 * @throws {BotError} `settings.invalid` when it is no http or https address, or has a query.
 * @spec Authentication › Signature
 */
export function parseBase(baseUrl: string): Base {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isUsable = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isUsable || url.username !== '' || url.password !== '') {
    throw new BotError('settings.invalid', 'the base address is an http or https address');
  }
  return { origin: url.origin, prefix: withoutEndSlashes(url.pathname) };
}

/**
 * Checks a WebSocket address.
 * @throws {BotError} `settings.invalid` when it is no ws or wss address.
 */
export function parseSocketUrl(wsUrl: string): string {
  const url = URL.canParse(wsUrl) ? new URL(wsUrl) : undefined;
  if (url && /^wss?:$/.test(url.protocol) && url.hash === '') return url.href;
  throw new BotError('settings.invalid', 'the socket address is a ws or wss address');
}
