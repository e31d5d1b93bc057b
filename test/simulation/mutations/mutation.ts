// A deliberate bug, put into the daemon from outside: a wrapper around its core, or a patch of
// a class or table that is taken back afterwards.

import type { Stepper } from '../../../src/app/loop.ts';
import type { Engine } from '../../../src/core/engine.ts';
import type { StateView } from '../../../src/domain/view.ts';
import type { ExchangeRules } from '../../../src/paper/exchange/rules.ts';
import type { PaceName } from '../pace.ts';
import type { ProfileName } from '../profiles.ts';
import type { Wanted } from '../world/controls.ts';

/** What is changed, and how. */
export type Change = {
  /** Puts a wrapper around the core of one process. */
  readonly engine?: (engine: Engine) => Stepper;
  /** Patches what all processes share; the answer takes it back. */
  readonly patch?: () => () => void;
};

export type Circumstance = Change & {
  readonly about: string;
  /** Another answer of the venue to what the interface leaves open. */
  readonly rules?: Partial<ExchangeRules>;
  /** What is switched on, whatever the seed draws. */
  readonly controls?: Wanted;
};

export type Mutation = Change & {
  readonly name: string;
  /** What the daemon then does wrong, as a person would say it. */
  readonly about: string;
  /** Profiles it is looked for in, the likeliest first. */
  readonly lookIn: readonly ProfileName[];
  /** `steady` where nothing else is said. */
  readonly pace?: PaceName;
  /** Simulated hours of a run that are enough, where one is dear. */
  readonly hours?: number;
  /** What an operator is shown in place of the daemon's own view. */
  readonly view?: (view: StateView) => StateView;
  /** It shows in the quoting uptime alone. */
  readonly isSeenInUptime?: true;
  /** Something beside the plan may lose or delay frames; it is in the run without the bug, too. */
  readonly isDisturbing?: boolean;
  /** It shows only when everything has come to rest; without this a run ends with its plan. */
  readonly atRest?: boolean;
  /**
   * What the bug needs to show: a second line of defence that is off, or an unusual load. It is there
   * as well in the run without the bug, which has to be clean.
   */
  readonly circumstance?: Circumstance;
  /** Those of the circumstance, where one is set up. */
  readonly rules?: Partial<ExchangeRules> | undefined;
  readonly controls?: Wanted | undefined;
};

/** One change inside the other: `outer` hears first and answers last. */
export function joined(outer: Change, inner: Change | undefined): Change {
  return {
    engine: (engine) => {
      const within = inner?.engine?.(engine);
      if (outer.engine === undefined) return within ?? engine;
      if (within === undefined) return outer.engine(engine);
      return outer.engine({ ...viewsOf(engine), step: (input) => within.step(input) });
    },
    patch: () => {
      const undoInner = inner?.patch?.();
      const undoOuter = outer.patch?.();
      return () => {
        undoOuter?.();
        undoInner?.();
      };
    },
  };
}

function viewsOf(engine: Engine): Omit<Engine, 'step'> {
  return {
    // Housekeeping comes with the next step, so that it goes through the other bug too.
    tend: () => [],
    view: () => engine.view(),
    preview: (settings) => engine.preview(settings),
    memories: () => engine.memories(),
    loadMemories: (stored) => engine.loadMemories(stored),
  };
}
