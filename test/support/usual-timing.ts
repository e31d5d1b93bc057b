// Periods and patience of whole daemons on virtual time: those of a configuration that sets none.

import type { CoreSettings } from '../../src/domain/input.ts';

export const USUAL_TIMING: CoreSettings['timing'] = {
  reconcileMs: 5_000,
  balancesMs: 10_000,
  tradesMs: 10_000,
  catalogueMs: 60_000,
  unknownHorizonMs: 45_000,
  positionLagMs: 150_000,
  proofQuietMs: 2_500,
  proofDeadlineMs: 20_000,
};
