// Every way the embedded venue can play what the interface leaves open, one row each.

import type { Dialect } from '../../src/paper/api/dialect.ts';
import { OLDER_DIALECT } from '../../src/paper/api/dialect.ts';
import type { ExchangeRules } from '../../src/paper/exchange/rules.ts';
import type { PaperOptions } from '../../src/paper/options.ts';
import { PaperFloor } from './rig/paper-floor.ts';
import { defineRow, type Row } from './rig/run-row.ts';

type Others<Of> = { readonly [Key in keyof Of]?: readonly Of[Key][] };

/** The answers besides the default one. A new setting without an entry here does not compile. */
const DIALECTS: Required<Others<Omit<Dialect, 'klineOutcome' | 'chainAmount' | 'shareAmounts'>>> = {
  eventsAs: ['array'],
  listFilters: ['ignored'],
  listWithoutStatus: ['open'],
  statusCase: ['upper'],
  numbersAs: ['number'],
  failureCodes: [false],
  orderTypeField: ['orderType'],
  bookExtras: [true],
  settledFrame: ['short'],
  summaryFrame: ['older'],
  outcomeNames: ['upper', 'lower'],
  outcomeOrder: ['yesFirst'],
  ordersAs: ['page'],
  listsMatched: [false],
  batchOrders: ['hashOnly'],
  socketFilled: ['settled'],
  restFilled: ['withHold'],
  cancelledRemaining: ['zero'],
  bookWindow: ['lazy', 'snapshots'],
  snapshotTs: ['changed'],
  pauseWord: ['PAUSED', 'SUSPENDED'],
  statusFrameId: ['market'],
  unsubscribeEnds: ['books'],
  userData: ['always', 'never'],
  acceptsTextNumbers: [true],
  optionalFields: ['absent'],
  orderWords: ['other'],
  singleCancel: ['empty'],
  framesAs: ['list'],
  bookNoise: [true],
  serverTimeAs: ['text'],
  batchIndexFrom: [1],
  batchErrors: ['code'],
  codeStatus: ['other'],
  retryAfterAs: ['fraction', 'date'],
  tradesAs: ['oldestFirst', 'page', 'other'],
  tradesShow: ['indexed'],
  revokedSession: ['error', 'nothing'],
  publicReads: ['signed'],
};

/** Rules that a quoting account can notice. */
const RULES: Others<ExchangeRules> = {
  complementMatching: [false],
  selfTrade: ['cancelIncoming', 'allow'],
  partiallyFilledCancellable: [true],
  batchCancel: ['refuse'],
  failedTrade: ['reinstate'],
  restingFeeHold: ['free'],
  takerFeeBps: [100],
};

const SECONDS = 8;

/** Rows that no market of the rig could tell apart from the usual one are listed all the same. */
export const DIALECT_ROWS: readonly Row[] = [
  rowOf('usual', {}),
  rowOf('older', { dialect: OLDER_DIALECT }),
  ...variants(DIALECTS, (dialect) => ({ dialect })),
  ...variants(RULES, (rules) => ({ rules })),
];

function variants<Of extends object>(
  all: Others<Of>,
  optionsOf: (one: object) => Partial<PaperOptions>,
): readonly Row[] {
  return Object.entries(all).flatMap(([key, values]) =>
    (Array.isArray(values) ? values : []).map((value: unknown) =>
      rowOf(`${key}=${String(value)}`, optionsOf({ [key]: value })),
    ),
  );
}

function rowOf(name: string, options: Partial<PaperOptions>): Row {
  return defineRow({
    name: `dialect:${name}`,
    title: `dialect ${name}`,
    seconds: SECONDS,
    open: async () => await PaperFloor.start(options),
  });
}
