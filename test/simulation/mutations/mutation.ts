// A deliberate bug, put into the daemon from outside: a wrapper around its core, or a patch of
// a class or table that is taken back afterwards.

import type { Stepper } from '../../../src/app/loop.ts';
import type { Engine } from '../../../src/core/engine.ts';

export type Mutation = {
  readonly name: string;
  /** What the daemon then does wrong, as a person would say it. */
  readonly about: string;
  /** Puts a wrapper around the core of one life. */
  readonly engine?: (engine: Engine) => Stepper;
  /** Patches what all lives share; the answer takes it back. */
  readonly patch?: () => () => void;
};
