// What is written down of a day for those who look back: lines of a file that nothing else depends on.

import { z } from 'zod';
import { jsonOr } from '../../domain/json.ts';

const at = z.number().int();
const share = z.number().nullable();

const side = z.object({
  /** Time that quoting uptime counts since the start of the run, and how much of it was quoted. */
  countedMs: z.number(),
  quotedMs: z.number(),
  excludedMs: z.record(z.string(), z.number()),
  /** Why nothing is quoted there; absent while something is. */
  reason: z.string().optional(),
});

const market = z.object({
  marketId: z.string(),
  /** The middle of everybody else's book, as a price of YES; `null` before there was one. */
  middle: share,
  /** Net shares of YES. */
  net: z.number(),
  pnlUsdc: share,
  bid: side,
  ask: side,
});

const order = z.object({
  intentId: z.string(),
  orderHash: z.string().optional(),
  marketId: z.string(),
  tokenId: z.string(),
  side: z.enum(['BUY', 'SELL']),
  price: z.string(),
  shares: z.string(),
  filled: z.string(),
  sentAtMs: at,
  state: z.string(),
  isTake: z.boolean().optional(),
});

const line = z.discriminatedUnion('kind', [
  /** A trader began; figures that count since the start begin anew. */
  z.object({ kind: z.literal('run'), atMs: at, version: z.string() }),
  /** It ended in good order. */
  z.object({ kind: z.literal('end'), atMs: at }),
  /** What a market is; once a day and where it changes. */
  z.object({
    kind: z.literal('market'),
    atMs: at,
    marketId: z.string(),
    title: z.string(),
    strategy: z.string(),
    yesTokenId: z.string(),
    noTokenId: z.string(),
  }),
  /** The book when a fill was reported. */
  z.object({
    kind: z.literal('fill'),
    atMs: at,
    intentId: z.string(),
    executedAfter: z.number(),
    marketId: z.string(),
    isYes: z.boolean(),
    middle: share,
    /** r of the fee that it pays, of what was sent to take. */
    takerFeeRate: z.number().optional(),
    isTake: z.boolean().optional(),
    /** Micro-shares of others before its order when that came to rest. */
    aheadMicro: z.number().optional(),
  }),
  /** The middle so long after it as `MARKOUT_SEC` says; those that the end of the run cut off are missing. */
  z.object({
    kind: z.literal('later'),
    atMs: at,
    intentId: z.string(),
    executedAfter: z.number(),
    middles: z.array(share),
  }),
  /** Shares of an order that had traded and whose settlement failed. */
  z.object({ kind: z.literal('bust'), atMs: at, intentId: z.string(), micro: z.number() }),
  z.object({ kind: z.literal('order'), atMs: at, order }),
  /** Now and then, and at the end. */
  z.object({
    kind: z.literal('sample'),
    atMs: at,
    phase: z.string(),
    pnlUsdc: share,
    ordersPlaced: z.number(),
    writesUsed: z.number(),
    writesMax: z.number(),
    markets: z.array(market),
  }),
  z.object({
    kind: z.literal('event'),
    atMs: at,
    event: z.string(),
    severity: z.string(),
    fields: z.record(z.string(), z.unknown()),
  }),
]);

export type DayLine = z.infer<typeof line>;
export type DayMarket = z.infer<typeof market>;
export type DayOrder = z.infer<typeof order>;
export type DayLineOf<Kind extends DayLine['kind']> = Extract<DayLine, { kind: Kind }>;

/** Nothing that is written is as long: a sample of a thousand markets. */
const LINE_LENGTH_MAX = 4_000_000;

/** A line as it was written; `undefined` where a part of it is missing, or it is of a version that wrote something else. */
export function readDayLine(text: string): DayLine | undefined {
  return line.safeParse(jsonOr(text, LINE_LENGTH_MAX)).data;
}
