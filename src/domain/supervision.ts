// Runs of a trader that runs below a guard: how often it died, why, and how soon nothing was open.

/** Why a trader did not end in good order; a closed set, since metrics carry it. */
export const DEATH_REASONS = ['signal', 'exit', 'failed', 'silent', 'starved', 'refused'] as const;
export type DeathReason = (typeof DEATH_REASONS)[number];

export type Death = {
  readonly reason: DeathReason;
  /** `SIGKILL`, an exit code, or for how long nothing was heard. */
  readonly detail: string;
  /** ISO 8601. */
  readonly at: string;
  /** From the death to an account without open orders. */
  readonly clearMs: number;
};

/** A strategy that traders died in, and that is not asked for a while. */
export type SuspendedStrategy = {
  /** As the configuration names it. */
  readonly strategy: string;
  /** The market or event; absent where it is asked for nothing at all. */
  readonly place?: string | undefined;
  readonly times: number;
  readonly detail: string;
  /** ISO 8601: when it is asked again. */
  readonly until: string;
};

export type Supervision = {
  /** 1 for the first. */
  readonly run: number;
  readonly deaths: Readonly<Record<DeathReason, number>>;
  readonly last: Death | undefined;
  /** Times, over all runs, at which the machine did not let the trader run and its quotes were pulled. */
  readonly starved?: number;
};
