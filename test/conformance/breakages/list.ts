// All breakages, those of the client first.

import type { Breakage } from './breakage.ts';
import { CLIENT_BREAKAGES } from './client.ts';
import { VENUE_BREAKAGES } from './venue.ts';

export const BREAKAGES: readonly Breakage[] = [...CLIENT_BREAKAGES, ...VENUE_BREAKAGES];
