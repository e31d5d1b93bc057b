// All breakages, those of the client first.

import type { Breakage } from './breakage.ts';
import { CLIENT_BREAKAGES } from './client.ts';

export const BREAKAGES: readonly Breakage[] = [...CLIENT_BREAKAGES];
