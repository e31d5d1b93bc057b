// Bugs about what closes an uncertain item, and what an amount or a settlement is taken for meanwhile.

import { Positions } from '../../../src/core/positions/positions.ts';
import { isBeyondPending } from '../../../src/core/positions/unsettled.ts';
import { clampShares } from '../../../src/domain/shares.ts';
import type { Mutation } from './mutation.ts';
import { replaced } from './tools.ts';
import { UPDATES_LATE } from './untold.ts';

export const ITEM_BUGS: readonly Mutation[] = [
  {
    name: 'item-closed-too-early',
    about: 'closes what is uncertain by the first amount that agrees, though it may lag',
    lookIn: ['feed', 'crashy', 'everything'],
    patch: () =>
      replaced(Positions.prototype, 'onRead', (original) => {
        return function (this: Positions, tokenId, amount, at) {
          const reading = original.call(this, tokenId, amount, at);
          if (reading.kind === 'agrees') this.close(tokenId, isBeyondPending);
          return reading;
        };
      }),
  },
  {
    name: 'quiet-forgets-own-fills',
    about: 'adopts an amount that two reads show, whatever has traded between',
    lookIn: ['feed', 'calm', 'everything'],
    patch: () =>
      replaced(Positions.prototype, 'onRead', (original) => {
        return function (this: Positions, tokenId, amount, at) {
          return original.call(this, tokenId, amount, { ...at, positionLagMs: -1 });
        };
      }),
  },
  {
    name: 'early-settlement-counted-twice',
    about: 'counts a settlement that came before its fill, and the fill again',
    lookIn: ['calm', 'feed', 'everything'],
    circumstance: UPDATES_LATE,
    patch: () =>
      replaced(Positions.prototype, 'onSettled', (original) => {
        return function (this: Positions, tokenId, trade, nowMs) {
          const counted = original.call(this, tokenId, trade, nowMs);
          const { side } = trade;
          const quantity = clampShares(Number.MAX_SAFE_INTEGER);
          const item = { cause: 'order_end', side, quantity, cashNano: 0, sinceMs: nowMs } as const;
          this.closeSettled(tokenId, item);
          return counted;
        };
      }),
  },
];
