// A deliberate breakage of one row of the interface document, which a card must catch.

import type { CardId } from '../../../src/cli/doctor/card.ts';
import type { PlantedBug } from '../../support/plant.ts';

export type Breakage = PlantedBug & {
  /** The row of the document that then no longer holds. */
  readonly row: string;
  /** The card that must say so. */
  readonly card: CardId;
};
