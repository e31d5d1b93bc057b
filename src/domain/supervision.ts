// Lives of a trader that runs below a guard: how often it died, why, and how soon nothing was open.

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

export type Supervision = {
  /** 1 for the first. */
  readonly life: number;
  readonly deaths: Readonly<Record<DeathReason, number>>;
  readonly last: Death | undefined;
};
