// All strategies of the house, for what must hold of every one of them.

import type { Strategy } from '../../src/strategy/index.ts';
import { strategy as amm } from '../../strategies/amm.ts';
import { strategy as auto } from '../../strategies/auto.ts';
import { strategy as avellaneda } from '../../strategies/avellaneda-stoikov.ts';
import { strategy as bands } from '../../strategies/bands.ts';
import { strategy as eventBook } from '../../strategies/event-book.ts';
import { strategy as fairFollow } from '../../strategies/fair-follow.ts';
import { strategy as glft } from '../../strategies/glft.ts';
import { strategy as skew } from '../../strategies/inventory-skew.ts';
import { strategy as ladder } from '../../strategies/ladder.ts';
import { strategy as lmsr } from '../../strategies/lmsr.ts';
import { strategy as logitInventory } from '../../strategies/logit-inventory.ts';
import { strategy as setArb } from '../../strategies/set-arb.ts';
import { strategy as touchQueue } from '../../strategies/touch-queue.ts';

export const HOUSE: readonly Strategy[] = [
  amm,
  auto,
  avellaneda,
  bands,
  eventBook,
  fairFollow,
  glft,
  skew,
  ladder,
  lmsr,
  logitInventory,
  setArb,
  touchQueue,
].map((each) => each as unknown as Strategy);
