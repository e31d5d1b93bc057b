// The operator's page as it is served, for tests of the server.

import { Console } from '../../src/console/console.ts';
import type { Clock, Timers } from '../../src/domain/time.ts';

export function consolePage(clock: Clock, timers: Timers): Console {
  return new Console({ clock, timers, pulse: () => ({ status: 'alive' }), onLook() {} });
}
