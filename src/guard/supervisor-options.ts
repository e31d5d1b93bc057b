// What a guard is told, and how it ends.

import type { Clock, Timers } from '../domain/time.ts';
import type { GuardLog, Held } from './held.ts';
import type { HorizonUpdate } from './horizon.ts';
import type { OwnOrders } from './own-book.ts';
import type { RunFacts } from './protocol.ts';
import type { Rest } from './rest.ts';
import type { KillDoor } from './sweep.ts';
import type { TraderProcess } from './trader-run.ts';

export type SupervisorSettings = {
  /** False: the trader is started, reported signals, and left to itself. */
  readonly enabled: boolean;
  /** Whose orders are cancelled, as long as no trader has said otherwise. */
  readonly scope: 'account' | 'own';
  readonly silenceMs: number;
  readonly startMs: number;
  readonly hangMs: number;
  readonly onDeath: 'restart' | 'stay';
  readonly restartsMax: number;
  readonly restartWindowMs: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** What left the trader may be accepted so long after its death, until a trader says otherwise. */
  readonly horizonMs: number;
  /** From the request to stop to the end, confirmed or not; infinite where nothing but a proof ends it. */
  readonly stopDeadlineMs: number;
  /** People are told this often of orders that cannot be cancelled. */
  readonly tellMs: number;
};

export type SupervisorOptions = {
  readonly settings: SupervisorSettings;
  /** Nobody sets it, and it may stand still while the host sleeps: what is waited for is measured by it. */
  readonly clock: Clock;
  /** The time of day, for the date of a death. */
  readonly wallClock: Clock;
  readonly timers: Timers;
  readonly door: KillDoor;
  readonly log: GuardLog;
  /** Where a kill beside the trader keeps what no disk has taken, too. */
  readonly held?: Held;
  /** A run before this guard has left a journal: an order of it may rest on the venue. */
  readonly hadJournal?: boolean;
  /**
   * Whether that run left orders which nobody looks after, by its journal; rejects when nobody can say. Asked
   * where the trader was told to end before it could look.
   */
  readonly hasLeft?: () => Promise<boolean>;
  /** Starts a trader, which is told `facts` in its `begin`. */
  readonly launch: (facts: RunFacts) => TraderProcess;
  /** Sets the kill latch, so that nothing starts quoting by itself. */
  readonly latch: (reason: string) => Promise<void>;
  /**
   * Keeps a new instance from this journal while the guard cancels for it; false where one was quicker, which
   * looks after what rests.
   */
  readonly hold?: () => Promise<boolean>;
  /** What is known of own orders beside what traders told; asked anew after each death. */
  readonly own?: (told: OwnOrders) => OwnOrders;
  /** What the ledger knows of late acceptances; rejects when it is there and cannot be read. */
  readonly learn?: () => Promise<HorizonUpdate>;
  /** A trader has begun its work. */
  readonly onStarted?: () => void;
  /** An operator has resumed the trader. */
  readonly onResumed?: () => void;
  /** A trader is gone that could not put its screen away. */
  readonly onGone?: () => void;
};

/** Orders of an earlier run: cancelled here, or left to whoever reads this. */
export type EarlierOrders =
  | { readonly kind: 'cleared'; readonly cancelled: number }
  | { readonly kind: 'left' };

export type GuardEnd =
  /** The trader ended in good order. */
  | {
      readonly kind: 'passed';
      readonly code: number;
      /** Given where it ended before it got to what an earlier run may have left on the venue. */
      readonly earlier?: EarlierOrders | undefined;
      /** It was stopped while it loaded, before it could say a word to anybody. */
      readonly isWordless?: true | undefined;
    }
  /** It died and is not started again; `isConfirmed` that nothing is open or can arrive. */
  | {
      readonly kind: 'down';
      readonly isStopped: boolean;
      readonly isConfirmed: boolean;
      /** False: the account is to stay as it is, and no disk says so to whoever starts anew. */
      readonly isLatched: boolean;
      readonly scope: 'account' | 'own';
      /** Matched in full and still not settled when the proof waited no longer: no good end. */
      readonly settling: number;
      /** What may rest, where it is no good end. */
      readonly rests: readonly Rest[];
    };

/** A guard that is switched off waits for ever. */
export function patienceOf(settings: SupervisorSettings): PatienceSettings {
  const { enabled, silenceMs, startMs, hangMs } = settings;
  if (enabled) return { silenceMs, startMs, hangMs };
  const forEver = Number.POSITIVE_INFINITY;
  return { silenceMs: forEver, startMs: forEver, hangMs: forEver };
}

type PatienceSettings = Pick<SupervisorSettings, 'silenceMs' | 'startMs' | 'hangMs'>;
