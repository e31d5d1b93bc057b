// A deliberate bug, put into the daemon from outside: a wrapper around its core or its door to the
// venue, or a patch of a class or table that is taken back afterwards.

import type { Stepper } from '../../../src/app/loop.ts';
import type { Engine } from '../../../src/core/engine.ts';
import type { VenueCommand } from '../../../src/domain/command.ts';

export type Mutation = {
  readonly name: string;
  /** What the daemon then does wrong, as a person would say it. */
  readonly about: string;
  /** Puts a wrapper around the core of one life. */
  readonly engine?: (engine: Engine) => Stepper;
  /** Puts a wrapper around the door to the venue. */
  readonly send?: (send: (command: VenueCommand) => void) => (command: VenueCommand) => void;
  /** Patches what all lives share; the answer takes it back. */
  readonly patch?: () => () => void;
};
