// A bench at an embedded venue of this process, with something to see on both sides of its books.

import { targetOf } from '../../../src/cli/doctor/target.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';
import type { Bench } from './bench.ts';
import type { Lab } from './lab.ts';

/** A real venue pings every 30 s. */
export const BRISK_PINGS = { pingMs: 500 };

export async function startedBench(lab: Lab, options: Partial<PaperOptions> = {}): Promise<Bench> {
  const venue = await lab.start({ sockets: BRISK_PINGS, ...options });
  // Far from where cards rest their own orders.
  venue.crowd('BUY', '0.40', 100);
  venue.crowd('SELL', '0.60', 100);
  const second = venue.venue.openAccount('second', 10_000);
  return {
    rest: venue.rest,
    target: await targetOf(venue.rest, 'rain'),
    keys: venue.keys,
    second: { rest: venue.restOf(second), keys: second },
    nowMs: Date.now,
    openSocket: async (options) => await venue.socket(undefined, options),
  };
}
