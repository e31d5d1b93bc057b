// Latches, pause, baselines and the slowest acceptance as the ledger keeps them: facts in JSON, written whole each time.

import { z } from 'zod';
import { marketId, tokenId } from '../../domain/ids.ts';
import type {
  StoredAhead,
  StoredClock,
  StoredLocks,
  StoredRefusal,
  StoredSlowest,
  StoredSteady,
} from '../../domain/record.ts';
import {
  CONTROLS,
  RISK_ACTIONS,
  type StoredBaselines,
  type StoredCleared,
  type StoredLatch,
  type StoredMarketStop,
  type StoredPause,
} from '../../domain/risk.ts';
import { type UnixMs, unixMs } from '../../domain/time.ts';

const time = z.number().int().transform(unixMs);
const market = z.string().transform(marketId);

const RESUMES = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('operator') }),
  z.object({ kind: z.literal('time'), atMs: time }),
  z.object({ kind: z.literal('condition'), text: z.string() }),
]);

const LATCHES = z.array(
  z
    .object({
      control: z.enum(CONTROLS),
      marketId: market.optional(),
      level: z.enum(RISK_ACTIONS),
      detail: z.string(),
      sinceMs: time,
      resumes: RESUMES,
    })
    .transform((latch): StoredLatch => ({ ...latch, marketId: latch.marketId })),
);

const CLEARED = z.array(
  z
    .object({
      control: z.enum(CONTROLS),
      marketId: market.optional(),
      code: z.string().optional(),
      atMs: time,
    })
    .transform((cleared): StoredCleared => cleared),
);

const TIMES = z.array(time);

const REFUSAL_ROW = z
  .object({ market_id: market, refusal_code: z.string(), at_ms: z.coerce.number().pipe(time) })
  .transform(
    (row): StoredRefusal => ({
      marketId: row.market_id,
      code: row.refusal_code,
      atMs: row.at_ms,
    }),
  );

const PAUSE = z.object({ by: z.string(), sinceMs: time });

const MARKET_STOPS = z.array(
  z.object({
    marketId: market,
    tokenId: z.string().transform(tokenId).optional(),
    stop: z.enum(['pause', 'kill']),
    by: z.string(),
    sinceMs: time,
  }),
);

const BASELINES = z.object({
  sessionNano: z.number(),
  dayNano: z.number(),
  day: z.number().int(),
  beginsAtHour: z.number().int().optional(),
  latest: z.tuple([z.number().int(), z.number()]).optional(),
  peakNano: z.number(),
  left: z.array(z.tuple([market, z.number()])),
  held: z
    .array(
      z.object({
        marketId: market,
        lossNano: z.number(),
        tokenIds: z.array(z.string().transform(tokenId)),
      }),
    )
    .optional(),
  marks: z.array(z.tuple([market, z.number().min(0).max(1_000)])).optional(),
});

const SLOWEST = z.object({ tookMs: z.number(), atMs: time });
const AHEAD = z.object({ aheadMs: z.number(), atMs: time });
const STEADY = z.object({ nano: z.number(), sinceMs: z.number().transform(unixMs) });
const LOCKS = z.object({ keepsMatched: z.boolean() });
const CLOCK = z.object({ offsetMs: z.number(), atMs: time });

export const readLatches = (text: string): readonly StoredLatch[] =>
  LATCHES.parse(JSON.parse(text));

export const readRefusal = (row: unknown): StoredRefusal => REFUSAL_ROW.parse(row);

/** What cannot be read clears nothing: breakers then count from before. */
export function readCleared(text: string | undefined): readonly StoredCleared[] {
  return CLEARED.safeParse(jsonOf(text)).data ?? [];
}

/** Of failures that cannot be read nobody knows when they were. */
export function readFailures(text: string | undefined): readonly UnixMs[] {
  return TIMES.safeParse(jsonOf(text)).data ?? [];
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return undefined;
  }
}

export function readPause(text: string | undefined): StoredPause | undefined {
  return text === undefined ? undefined : PAUSE.parse(JSON.parse(text));
}

export function readMarketStops(text: string | undefined): readonly StoredMarketStop[] {
  return MARKET_STOPS.parse(JSON.parse(text ?? '[]'));
}

export function readSlowest(text: string | undefined): StoredSlowest | undefined {
  return text === undefined ? undefined : SLOWEST.parse(JSON.parse(text));
}

export function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

export function readLocks(text: string | undefined): StoredLocks | undefined {
  return text === undefined ? undefined : LOCKS.safeParse(jsonOf(text)).data;
}

/** Nothing where it cannot be read: the next exact read begins anew. */
export function readSteady(text: string | undefined): StoredSteady | undefined {
  return text === undefined ? undefined : STEADY.safeParse(jsonOf(text)).data;
}

export function readBaselines(text: string | undefined): StoredBaselines | undefined {
  return text === undefined ? undefined : BASELINES.parse(JSON.parse(text));
}

export function readAhead(text: string | undefined): StoredAhead | undefined {
  return text === undefined ? undefined : AHEAD.parse(JSON.parse(text));
}

export function readClock(text: string | undefined): StoredClock | undefined {
  return text === undefined ? undefined : CLOCK.parse(JSON.parse(text));
}
