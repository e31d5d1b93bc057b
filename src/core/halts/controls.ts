// Everything that the automatic controls remember, in one place of the world.

import { Latches } from './latches.ts';

export class Controls {
  readonly latches = new Latches();
}
