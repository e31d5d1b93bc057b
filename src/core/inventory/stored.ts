// A token as a ledger keeps it, and back.

import type { TokenId } from '../../domain/ids.ts';
import type { StoredToken } from '../../domain/record.ts';
import type { TokenState } from './lag.ts';

/** What a later life needs of it; what was shown lately is not a part of that. */
export function storedOf(tokenId: TokenId, token: TokenState): StoredToken {
  const { settled, changedAtMs, shownAtMs } = token;
  const pending = token.pending.map((fill) => {
    const { intentId, side, cashNano, takerFeeRate, quantity, original, atMs } = fill;
    return { intentId, side, cashNano, takerFeeRate, quantity, original, atMs };
  });
  // A next life does not know what waits here for its other half, and so cannot tell what a frame is of.
  const isDoubted = token.isDoubted || token.ahead.hasAny || token.shown.hasAny;
  return { tokenId, settled, pending, changedAtMs, isDoubted, shownAtMs };
}

/** Takes over what an earlier life kept. */
export function takeOver(token: TokenState, stored: StoredToken): void {
  token.settled = stored.settled;
  const { tokenId } = stored;
  token.pending = stored.pending.map((fill) => ({ ...fill, tokenId, isRestored: true }));
  token.changedAtMs = stored.changedAtMs;
  token.unknownUntilMs = stored.changedAtMs;
  token.isDoubted = stored.isDoubted ?? false;
  token.shownAtMs = stored.shownAtMs;
}
