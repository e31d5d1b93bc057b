// A failed trade that may be of several tokens, or of several orders of one.

import type { IntentId, TokenId } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { MicroShares } from '../../domain/shares.ts';
import type { UnixMs } from '../../domain/time.ts';

export type Bust = {
  /** Names its uncertain items: another bust may be reported in the same millisecond. */
  readonly id: IntentId;
  readonly side: Side;
  readonly quantity: MicroShares;
  readonly atMs: UnixMs;
  /** Tokens that it can be of, with an uncertain item on each; none once its shares were taken back. */
  readonly tokens: Set<TokenId>;
  /** The token whose shares were taken back, and of which some order may rest again. */
  reversed: TokenId | undefined;
};
