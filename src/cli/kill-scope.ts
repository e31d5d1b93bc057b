// What of an account a kill means: by an option of the command, and by name on record.

import { InvalidArgumentError } from 'commander';
import { marketId, tokenId } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import { parsed } from './command.ts';

export function tokenScope(text: string): CancelScope {
  const id = parsed(tokenId, text);
  if (id === undefined) throw new InvalidArgumentError('not a token id, 0x and hex digits');
  return { kind: 'token', tokenId: id };
}

export function marketScope(text: string): CancelScope {
  const id = parsed(marketId, text);
  if (id === undefined) throw new InvalidArgumentError('not a market id');
  return { kind: 'market', marketId: id };
}

/** `account`, or the id. */
export function scopeName(scope: CancelScope): string {
  if (scope.kind === 'market') return scope.marketId;
  return scope.kind === 'token' ? scope.tokenId : 'account';
}
