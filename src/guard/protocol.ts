// What guard and trader say to each other. Both are of one build, yet what arrives is checked: a
// message that is not understood is no sign of activity.

import type { DeathReason, Supervision } from '../domain/supervision.ts';
import type { HorizonUpdate } from './horizon.ts';
import type { OwnOrdersUpdate } from './own-book.ts';
import { fieldOf, readOwnOrdersUpdate } from './own-orders-update.ts';

/** A trader whose guard does not answer, as when it is stopped, takes over by itself after so long. */
export const TAKE_OVER_MS_MAX = 2_000;

/** A strategy that the next trader does not ask. */
export type Suspension = {
  readonly strategy: string;
  /** Absent where the strategy is asked for nothing at all. */
  readonly place?: string | undefined;
  /** From the begin of the run on. */
  readonly forMs: number;
  readonly times: number;
  readonly detail: string;
};

/** What a run is reported those before it. */
export type RunFacts = Supervision & {
  /** A run before this one may have placed orders on the venue as it is now. */
  readonly hasTraded: boolean;
  /** By whom the account was killed, where no disk says so; a resume takes it back. */
  readonly unlatchedBy?: string | undefined;
  /** What kept quotes away in the run before, where no disk took it. */
  readonly stops?: Stops | undefined;
  /** Strategies that are not asked for a while, since traders died in them. */
  readonly suspended?: readonly Suspension[];
  /** Why its venue shows nothing more, as a recording that cannot be read on. */
  readonly venueFault?: string | undefined;
  /** The configuration that was in force in the run before, whatever the file says by now. */
  readonly config?: string | undefined;
};

/** A pause, a halt, controls that tripped: in the ledger's words, which no guard has to read. */
export type Stops = Readonly<Record<string, string | null>>;

export type HttpPlace = {
  /** Where the process that serves HTTP listens for its trader. */
  readonly path: string;
  /** Nobody had its port when the guard looked, so that no start has to wait for it. */
  readonly isPortFree: boolean;
};

export type ToTrader =
  | {
      readonly kind: 'begin';
      readonly facts: RunFacts;
      /** What the guard has read at its start; the file may say something else by now. */
      readonly settings: unknown;
      readonly extra?: unknown;
      readonly http: HttpPlace;
    }
  /**
   * The guard cancels nothing any more. `quietForMs`: the account has shown no open order for so
   * long; `undefined` when the guard cannot say, as before the first run.
   */
  | { readonly kind: 'go'; readonly quietForMs?: number | undefined }
  /** A line of log, for a trader whose screen is on the terminal. */
  | { readonly kind: 'line'; readonly line: string }
  /** A key that was pressed at the terminal, for a trader whose screen is there. */
  | { readonly kind: 'key'; readonly key: string }
  /** Its venue shows nothing more, as a recording that cannot be read on. */
  | { readonly kind: 'venueFault'; readonly detail: string }
  /** So often a trader was starved, this time included, and its quotes were pulled. */
  | { readonly kind: 'starved'; readonly times: number };

export type FromTrader =
  /** The event loop has turned. */
  | { readonly kind: 'beat' }
  /**
   * Whose orders a kill means from here on, and where it is ours, which these are; and what is new of
   * how late they may be accepted.
   */
  | ({
      readonly kind: 'orders';
      readonly scope: 'account' | 'own';
      readonly update: OwnOrdersUpdate;
    } & HorizonUpdate)
  /** Asks to take the account over. */
  | { readonly kind: 'ready' }
  /** It has begun its work. */
  | { readonly kind: 'started' }
  /** Somebody at the terminal wants the whole program to end, as with Ctrl-C. */
  | { readonly kind: 'endAsked' }
  /** An operator has resumed it: a kill of before is over. */
  | { readonly kind: 'resumed' }
  /** The text of the configuration that is in force from now on. */
  | { readonly kind: 'config'; readonly text: string }
  /** The account was killed, and the disk did not take the latch; without `by` that is over. */
  | { readonly kind: 'unlatched'; readonly by?: string | undefined }
  /** All that keeps quotes away and waits for the disk; empty where nothing does. */
  | { readonly kind: 'stops'; readonly stops: Stops }
  /**
   * What could be cancelled is cancelled; the process closes its files and ends. `isUntouched`: it never
   * got to what a previous run may have left on the venue, and nobody else does. `unsettled`: orders that
   * have matched in full and not settled as far as it knows. `waited for`: placements without an answer.
   */
  | {
      readonly kind: 'leaving';
      readonly isUntouched: boolean;
      readonly unsettled: number;
      readonly inFlight: readonly string[];
    };

/** `undefined` for anything that no trader says. */
export function readFromTrader(message: unknown): FromTrader | undefined {
  const kind = fieldOf(message, 'kind');
  switch (kind) {
    case 'beat':
    case 'ready':
    case 'started':
    case 'endAsked':
    case 'resumed':
      return { kind };
    case 'leaving': {
      const unsettled = fieldOf(message, 'unsettled');
      const isUntouched = fieldOf(message, 'isUntouched') === true;
      const inFlight = readTexts(fieldOf(message, 'inFlight'));
      return {
        kind,
        isUntouched,
        unsettled: typeof unsettled === 'number' ? unsettled : 0,
        inFlight,
      };
    }
    case 'config': {
      const text = fieldOf(message, 'text');
      return typeof text === 'string' ? { kind, text } : undefined;
    }
    case 'unlatched': {
      const by = fieldOf(message, 'by');
      return { kind, by: typeof by === 'string' ? by : undefined };
    }
    case 'stops': {
      const stops = readStops(fieldOf(message, 'stops'));
      return stops === undefined ? undefined : { kind, stops };
    }
    case 'orders': {
      const scope = fieldOf(message, 'scope');
      const update = readOwnOrdersUpdate(fieldOf(message, 'update'));
      const isScope = scope === 'account' || scope === 'own';
      const late = readHorizonUpdate(message);
      return isScope && update !== undefined ? { kind, scope, update, ...late } : undefined;
    }
    default:
      return undefined;
  }
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function readStops(value: unknown): Stops | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  const areTexts = entries.every(([, text]) => text === null || typeof text === 'string');
  return areTexts ? Object.fromEntries(entries) : undefined;
}

function readHorizonUpdate(message: unknown): HorizonUpdate {
  const read = (name: keyof HorizonUpdate): number | undefined => {
    const value = fieldOf(message, name);
    return typeof value === 'number' ? value : undefined;
  };
  return { horizonMs: read('horizonMs'), slowestMs: read('slowestMs'), aheadMs: read('aheadMs') };
}

/** `undefined` for anything that no guard says. */
export function readToTrader(message: unknown): ToTrader | undefined {
  const kind = fieldOf(message, 'kind');
  switch (kind) {
    case 'go': {
      const quietForMs = fieldOf(message, 'quietForMs');
      return { kind, quietForMs: typeof quietForMs === 'number' ? quietForMs : undefined };
    }
    case 'starved': {
      const times = fieldOf(message, 'times');
      return typeof times === 'number' ? { kind, times } : undefined;
    }
    case 'begin':
      return readBegin(message);
    default:
      return readText(message);
  }
}

/** Words that carry one text. */
function readText(message: unknown): ToTrader | undefined {
  const line = fieldOf(message, 'line');
  const key = fieldOf(message, 'key');
  const detail = fieldOf(message, 'detail');
  switch (fieldOf(message, 'kind')) {
    case 'line':
      return typeof line === 'string' ? { kind: 'line', line } : undefined;
    case 'key':
      return typeof key === 'string' ? { kind: 'key', key } : undefined;
    case 'venueFault':
      return typeof detail === 'string' ? { kind: 'venueFault', detail } : undefined;
    default:
      return undefined;
  }
}

function readBegin(message: unknown): ToTrader | undefined {
  const facts = fieldOf(message, 'facts');
  if (!isFacts(facts)) return undefined;
  const settings = fieldOf(message, 'settings');
  const place = fieldOf(message, 'http');
  const http = {
    path: String(fieldOf(place, 'path') ?? ''),
    isPortFree: fieldOf(place, 'isPortFree') === true,
  };
  return { kind: 'begin', facts, settings, http, extra: fieldOf(message, 'extra') };
}

export function noDeaths(): Record<DeathReason, number> {
  return { signal: 0, exit: 0, failed: 0, silent: 0, starved: 0, refused: 0 };
}

function isFacts(value: unknown): value is RunFacts {
  return typeof fieldOf(value, 'run') === 'number' && typeof fieldOf(value, 'deaths') === 'object';
}
