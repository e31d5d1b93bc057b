// How the venue speaks: the current reference, the older one, and answers the interface leaves open.

export type Dialect = {
  /** `GET /events`: a page, or the bare array of the older reference. */
  readonly eventsAs: 'page' | 'array';
  /** Whether `tag`, `category` and `search` narrow `GET /events`, or are fields that the venue does not know. */
  readonly listFilters: 'heeded' | 'ignored';
  /** What `GET /events` lists without `status`. */
  readonly listWithoutStatus: 'all' | 'open';
  readonly statusCase: 'lower' | 'upper';
  /** `tickSize` and `lastPrice`. */
  readonly numbersAs: 'text' | 'number';
  /** Whether failures carry `code`. */
  readonly failureCodes: boolean;
  /** The field of an order that names its type. */
  readonly orderTypeField: 'timeInForce' | 'orderType';
  /** Adds `tokenId` and `ts` to an order book. */
  readonly bookExtras: boolean;
  readonly settledFrame: 'full' | 'short';
  readonly summaryFrame: 'current' | 'older';
  readonly outcomeNames: 'title' | 'upper' | 'lower';
  /** Array order of outcomes and of the markets' tokens; nobody may rely on it. */
  readonly outcomeOrder: 'noFirst' | 'yesFirst';
  /** `GET /orders`: a bare array, or pages of `{items, total, limit, offset}`. */
  readonly ordersAs: 'array' | 'page';
  /** Whether `GET /orders` lists orders that are matched whole and await settlement. */
  readonly listsMatched: boolean;
  /** `order` of a batch item: the whole order, or its hash alone. */
  readonly batchOrders: 'full' | 'hashOnly';
  /** `filledQuantity` of `order.update`: all that matched, or what has settled. */
  readonly socketFilled: 'matched' | 'settled';
  /** `filledQuantity` over REST: what has settled, or that and what `holdQuantity` shows. */
  readonly restFilled: 'settled' | 'withHold';
  /** `shareAmount` of a position: all shares, or those that no order holds. */
  readonly shareAmounts: 'all' | 'free';
  /** `remaining` of a cancelled order: what never traded, or zero since nothing rests. */
  readonly cancelledRemaining: 'unfilled' | 'zero';
  /**
   * Depth-limited feeds. `exact`: deltas keep the window true, levels that leave it are removed
   * and levels that enter it are sent. `lazy`: only levels that changed are sent, so what leaves
   * or enters the window goes unsaid. `snapshots`: each flush sends the whole window anew.
   */
  readonly bookWindow: 'exact' | 'lazy' | 'snapshots';
  /** What `ts` of a snapshot says: when it was sent, or when the book last changed. */
  readonly snapshotTs: 'sent' | 'changed';
  /** The word for a paused market; `PAUSE` is the one the interface shows, `SUSPENDED` nowhere. */
  readonly pauseWord: 'PAUSE' | 'PAUSED' | 'SUSPENDED';
  /** What `marketId` of `market.status_update` names. */
  readonly statusFrameId: 'token' | 'market';
  /** What an `unsubscribe` without a channel ends. */
  readonly unsubscribeEnds: 'both' | 'books';
  /** User frames: `data` where the interface shows it, in every frame, or in none. */
  readonly userData: 'shown' | 'always' | 'never';
  /** Unit of `amount` in split and merge: whole USDC and shares, or millionths. */
  readonly chainAmount: 'usdc' | 'micro';
  /** What `outcomeId` of `GET /kline` may be. */
  readonly klineOutcome: 'either' | 'outcomeId' | 'tokenId';
  /** Text prices and quantities in requests where the interface says number. */
  readonly acceptsTextNumbers: boolean;
  /** Title, category, expiry and order-book flag of what is listed: there, or left out. */
  readonly optionalFields: 'present' | 'absent';
  /** The status word of a listed order: a published one, or another. */
  readonly orderWords: 'published' | 'other';
  /** The answer to `DELETE /orders/:orderHash`, which is not shown. */
  readonly singleCancel: 'counts' | 'empty';
  /** One frame in each text, or a list of one. */
  readonly framesAs: 'single' | 'list';
  /** Whether book numbers carry the noise of doubles, 10.000000000000002 for 10. */
  readonly bookNoise: boolean;
  readonly serverTimeAs: 'number' | 'text';
  /** Where the `index` of batch items starts. */
  readonly batchIndexFrom: 0 | 1;
  /** `error` of a batch item: prose, or a machine code after all. */
  readonly batchErrors: 'prose' | 'code';
  /** Which status of a group of several a code comes with. */
  readonly codeStatus: 'ours' | 'other';
  readonly retryAfterAs: 'seconds' | 'fraction' | 'date';
  /**
   * `GET /portfolio/trades`: an array with the newest or the oldest of them first, a page of
   * `{items}`, or records by other names than the frame has.
   */
  readonly tradesAs: 'newestFirst' | 'oldestFirst' | 'page' | 'other';
  /** When a trade shows there: at its settlement, or as late as a position can be. */
  readonly tradesShow: 'settled' | 'indexed';
  /** What a live session is told when its credentials are regenerated. */
  readonly revokedSession: 'close' | 'error' | 'nothing';
  /** Whether events and books are refused to whoever does not sign; health and the time never are. */
  readonly publicReads: 'open' | 'signed';
};

export const CURRENT_DIALECT: Dialect = {
  eventsAs: 'page',
  listFilters: 'heeded',
  listWithoutStatus: 'all',
  statusCase: 'lower',
  numbersAs: 'text',
  failureCodes: true,
  orderTypeField: 'timeInForce',
  bookExtras: false,
  settledFrame: 'full',
  summaryFrame: 'current',
  outcomeNames: 'title',
  outcomeOrder: 'noFirst',
  ordersAs: 'array',
  listsMatched: true,
  batchOrders: 'full',
  socketFilled: 'matched',
  restFilled: 'settled',
  shareAmounts: 'all',
  cancelledRemaining: 'unfilled',
  bookWindow: 'exact',
  snapshotTs: 'sent',
  pauseWord: 'PAUSE',
  statusFrameId: 'token',
  unsubscribeEnds: 'both',
  userData: 'shown',
  chainAmount: 'usdc',
  klineOutcome: 'either',
  acceptsTextNumbers: false,
  optionalFields: 'present',
  orderWords: 'published',
  singleCancel: 'counts',
  framesAs: 'single',
  bookNoise: false,
  serverTimeAs: 'number',
  batchIndexFrom: 0,
  batchErrors: 'prose',
  codeStatus: 'ours',
  retryAfterAs: 'seconds',
  tradesAs: 'newestFirst',
  tradesShow: 'settled',
  revokedSession: 'close',
  publicReads: 'open',
};

/** Everything at once as the older reference shows it. */
export const OLDER_DIALECT: Dialect = {
  ...CURRENT_DIALECT,
  eventsAs: 'array',
  statusCase: 'upper',
  numbersAs: 'number',
  failureCodes: false,
  orderTypeField: 'orderType',
  bookExtras: true,
  settledFrame: 'short',
  summaryFrame: 'older',
  outcomeNames: 'upper',
  outcomeOrder: 'yesFirst',
};
