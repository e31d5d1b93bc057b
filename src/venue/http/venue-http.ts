// The venue over REST: the whole interface but its socket.

import type { ReadOutcome } from '../../domain/message.ts';
import { SILENT_OBSERVER } from '../../domain/observe.ts';
import type { Identity } from '../../domain/secret.ts';
import type { UnixMs, UnixSec } from '../../domain/time.ts';
import { WIRE_CHOICES } from '../../wire/choices.ts';
import { parseServerTime } from '../../wire/feeds.ts';
import { NO_TOKENS } from '../../wire/tokens.ts';
import {
  type ClockReading,
  VENUE_CONNECTIONS,
  VENUE_LIMITS,
  VENUE_TIMEOUTS,
  type VenueHttpOptions,
} from '../options.ts';
import { Account, VenueClock } from './account.ts';
import { type AccountCalls, accountCalls } from './account-reads.ts';
import { AgeLimit } from './age.ts';
import { parseBase } from './base.ts';
import { Client } from './client.ts';
import type { ClockProbe } from './clock-offset.ts';
import { type EventCalls, eventCalls } from './events.ts';
import { type LaneName, type Lanes, openLanes } from './lanes.ts';
import { type OrderCalls, orderCalls } from './orders.ts';
import { type PublicCalls, publicCalls } from './public-reads.ts';

/** Venue time minus ours, as last measured; zero until then. */
export interface ClockCalls {
  clockOffsetMs(): number;
  venueNowMs(): UnixMs;
  /** Asks `GET /time` once; several measurements narrow the offset. */
  measureClock(): Promise<ReadOutcome<ClockReading>>;
}

export type VenueHttp = OrderCalls &
  EventCalls &
  AccountCalls &
  PublicCalls &
  ClockCalls & {
    /**
     * One harmless read on the connections for bulk cancels and one on those for reads, so that
     * neither has to be made anew when it matters.
     */
    keepWarm(): Promise<ReadOutcome<ClockReading>>;
    /** Measures the clock and reads credentials again, after a session was refused. */
    cureSession(used: Identity | undefined): Promise<void>;
    /** Waiting calls end as not sent, calls under way as unknown; later ones are not sent. */
    stop(): Promise<void>;
  };

/**
 * Opens the venue over REST. Nothing is sent before the first call.
 * @param ownLanes - Lanes that a simulation gives in place of network connections.
 * @throws {BotError} `settings.invalid` when the base address is not usable.
 * @spec Endpoints
 */
export function createVenueHttp(options: VenueHttpOptions, ownLanes?: Lanes): VenueHttp {
  const base = parseBase(options.baseUrl);
  const lanes = ownLanes ?? lanesOf(base.origin, options);
  const venueClock = new VenueClock(options.clock);
  const account = new Account(options.credentials, () => options.onCredentialsChanged?.());
  const measure = (lane: LaneName = 'read'): Promise<ReadOutcome<ClockReading>> =>
    measureClock(client, { venueClock, lane }, options);
  const client: Client = new Client({
    base,
    lanes,
    account,
    venueClock,
    clock: options.clock,
    timers: options.timers,
    totalMs: options.timeouts?.totalMs ?? VENUE_TIMEOUTS.totalMs,
    observer: options.observer ?? SILENT_OBSERVER,
    signsReads: options.signsReads ?? 'asked',
    measureClock: oneAtATime(async () => (await measure()).kind === 'ok'),
  });
  const tokens = options.tokens ?? NO_TOKENS;
  const age = new AgeLimit(options.limits?.intentAgeMsMax ?? VENUE_LIMITS.intentAgeMsMax);
  const choices = { ...WIRE_CHOICES, ...options.choices };
  return {
    ...orderCalls({ client, tokens, venueClock, age }),
    ...eventCalls(client),
    ...accountCalls({ client, tokens, choices, age }),
    ...publicCalls(client, tokens),
    clockOffsetMs: () => venueClock.offsetMs(),
    venueNowMs: () => venueClock.nowMs(),
    measureClock: () => measure(),
    keepWarm: async () => {
      const [exit] = await Promise.all([measure('exit'), measure('read')]);
      return exit;
    },
    cureSession: async (used) => {
      await Promise.all([measure(), account.renew(used)]);
    },
    stop: async () => {
      await Promise.all(Object.values(lanes).map((lane) => lane.stop()));
    },
  };
}

function lanesOf(origin: string, options: VenueHttpOptions): Lanes {
  return openLanes({
    origin,
    limits: { ...VENUE_LIMITS, ...options.limits },
    timeouts: { ...VENUE_TIMEOUTS, ...options.timeouts },
    connections: { ...VENUE_CONNECTIONS, ...options.connections },
    timers: options.timers,
  });
}

type Measuring = { readonly venueClock: VenueClock; readonly lane: LaneName };

/** Asks once more where an answer contradicts those before, and a third time where the second one does so, too. */
const ASKED_MAX = 3;

async function measureClock(
  client: Client,
  { venueClock, lane }: Measuring,
  options: VenueHttpOptions,
): Promise<ReadOutcome<ClockReading>> {
  for (let asked = 1; ; asked += 1) {
    const outcome = await probeClock(client, lane);
    if (outcome.kind !== 'ok') return outcome;
    const reading = venueClock.learn(outcome.value, asked === ASKED_MAX);
    if (reading === undefined) continue;
    options.onClock?.(reading);
    return { kind: 'ok', value: reading };
  }
}

async function probeClock(client: Client, lane: LaneName): Promise<ReadOutcome<ClockProbe>> {
  let times: Omit<ClockProbe, 'serverTimeSec'> | undefined;
  const outcome = await client.call<UnixSec>({
    method: 'GET',
    route: '/time',
    path: '/time',
    lane,
    access: 'public',
    kind: 'read',
    isUrgent: true,
    parse: parseServerTime,
    onTimes: (both) => {
      times = both;
    },
  });
  if (outcome.kind !== 'ok') return outcome;
  if (times === undefined || times.receivedAtMs < times.sentAtMs) {
    return { kind: 'unknown', cause: 'connection', detail: 'our own clock was set meanwhile' };
  }
  return { kind: 'ok', value: { ...times, serverTimeSec: outcome.value } };
}

/** Callers that come while it runs share the one run. */
function oneAtATime<Value>(run: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
