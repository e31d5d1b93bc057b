// A preview as `check --against-running` reads it over HTTP: checked like a state.

import { z } from 'zod';

const problem = z.object({
  path: z.string(),
  line: z
    .number()
    .optional()
    .transform((line): number | undefined => line),
  message: z.string(),
});

const change = z.object({
  path: z.string(),
  before: z.unknown(),
  after: z.unknown(),
});

const param = z.object({
  event: z.string(),
  market: z.string().optional(),
  strategy: z.string(),
  name: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  applies: z.string(),
});

const quote = z.object({ price: z.string(), quantity: z.string() });

const side = z.object({
  now: z.array(quote).readonly(),
  unchanged: z.array(quote).readonly(),
  changed: z.array(quote).readonly(),
  held: z.array(quote.extend({ limit: z.string() })).readonly(),
  moves: z.boolean(),
  cancels: z.number(),
  places: z.number(),
});

const market = z.object({
  marketId: z.string(),
  eventSlug: z.string(),
  title: z.string(),
  strategyNow: z.string(),
  strategyAfter: z.string().optional(),
  blocked: z.string().optional(),
  failure: z.string().optional(),
  bid: side,
  ask: side,
});

export const previewAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('refused'), problems: z.array(problem).readonly() }),
  z.object({
    kind: z.literal('previewed'),
    versionNow: z.string(),
    versionAfter: z.string(),
    limits: z.array(change).readonly(),
    others: z.array(change).readonly(),
    needsRestart: z.array(change).readonly(),
    params: z.array(param).readonly(),
    markets: z.array(market).readonly(),
    added: z.array(z.string()).readonly(),
  }),
]);

export type ShownPreview = Readonly<z.infer<typeof previewAnswer>>;
export type Previewed = Extract<ShownPreview, { readonly kind: 'previewed' }>;
