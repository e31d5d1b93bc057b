// Small public payloads: server time, candles, and the answer of a chain action.

import { z } from 'zod';
import { type UnixMs, type UnixSec, unixMs, unixSec } from '../domain/time.ts';
import type { Usdc } from '../domain/usdc.ts';
import { ITEMS_MAX } from './limits.ts';
import { isoTime, list, parseWith, usdc } from './parse.ts';

/** @spec Resources and their fields › Candle */
export type Candle = {
  readonly atMs: UnixMs;
  readonly open: Usdc;
  readonly high: Usdc;
  readonly low: Usdc;
  readonly close: Usdc;
  readonly volume: Usdc;
};

/** Seconds of a year near ours; milliseconds or a date are another deployment's, not a guess. */
const UNIX_SEC_MIN = 1_000_000_000;
const UNIX_SEC_MAX = 10_000_000_000;

const time = z.object({
  serverTime: z
    .union([
      z.number(),
      z
        .string()
        .max(40)
        .regex(/^\d{10}(\.\d+)?$/)
        .transform(Number),
    ])
    .refine((count) => count >= UNIX_SEC_MIN && count < UNIX_SEC_MAX, 'Unix seconds expected'),
});
const candle = z
  .object({
    timestamp: isoTime,
    open: usdc,
    high: usdc,
    low: usdc,
    close: usdc,
    volume: usdc,
  })
  .transform(({ timestamp, ...rest }) => ({ atMs: timestamp, ...rest }));
const chain = z.object({ txHash: z.string().min(1).max(200) });

/** Reads `GET /time`, whole seconds. @throws {WireError} @spec Endpoints › Health */
export function parseServerTime(data: unknown): UnixSec {
  return unixSec(unixMs(parseWith(time, data, 'time').serverTime * 1_000));
}

/** Reads `GET /kline`. @throws {WireError} @spec Endpoints › Price history and feeds */
export function parseCandles(data: unknown): readonly Candle[] {
  return parseWith(list(candle, ITEMS_MAX), data, 'kline');
}

/** Reads the answer of split, merge and redeem. @throws {WireError} @spec Batch and cancel results */
export function parseChainAction(data: unknown): string {
  return parseWith(chain, data, 'chainAction').txHash;
}
