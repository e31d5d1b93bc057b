// A scene of an alert.

export type AlertScene = {
  readonly alert: string;
  /** What happens, as a sentence. */
  readonly says: string;
  /**
   * Values every 15 s, in the notation of promtool; `job` and `instance` are added. `$event` is the count of the first
   * report that the alert asks for, `$event2` that of the second.
   */
  readonly series: Readonly<Record<string, string>>;
  /** It is silent then. */
  readonly quietAt: readonly string[];
  /** It fires then, with these labels beside its severity, job and instance. */
  readonly fires?: {
    readonly at: string;
    readonly labels?: Readonly<Record<string, string>>;
    /** As the summary shows it. */
    readonly value?: string;
  };
  /** Of one scene of each alert: what more is asked of it, by scenes that are made of this one. */
  readonly more?: {
    /** The same series where nothing is wrong. */
    readonly calm: Readonly<Record<string, string>>;
    /** What follows when the cause is over; the alert is silent then. */
    readonly over: { readonly series: Readonly<Record<string, string>>; readonly quietAt: string };
  };
};

/** A count or a state that is nothing for twenty minutes. */
export const CLEAN = '0x80';
