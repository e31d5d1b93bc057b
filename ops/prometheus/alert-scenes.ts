// For each alert what makes it fire, and what is so near to it that it must stay silent. Prometheus itself judges them:
// `npm run ops:write` makes alerts.test.yml of them, `promtool test rules` runs it.

import type { AlertScene } from './alert-scene.ts';
import { ORDERS_SCENES } from './scenes-orders.ts';
import { RUNS_SCENES } from './scenes-runs.ts';
import { VENUE_SCENES } from './scenes-venue.ts';

export const ALERT_SCENES: readonly AlertScene[] = [
  ...RUNS_SCENES,
  ...ORDERS_SCENES,
  ...VENUE_SCENES,
];
