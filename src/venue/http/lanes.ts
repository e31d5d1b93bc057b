// Lanes with connections of their own: a flood of reads delays no order, neither delays a bulk cancel, and no bulk
// cancel one of everything.

import { type Dispatcher, Pool } from 'undici';
import type { Timers } from '../../domain/time.ts';
import {
  BODY_LENGTH_MAX,
  ORDER_WRITES_MAX,
  ORDER_WRITES_WINDOW_MS,
  READS_PER_SEC_MAX,
} from '../../wire/limits.ts';
import type { VenueConnections, VenueLimits, VenueTimeouts } from '../options.ts';
import { firstOf } from './first-of.ts';
import { getOnly, type RawAnswer } from './get-only.ts';
import { connectInParts } from './in-parts.ts';
import { Limiter, type Turn } from './limiter.ts';

/** `exit`: bulk cancels, which the venue does not limit; `all`: those of the whole account. @spec Limits */
export type LaneName = 'order' | 'read' | 'exit' | 'all';

export type Lane = {
  readonly pool: Dispatcher;
  run<Value>(task: () => Promise<Value>, isUrgent: boolean): Promise<Turn<Value>>;
  /** Does nothing on the lane of bulk cancels: they are exempt. */
  closeFor(durationMs: number): void;
  /** Ends waiting requests as not sent and those under way as unknown. */
  stop(): Promise<void>;
};

export type Lanes = Readonly<Record<LaneName, Lane>>;

export type LanesOptions = {
  readonly origin: string;
  readonly limits: VenueLimits;
  readonly timeouts: VenueTimeouts;
  readonly connections: VenueConnections;
  readonly timers: Timers;
};

const READS_WINDOW_MS = 1_000;
/** A character takes a byte at the least, so that nothing is received that would not be read. */
const RESPONSE_BYTES_MAX = BODY_LENGTH_MAX;
/** Bulk cancels under way at once; each covers up to 100 orders or the whole account. */
const EXITS_MAX = 64;
/** Connections for cancels of everything alone. */
const SPARE_MAX = 2;

/** Opens the lanes; a connection is made when the first request needs one. @spec Limits */
export function openLanes(options: LanesOptions): Lanes {
  const { limits, connections } = options;
  return {
    order: limited(options, {
      cap: share(ORDER_WRITES_MAX, limits.writeShare),
      windowMs: ORDER_WRITES_WINDOW_MS + limits.windowMarginMs,
      concurrency: connections.order,
      waitMsMax: limits.orderWaitMsMax,
      queueMax: limits.orderQueueMax,
    }),
    read: limited(options, {
      cap: share(READS_PER_SEC_MAX, limits.readShare),
      windowMs: READS_WINDOW_MS + limits.windowMarginMs,
      concurrency: connections.read,
      waitMsMax: limits.readWaitMsMax,
      queueMax: limits.readQueueMax,
    }),
    ...exits(options),
  };
}

/**
 * Lanes of a client that only reads. Orders and bulk cancels have none: what asks for one is told that it was not
 * sent, and the connections themselves take nothing but GET.
 */
export function openReadLanes(options: LanesOptions, onAnswer: (answer: RawAnswer) => void): Lanes {
  const { limits, connections } = options;
  const read = limited(
    options,
    {
      cap: share(READS_PER_SEC_MAX, limits.readShare),
      windowMs: READS_WINDOW_MS + limits.windowMarginMs,
      concurrency: connections.read,
      waitMsMax: limits.readWaitMsMax,
      queueMax: limits.readQueueMax,
    },
    (pool) => pool.compose(getOnly(onAnswer)),
  );
  const closed: Lane = {
    pool: read.pool,
    run: async () => ({ kind: 'notRun', detail: 'this client only reads' }),
    closeFor: () => undefined,
    stop: async () => undefined,
  };
  return { order: closed, read, exit: closed, all: closed };
}

function limited(
  options: LanesOptions,
  budget: Omit<ConstructorParameters<typeof Limiter>[0], 'timers' | 'steadyMs'>,
  wrapped: (pool: Pool) => Dispatcher = (pool) => pool,
): Lane {
  const own = openPool(options, budget.concurrency);
  const pool = wrapped(own);
  const limiter = new Limiter({ ...budget, timers: options.timers });
  return {
    pool,
    run: (task, isUrgent) => limiter.run(task, isUrgent),
    closeFor: (durationMs) =>
      limiter.closeFor(Math.min(durationMs, options.limits.retryAfterMsMax)),
    stop: async () => {
      limiter.stop();
      await own.destroy();
    },
  };
}

/** A cancel of everything goes by a connection that is warm; where each of those is taken, by the first of them or of its own. */
function exits(options: LanesOptions): Pick<Lanes, 'exit' | 'all'> {
  const { exit: warmMax } = options.connections;
  const [warm, spare] = [openPool(options, warmMax), openPool(options, SPARE_MAX)];
  const either = firstOf(warm, spare);
  const { run, closeFor, stop } = unlimited(spare);
  return {
    exit: unlimited(warm),
    all: {
      ...{ run, closeFor, stop },
      get pool() {
        return warm.stats.size < warmMax ? warm : either;
      },
    },
  };
}

function unlimited(pool: Pool): Lane {
  let underWay = 0;
  let isStopped = false;
  return {
    pool,
    run: async (task) => {
      if (isStopped) return { kind: 'notRun', detail: 'stopped' };
      if (underWay >= EXITS_MAX)
        return { kind: 'notRun', detail: `${EXITS_MAX} cancels under way` };
      underWay += 1;
      try {
        return { kind: 'ran', value: await task() };
      } finally {
        underWay -= 1;
      }
    },
    closeFor: () => undefined,
    stop: async () => {
      isStopped = true;
      await pool.destroy();
    },
  };
}

function openPool({ origin, timeouts, connections }: LanesOptions, count: number): Pool {
  return new Pool(origin, {
    connections: count,
    pipelining: 1,
    connect: connectInParts(timeouts.connectMs),
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    keepAliveTimeout: connections.keepAliveMs,
    keepAliveMaxTimeout: Math.max(connections.keepAliveMs, 30_000),
    maxResponseSize: RESPONSE_BYTES_MAX,
  });
}

function share(cap: number, part: number): number {
  return Math.max(1, Math.floor(cap * part));
}
