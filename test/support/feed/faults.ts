// What may become of frames in flight: each fault turns what was sent into what arrives.

import type { Random } from '../generated-frames.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { Change, TokenFeed } from './token-feed.ts';

/** What arrives of one flush. */
export type Arrival = {
  readonly changes: readonly Change[];
  readonly isUnreadable: boolean;
  /** Milliseconds by which the stamps lie back. */
  readonly stampBackMs: number;
};

/** Lets a planned fault strike a flush; `undefined` when there is too little in it to strike. */
export function strike(
  kind: FaultKind,
  feed: TokenFeed,
  sent: readonly Change[],
  random: Random,
): Arrival | undefined {
  const at = Math.floor(random() * sent.length);
  const struck = sent[at];
  if (struck === undefined) return undefined;
  const rest = sent.filter((_, index) => index !== at);
  switch (kind) {
    case 'dropped':
      return arrival(rest);
    case 'flushDropped':
      return arrival([]);
    case 'duplicatedLate':
      feed.late = { change: struck, flushesLeft: 3 };
      return arrival(sent);
    case 'reordered':
      feed.late = { change: struck, flushesLeft: 2 };
      return arrival(rest);
    case 'sizeGarbled':
      return arrival([...rest, { ...struck, size: struck.size + 1_000_000 }]);
    case 'priceGarbled': {
      const price = Math.max(1, Math.min(99, struck.price + (random() < 0.5 ? -7 : 7)));
      return arrival([...rest, { ...struck, price }]);
    }
    case 'sideGarbled':
      return arrival([...rest, { ...struck, side: struck.side === 'bid' ? 'ask' : 'bid' }]);
    case 'unreadable':
      return { changes: rest, isUnreadable: true, stampBackMs: 0 };
    case 'oldStamp':
      return { changes: rest, isUnreadable: false, stampBackMs: 20_000 };
    case 'stalled':
      feed.isMuted = true;
      return arrival([]);
  }
}

function arrival(changes: readonly Change[]): Arrival {
  return { changes, isUnreadable: false, stampBackMs: 0 };
}
