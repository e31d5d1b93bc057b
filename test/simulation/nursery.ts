import { setFlagsFromString } from 'node:v8';

/** Most of what a simulation makes runs for a moment: a wide nursery saves a tenth of the time. */
export function widenNursery(): void {
  setFlagsFromString('--max-semi-space-size=64');
  setFlagsFromString('--min-semi-space-size=16');
}
