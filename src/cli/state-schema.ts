// The state of a daemon as `status` reads it over HTTP: checked, so that a daemon of another
// version gives a clear complaint instead of a table of nothing.

import { z } from 'zod';

const reason = z.object({
  code: z.string(),
  detail: z.string(),
  sinceMs: z.number(),
  clears: z.string(),
});

const quote = z.object({ price: z.string(), quantity: z.string() });

const marketSets = z.object({
  mode: z.string(),
  free: z.string(),
  claim: z.object({ yes: z.string(), no: z.string() }).optional(),
  request: z.object({ action: z.string(), amount: z.string() }).optional(),
  reason: reason.optional(),
});

const chainAction = z.object({
  by: z.string(),
  action: z.string(),
  marketId: z.string(),
  amount: z.string(),
  state: z.string(),
  detail: z.string(),
});

const uptime = z.object({
  sinceStart: z.number().optional(),
  lastHour: z.number().optional(),
  excludedMs: z.record(z.string(), z.number()),
});

const position = z.object({
  low: z.string(),
  expected: z.string(),
  high: z.string(),
  pending: z.string(),
  settling: z
    .array(z.object({ shares: z.string(), sinceMs: z.number() }))
    .readonly()
    .optional(),
  uncertain: z
    .array(z.object({ shares: z.string(), cause: z.string(), sinceMs: z.number() }))
    .readonly(),
});

const simulated = z.object({
  pnlUsdc: z.string(),
  filledShares: z.string(),
  inventoryRmsShares: z.string(),
});

/** What quoting came to; absent of an older daemon, and each figure that is not known. */
const figures = z.object({
  pnlAtMiddleUsdc: z.string().optional(),
  pnlAtFairUsdc: z.string().optional(),
  pnlAtSettlementUsdc: z.string().optional(),
  parts: z
    .object({
      beforeUsdc: z.string(),
      spreadUsdc: z.string(),
      to1sUsdc: z.string(),
      to10sUsdc: z.string(),
      to60sUsdc: z.string(),
      laterUsdc: z.string(),
      feesUsdc: z.string(),
      unsplitUsdc: z.string(),
      otherUsdc: z.string(),
    })
    .optional(),
  makerShares: z.string().optional(),
  takerShares: z.string().optional(),
  unsureShares: z.string().optional(),
  inventoryRmsShares: z.string().optional(),
  inventoryMaxShares: z.string().optional(),
  drawdownUsdc: z.string().optional(),
  touchRatio: z.number().optional(),
  uptimeRatio: z.number().optional(),
  queue: z
    .array(
      z.object({
        ahead: z.string(),
        fills: z.number(),
        shares: z.string(),
        markoutUsdc: z.string().optional(),
      }),
    )
    .readonly(),
});

const market = z.object({
  eventSlug: z.string(),
  marketId: z.string(),
  yesTokenId: z.string(),
  noTokenId: z.string(),
  title: z.string(),
  strategy: z.string(),
  tickSize: z.string(),
  status: z.string(),
  bestBid: z.string().optional(),
  bestAsk: z.string().optional(),
  ownBids: z.array(quote).readonly(),
  ownAsks: z.array(quote).readonly(),
  bidReason: reason.optional(),
  askReason: reason.optional(),
  uptime: z.object({
    bid: uptime,
    ask: uptime,
  }),
  params: z.object({ version: z.string(), pendingRestart: z.array(z.string()).readonly() }),
  positionYes: z.string(),
  positionNo: z.string(),
  settledYes: z.string(),
  settledNo: z.string(),
  positions: z.object({ yes: position, no: position }).optional(),
  sets: marketSets.optional(),
  pnlUsdc: z.string().optional(),
  fills: z.number(),
  figures: figures.optional(),
  shadow: z
    .object({
      params: z.record(z.string(), z.unknown()),
      sinceMs: z.number(),
      live: simulated,
      shadow: simulated,
      fault: z.string().optional(),
    })
    .optional(),
});

const feed = z.object({
  name: z.string(),
  from: z.string(),
  state: z.string(),
  sinceMs: z.number(),
  detail: z.string(),
  basis: z.string().optional(),
  price: z.string().optional(),
  ageMs: z.number().optional(),
});

const latch = z.object({
  owner: z.string(),
  scope: z.string(),
  level: z.string(),
  detail: z.string(),
  sinceMs: z.number(),
  clears: z.string(),
});

const control = z.object({
  control: z.string(),
  value: z.string().optional(),
  limit: z.string(),
  unit: z.string(),
  level: z.string(),
});

const suspended = z.object({
  strategy: z.string(),
  place: z.string().optional(),
  times: z.number(),
  detail: z.string(),
  until: z.string(),
});

const selection = z.object({
  select: z.string(),
  events: z.array(z.string()).readonly(),
  strategy: z.string(),
  marketCount: z.number(),
  marketsMax: z.number(),
  kept: z.number(),
  fitting: z.number(),
  readAtMs: z.number().exactOptional(),
  fault: z.string().exactOptional(),
});

export const shownState = z.object({
  /** How the trader is that has said this, and since when it has. */
  age: z.object({ trader: z.string(), stateMs: z.number() }).optional(),
  atMs: z.number(),
  dryRunOf: z.string().optional(),
  venueFault: z.string().optional(),
  settingsVersion: z.string(),
  cancelScope: z.enum(['account', 'own']).optional(),
  ordersOfOthers: z.number().optional(),
  uncancellable: z.array(z.string()).readonly().optional(),
  unwrittenStops: z.array(z.string()).readonly().optional(),
  refusedEdit: z
    .object({ file: z.string(), at: z.string(), problems: z.array(z.string()).readonly() })
    .optional(),
  latchFault: z.object({ by: z.string(), at: z.string(), detail: z.string() }).optional(),
  phase: z.string(),
  phaseReason: z.string(),
  markets: z.array(market).readonly(),
  unlisted: z
    .array(reason.extend({ choice: z.string() }))
    .readonly()
    .optional(),
  ordersByState: z.record(z.string(), z.number()),
  armed: z
    .object({
      fired: z.number(),
      right: z.number(),
      wrong: z.number(),
      placed: z.number().optional(),
      unwanted: z.number().optional(),
    })
    .optional(),
  account: z.object({
    cashUsdc: z.string().optional(),
    availableUsdc: z.string().optional(),
    pnlUsdc: z.string().optional(),
    worstCaseLossUsdc: z.string().optional(),
  }),
  figures: figures.optional(),
  writes: z.object({
    usedInWindow: z.number(),
    perWindow: z.number(),
    sent: z.number().optional(),
  }),
  connection: z.object({
    socket: z.string(),
    authenticated: z.boolean(),
    clockOffsetMs: z.number().optional(),
  }),
  venueBeliefs: z
    .array(
      z.object({
        what: z.string(),
        marketId: z.string().optional(),
        value: z.string(),
        evidence: z.string(),
        sinceMs: z.number().optional(),
      }),
    )
    .readonly()
    .optional(),
  risk: z
    .object({
      level: z.string(),
      latches: z.array(latch).readonly(),
      controls: z.array(control).readonly(),
    })
    .optional(),
  feeds: z.array(feed).readonly().optional(),
  selection: z.array(selection).readonly().optional(),
  sets: z.array(chainAction).readonly().optional(),
  guard: z
    .object({
      run: z.number(),
      last: z.object({ reason: z.string(), detail: z.string(), at: z.string() }).optional(),
      starved: z.number().optional(),
      suspended: z.array(suspended).readonly().optional(),
    })
    .optional(),
  notReady: z.array(z.string()).readonly(),
});

/** What of a daemon's state is shown; a `StateView` of the same process is one. */
export type ShownState = Readonly<z.infer<typeof shownState>>;
export type ShownMarket = ShownState['markets'][number];
export type ShownFigures = NonNullable<ShownState['figures']>;
export type ShownRisk = NonNullable<ShownState['risk']>;
export type ShownFeed = NonNullable<ShownState['feeds']>[number];
export type ShownReason = NonNullable<ShownMarket['bidReason']>;
