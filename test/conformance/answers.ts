// The answers that the interface leaves open, each as the embedded venue plays the other one, with
// the rows of `src/wire/README.md` that ask for it.

import type { PaperOptions } from '../../src/paper/options.ts';
import type { PaperVenue } from '../../src/paper/server.ts';
import type { DaemonChange } from './bench/daemon.ts';

export type Answer = {
  /** Rows of the table of silences. */
  readonly rows: readonly number[];
  /** As the table writes it. */
  readonly switch: string;
  readonly to: string;
  readonly venue?: Partial<PaperOptions>;
  readonly daemon?: DaemonChange;
  /** Goes wrong once the daemon quotes. */
  readonly strike?: (venue: PaperVenue) => void;
  /** A part that was filled cannot be cancelled, so the venue ends it for us. */
  readonly leavesPart?: boolean;
};

type Dialect = NonNullable<PaperOptions['dialect']>;
type Rules = NonNullable<PaperOptions['rules']>;

function dialect<Name extends keyof Dialect>(
  rows: readonly number[],
  name: Name,
  ...values: readonly Dialect[Name][]
): readonly Answer[] {
  return values.map((value) => ({
    ...{ rows, switch: `dialect.${name}`, to: String(value) },
    venue: { dialect: { [name]: value } },
  }));
}

function rules<Name extends keyof Rules>(
  rows: readonly number[],
  name: Name,
  ...values: readonly Rules[Name][]
): readonly Answer[] {
  return values.map((value) => ({
    ...{ rows, switch: `rules.${name}`, to: String(value) },
    venue: { rules: { [name]: value } },
  }));
}

const SHAPES: readonly Answer[] = [
  ...dialect([1], 'eventsAs', 'array'),
  ...dialect([2], 'statusCase', 'upper'),
  ...dialect([3], 'numbersAs', 'number'),
  ...dialect([4, 56], 'failureCodes', false),
  ...dialect([5], 'orderTypeField', 'orderType'),
  ...dialect([6], 'bookExtras', true),
  ...dialect([7], 'settledFrame', 'short'),
  ...dialect([8], 'summaryFrame', 'older'),
  ...dialect([9], 'userData', 'always', 'never'),
  ...dialect([10], 'outcomeNames', 'upper', 'lower'),
  ...dialect([10], 'outcomeOrder', 'yesFirst'),
  ...dialect([11], 'ordersAs', 'page'),
  ...dialect([12], 'optionalFields', 'absent'),
  ...dialect([13], 'pauseWord', 'PAUSED', 'SUSPENDED'),
  ...dialect([14], 'orderWords', 'other'),
  ...dialect([16], 'singleCancel', 'empty'),
  ...dialect([19], 'framesAs', 'list'),
  ...dialect([20], 'bookNoise', true),
  ...dialect([24], 'restFilled', 'withHold').map((answer) => ({
    ...answer,
    daemon: { choices: { filledIncludesHold: true } },
  })),
  ...dialect([25], 'socketFilled', 'settled'),
  ...dialect([88], 'shareAmounts', 'free').map((answer) => ({
    ...answer,
    daemon: { choices: { sharesIncludeHold: false } },
  })),
  ...dialect([26], 'cancelledRemaining', 'zero'),
  ...dialect([28], 'chainAmount', 'micro').map((answer) => ({
    ...answer,
    daemon: { choices: { chainAmount: 'microText' as const } },
  })),
  ...dialect([29], 'serverTimeAs', 'text'),
];

const ORDERS: readonly Answer[] = [
  ...rules([21], 'offTickMarketSell', 'allow'),
  ...rules([22, 74], 'quantityDecimalsMax', 0, 2),
  ...rules([31], 'partiallyFilledCancellable', false).map((answer) => ({
    ...answer,
    leavesPart: true,
  })),
  ...rules([65], 'batchCancel', 'refuse'),
  ...dialect([32], 'listsMatched', false),
  ...dialect([33], 'batchOrders', 'hashOnly'),
  ...dialect([35], 'batchIndexFrom', 1),
  ...dialect([36], 'batchErrors', 'code'),
  ...rules([42], 'selfTrade', 'cancelIncoming', 'allow'),
  ...rules([43], 'failedTrade', 'reinstate'),
  ...rules([44], 'complementMatching', false),
  ...rules([85], 'books', 'unified'),
];

const READING: readonly Answer[] = [
  ...dialect([45, 50], 'bookWindow', 'lazy', 'snapshots'),
  ...dialect([81], 'snapshotTs', 'changed'),
  ...dialect([46], 'statusFrameId', 'market'),
  ...dialect([47], 'unsubscribeEnds', 'books').map((answer) => ({
    ...answer,
    daemon: { choices: { unsubscribeEndsTrades: false } },
  })),
  {
    ...{ rows: [49], switch: 'sockets.framesPerSecMax', to: '20' },
    venue: { sockets: { framesPerSecMax: 20 } },
  },
  ...dialect([53], 'klineOutcome', 'outcomeId', 'tokenId'),
  ...dialect([55], 'listWithoutStatus', 'open'),
  ...dialect([87], 'listFilters', 'ignored'),
];

const SESSIONS: readonly Answer[] = [
  { rows: [60], switch: 'budgets', to: 'fixed', venue: { budgets: { window: 'fixed' } } },
  ...dialect([63], 'codeStatus', 'other'),
  ...dialect([64], 'retryAfterAs', 'fraction', 'date'),
  ...dialect([66], 'tradesAs', 'oldestFirst', 'page', 'other'),
  ...dialect([66], 'tradesShow', 'indexed'),
  ...dialect([80], 'publicReads', 'signed'),
];

/** The next answers to orders go wrong in this way. */
function fault(
  rows: readonly number[],
  action: Parameters<PaperVenue['faults']['plan']>[0]['action'],
  path = '/orders',
): Answer {
  return {
    ...{ rows, switch: `faults › ${action.kind}`, to: path },
    strike: ({ faults }) => faults.plan({ method: 'POST', path, times: 2, action }),
  };
}

const FAULTS: readonly Answer[] = [
  fault([34], { kind: 'loseItems', indexes: [0] }, '/orders/batch'),
  fault([37, 38], { kind: 'failAfter', status: 502 }),
  fault([38], { kind: 'failBefore', status: 503 }),
  fault([39], { kind: 'garbage' }),
  fault([39], { kind: 'refuse', code: 'rate_limited', retryAfterSec: 1 }),
  fault([41], { kind: 'delayEffect', ms: 200 }),
  fault([38], { kind: 'dropReply' }),
  fault([38], { kind: 'dropRequest' }),
  {
    ...{ rows: [40], switch: 'faults › shiftClock', to: '90 s' },
    strike: ({ faults }) => faults.shiftClock(90_000),
  },
  {
    ...{ rows: [59], switch: 'faults › mute', to: 'pings' },
    strike: ({ faults }) => faults.muteFrames({ pings: true }),
  },
];

const FEES: readonly Answer[] = [
  // Cash is held for the fee of what rests, too: the other answer to both.
  ...rules([70, 71], 'takerFeeRate', 0.05),
  {
    ...{ rows: [71], switch: 'rules.restingFeeHold', to: 'free' },
    venue: { rules: { takerFeeRate: 0.05, restingFeeHold: 'free' } },
  },
];

/** Every other answer, in the order of the table. */
export const ANSWERS: readonly Answer[] = [
  ...SHAPES,
  ...ORDERS,
  ...READING,
  ...SESSIONS,
  ...FAULTS,
  ...FEES,
];

/** Rows whose other answer is no setting but an event, confirmed by a card or a test of its own. */
export const CONFIRMED_ELSEWHERE: Readonly<Record<number, string>> = {
  15: 'C-001',
  17: 'C-176',
  18: 'test/unit/wire/events.test.ts',
  23: 'C-125',
  27: 'test/unit/wire/orders.test.ts',
  30: 'test/unit/wire/events.test.ts',
  48: 'C-340',
  51: 'test/unit/wire/books.test.ts',
  52: 'test/unit/venue/http-outcomes.test.ts',
  54: 'C-307',
  57: 'test/conformance/answers.test.ts',
  58: 'test/unit/venue/socket.test.ts',
  61: 'test/unit/venue/http-outcomes.test.ts',
  62: 'test/unit/venue/limiter.test.ts',
  67: 'test/unit/core/account/locks.test.ts',
  68: 'test/unit/core/account/trade-parts.test.ts',
  69: 'test/unit/core/orders/late-lists.test.ts',
  72: 'test/unit/core/market-conditions.test.ts',
  73: 'test/unit/core/market-conditions.test.ts',
  75: 'test/unit/core/risk/account-refused.test.ts',
  76: 'test/unit/core/sending/cancels-failing.test.ts',
  77: 'test/unit/core/risk/account-conflict.test.ts',
  78: 'test/unit/wire/resolution.test.ts',
  79: 'test/unit/core/book/one-of-many.test.ts',
  82: 'test/unit/venue/clock-offset.test.ts',
  83: 'test/unit/app/preflight.test.ts',
  84: 'test/process/stop-deadline.test.ts',
  86: 'test/unit/core/risk/copies.test.ts',
  89: 'test/unit/core/account/cash-moment.test.ts',
};
