// How the venue speaks and plays in one run: as the current reference, as the older one, or as a seed
// draws it from all that the interface leaves open.

import { CURRENT_DIALECT, type Dialect, OLDER_DIALECT } from '../../../src/paper/api/dialect.ts';
import type { Random } from '../../../src/paper/crowd/random.ts';
import type { ExchangeRules } from '../../../src/paper/exchange/rules.ts';
import type { WireChoices } from '../../../src/wire/choices.ts';

export type Variant = {
  readonly name: 'current' | 'older' | 'mixed';
  readonly dialect: Dialect;
  readonly rules: Partial<ExchangeRules>;
  /** It calls some items of batches refused, in prose, that rest. */
  readonly refusesInProse: boolean;
  /** It takes some orders of fewer shares, or at a better price. */
  readonly alters: boolean;
  /** What an operator who knows this venue would have configured. */
  readonly choices: Partial<WireChoices>;
};

/**
 * A world names its events, so that nobody reads a listing of others; and what is free of shares that an index shows
 * late is no number that anybody knows.
 */
type Elsewhere = 'snapshotTs' | 'shareAmounts' | 'listFilters' | 'listWithoutStatus';

type Answers = { readonly [Key in keyof Omit<Dialect, Elsewhere>]: readonly Dialect[Key][] };

/** Every answer to what is left open. */
const ANSWERS: Answers = {
  eventsAs: ['page', 'array'],
  statusCase: ['lower', 'upper'],
  numbersAs: ['text', 'number'],
  failureCodes: [true, false],
  orderTypeField: ['timeInForce', 'orderType'],
  bookExtras: [false, true],
  settledFrame: ['full', 'short'],
  summaryFrame: ['current', 'older'],
  outcomeNames: ['title', 'upper', 'lower'],
  outcomeOrder: ['noFirst', 'yesFirst'],
  ordersAs: ['array', 'page'],
  listsMatched: [true, false],
  batchOrders: ['full', 'hashOnly'],
  socketFilled: ['matched', 'settled'],
  restFilled: ['settled', 'withHold'],
  cancelledRemaining: ['unfilled', 'zero'],
  bookWindow: ['exact', 'lazy', 'snapshots'],
  pauseWord: ['PAUSE', 'PAUSED', 'SUSPENDED'],
  statusFrameId: ['token', 'market'],
  unsubscribeEnds: ['both', 'books'],
  userData: ['shown', 'always', 'never'],
  chainAmount: ['usdc', 'micro'],
  klineOutcome: ['either', 'outcomeId', 'tokenId'],
  acceptsTextNumbers: [false, true],
  optionalFields: ['present', 'absent'],
  orderWords: ['published', 'other'],
  singleCancel: ['counts', 'empty'],
  framesAs: ['single', 'list'],
  bookNoise: [false, true],
  serverTimeAs: ['number', 'text'],
  batchIndexFrom: [0, 1],
  batchErrors: ['prose', 'code'],
  codeStatus: ['ours', 'other'],
  retryAfterAs: ['seconds', 'fraction', 'date'],
  revokedSession: ['close', 'error', 'nothing'],
  tradesAs: ['newestFirst', 'oldestFirst', 'page', 'other'],
  tradesShow: ['settled', 'indexed'],
  publicReads: ['open', 'signed'],
};

/**
 * The answer that lets most happen in a short world: an order that stays once it has traded in part keeps its place.
 * The profile `dialects` draws both.
 */
export const CURRENT: Variant = {
  name: 'current',
  dialect: CURRENT_DIALECT,
  rules: { partiallyFilledCancellable: true },
  refusesInProse: false,
  alters: false,
  choices: {},
};

/** Few seeds: what is restated is left unquoted for a while. */
const ALTERS = 0.15;

export function drawVariant(random: Random): Variant {
  const name = random.chance(0.3) ? 'older' : 'mixed';
  const rules = drawRules(random);
  const refusesInProse = random.split('prose').chance(0.4);
  const alters = random.split('alters').chance(ALTERS);
  const wrong = { refusesInProse, alters };
  if (name === 'older') return { ...CURRENT, name, dialect: OLDER_DIALECT, rules, ...wrong };
  const drawn = Object.entries(ANSWERS).map(([key, answers]) => [
    key,
    pick<unknown>(random, answers),
  ]);
  // A stream of its own, so that seeds of before keep the rest of their dialect.
  const snapshotTs = random.split('snapshots').chance(0.4) ? 'changed' : 'sent';
  const dialect: Dialect = { ...CURRENT_DIALECT, ...Object.fromEntries(drawn), snapshotTs };
  return { name, dialect, rules, ...wrong, choices: choicesFor(dialect) };
}

function choicesFor({ restFilled, chainAmount, unsubscribeEnds }: Dialect): Partial<WireChoices> {
  return {
    filledIncludesHold: restFilled === 'withHold',
    unsubscribeEndsTrades: unsubscribeEnds === 'both',
    ...(chainAmount === 'micro' ? { chainAmount: 'microText' as const } : {}),
  };
}

function drawRules(random: Random): Partial<ExchangeRules> {
  return {
    complementMatching: random.chance(0.7),
    selfTrade: pick(random, ['cancelResting', 'cancelIncoming', 'allow'] as const),
    ...drawRuns(random.split('runs')),
    books: random.split('books').chance(0.3) ? 'unified' : 'separate',
    batchCancel: random.split('batches').chance(0.3) ? 'refuse' : 'count',
  };
}

/** A stream of its own, so that seeds of before keep the rest of their dialect. */
function drawRuns(random: Random): Partial<ExchangeRules> {
  return {
    failedTrade: random.chance(0.4) ? 'reinstate' : 'cancelOrder',
    partiallyFilledCancellable: !random.chance(0.4),
  };
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[random.whole(0, values.length - 1)];
  if (value === undefined) throw new RangeError('there is something to pick from');
  return value;
}
