// The REST base address, taken apart: what is dialled, what is sent, what is signed.

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
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
