// The rules that others run, each written anew from what its source says of itself, at about 130 shares a side.

import type { Strategy } from '../../../src/strategy/index.ts';
import { fixedLadder } from './fixed-ladder.ts';
import { hummingbotPmm } from './hummingbot-pmm.ts';
import { polyMakerV2 } from './poly-maker-v2.ts';
import { polyMarketMakerAmm } from './poly-market-maker-amm.ts';
import { polyMarketMakerBands } from './poly-market-maker-bands.ts';
import { pullOnFill } from './pull-on-fill.ts';
import { touchJoin } from './touch-join.ts';

export const PEERS: readonly Strategy[] = [
  fixedLadder,
  polyMarketMakerBands,
  polyMarketMakerAmm,
  hummingbotPmm,
  polyMakerV2,
  pullOnFill,
  touchJoin,
].map((peer) => peer as unknown as Strategy);
