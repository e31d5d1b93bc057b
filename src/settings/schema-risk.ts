// Limits and automatic controls, key by key; the defaults of the controls are the core's own.
// README.md has the table of what each does and how it comes back.

import { RISK_ACTIONS, type RiskAction, RISK_CONTROL_DEFAULTS as USUAL } from '../domain/risk.ts';
import { number, oneOf, section, whole } from './keys.ts';

const applies = 'live';
const DAY_MS = 86_400_000;
const USDC_MAX = 10_000_000;

const usdc = (doc: string, usual: number) =>
  number({ doc, unit: 'USDC', min: 0, max: USDC_MAX, default: usual, applies });

const price = (doc: string, usual: number) =>
  number({ doc, unit: 'USDC per share', min: 0, max: 1, default: usual, applies });

const duration = (doc: string, usual: number, min = 0) =>
  whole({ doc, unit: 'ms', min, max: DAY_MS, default: usual, applies });

const count = (doc: string, unit: string, usual: number) =>
  whole({ doc, unit, min: 0, max: 1_000_000, default: usual, applies });

const action = (doc: string, usual: RiskAction) =>
  oneOf({ doc, words: RISK_ACTIONS, default: usual, applies });

const THEN = 'What it does then.';
const coolOffMs = (usual: number) =>
  duration('It comes back by itself after so long; killed only by an operator.', usual, 1_000);
const intervalMs = (usual: number) => duration('The time in which they are counted.', usual, 1_000);

const COLLAR = section('How far the price of an order may be from what is known.', {
  fairThrough: price(
    'Beyond the fair value, or what the other side of the book shows at best; 0 turns it off.',
    USUAL.collar.fairThrough,
  ),
  fairAway: price(
    'From the fair value, or the best of others, on its own side; 0 turns it off.',
    USUAL.collar.fairAway,
  ),
  tradesThrough: price(
    'Beyond the range of the last trades towards the other side; 0 turns it off.',
    USUAL.collar.tradesThrough,
  ),
  tradesAway: price('From that range on its own side; 0 turns it off.', USUAL.collar.tradesAway),
  tradesMs: duration('Trades older than this say nothing.', USUAL.collar.tradesMs, 1_000),
  blind: oneOf({
    doc: 'Orders where no collar that is on knows what is right, value or trades: held back, or allowed.',
    words: ['hold', 'allow'],
    default: USUAL.collar.blind,
    applies,
  }),
});

const LOSS = section('Losses at the last trusted prices, with baselines that outlive a restart.', {
  sessionUsdc: usdc(
    "Since the first start of the journal or an operator's resume from it; 0 turns it off.",
    USUAL.loss.sessionUsdc,
  ),
  sessionAction: action('What a session loss does.', USUAL.loss.sessionAction),
  dayUsdc: usdc('Since the day began; 0 turns it off.', USUAL.loss.dayUsdc),
  dayAction: action('What a day loss does, until the next day.', USUAL.loss.dayAction),
  dayStartsAtHour: whole({
    doc: 'Hour of UTC at which a day begins.',
    unit: 'hours',
    min: 0,
    max: 23,
    default: USUAL.loss.dayStartsAtHour,
    applies,
  }),
  drawdownUsdc: usdc(
    'From the highest profit that stood for five seconds to now; 0 turns it off.',
    USUAL.loss.drawdownUsdc,
  ),
  drawdownAction: action('What a drawdown does.', USUAL.loss.drawdownAction),
  warnPart: number({
    doc: 'Part of these three from which warnAction applies; 1 turns it off.',
    unit: 'parts of 1',
    min: 0.1,
    max: 1,
    default: USUAL.loss.warnPart,
    applies,
  }),
  warnAction: action('What being near a loss limit does.', USUAL.loss.warnAction),
  unmarkedMs: duration(
    'A position may be without a trusted price this long; 0 turns it off. So long may the profit be unknown where a loss is limited, or a minute where this is 0.',
    USUAL.loss.unmarkedMs,
  ),
  unmarkedAction: action(
    'What such a position does, or such a profit to the account.',
    USUAL.loss.unmarkedAction,
  ),
});

const ORDER_RATE = section('A runaway of placements.', {
  orders: count('Orders placed in the interval; 0 turns it off.', 'orders', USUAL.orderRate.orders),
  intervalMs: intervalMs(USUAL.orderRate.intervalMs),
  action: action(THEN, USUAL.orderRate.action),
  coolOffMs: coolOffMs(USUAL.orderRate.coolOffMs),
});

const FILL_BURST = section('Fills that come faster than anybody can have meant.', {
  marketFills: count('Of one market; 0 turns it off.', 'fills', USUAL.fillBurst.marketFills),
  marketShares: count('Of one market; 0 turns it off.', 'shares', USUAL.fillBurst.marketShares),
  accountFills: count('Of the account; 0 turns it off.', 'fills', USUAL.fillBurst.accountFills),
  accountShares: count('Of the account; 0 turns it off.', 'shares', USUAL.fillBurst.accountShares),
  intervalMs: intervalMs(USUAL.fillBurst.intervalMs),
  action: action(THEN, USUAL.fillBurst.action),
  coolOffMs: coolOffMs(USUAL.fillBurst.coolOffMs),
});

const REFUSALS = section('The venue refuses with the same code again and again.', {
  side: count('Of one side of a market; 0 turns it off.', 'refusals', USUAL.refusals.side),
  market: count('Of one market; 0 turns it off.', 'refusals', USUAL.refusals.market),
  account: count('Of the account; 0 turns it off.', 'refusals', USUAL.refusals.account),
  intervalMs: intervalMs(USUAL.refusals.intervalMs),
  action: action('What they do; a side alone just rests.', USUAL.refusals.action),
  coolOffMs: coolOffMs(USUAL.refusals.coolOffMs),
});

const SETTLEMENTS = section('Trades that fail on the chain.', {
  failures: count(
    'Failed settlements in the interval; 0 turns it off.',
    'trades',
    USUAL.settlements.failures,
  ),
  intervalMs: intervalMs(USUAL.settlements.intervalMs),
  action: action(THEN, USUAL.settlements.action),
  coolOffMs: coolOffMs(USUAL.settlements.coolOffMs),
});

const BLIND = section('Own fills and cancels cannot be seen.', {
  forMs: duration(
    'After so long without the user channel the account is swept, and after so long and a minute at least without open orders or balances; 0 turns both off.',
    USUAL.blind.forMs,
  ),
});

const DIVERGENCE = section('Our ledger and the venue do not agree.', {
  cashUsdc: usdc('Cash that nothing explains; 0 turns it off.', USUAL.divergence.cashUsdc),
  forMs: duration(
    'Cash, a position or an order may differ this long; 0 turns all three off.',
    USUAL.divergence.forMs,
  ),
  action: action(THEN, USUAL.divergence.action),
});

const CLOCK = section("The machine's clock against the venue's.", {
  offsetMsMax: duration('Largest offset; 0 turns it off.', USUAL.clock.offsetMsMax),
  driftMsMax: duration(
    'Largest move of the offset between two measurements; 0 turns it off.',
    USUAL.clock.driftMsMax,
  ),
  action: action(THEN, USUAL.clock.action),
  coolOffMs: coolOffMs(USUAL.clock.coolOffMs),
});

export const RISK = section('Limits that no strategy can exceed, and automatic controls.', {
  maxPositionShares: number({
    doc: 'Largest position in one outcome token, and largest net position of one market.',
    unit: 'shares',
    min: 0,
    max: 1_000_000,
    default: 500,
    applies,
  }),
  maxUncertainShares: number({
    doc: 'Shares of one token that may have traded without a report before its market stops adding; 0 is half of maxPositionShares.',
    unit: 'shares',
    min: 0,
    max: 1_000_000,
    default: 0,
    applies,
  }),
  maxNetShares: number({
    doc: 'Largest net position of one market, where it should be less than maxPositionShares.',
    unit: 'shares',
    min: 0,
    max: 1_000_000,
    default: 1_000_000,
    applies,
  }),
  maxOrderNotionalUsdc: number({
    doc: 'Largest value of one order, price times quantity.',
    unit: 'USDC',
    min: 1,
    max: 1_000_000,
    default: 100,
    applies,
  }),
  maxOrderShares: number({
    doc: 'Largest quantity of one order.',
    unit: 'shares',
    min: 1,
    max: 1_000_000,
    default: 10_000,
    applies,
  }),
  maxOpenOrders: whole({
    doc: 'Most orders of the account that may be live together.',
    unit: 'orders',
    min: 1,
    max: 2_000,
    default: 200,
    applies,
  }),
  maxMarketOpenOrders: whole({
    doc: 'Most orders of one market that may be live together.',
    unit: 'orders',
    min: 1,
    max: 2_000,
    default: 200,
    applies,
  }),
  maxOpenNotionalUsdc: number({
    doc: 'Largest value of all orders together that may be live.',
    unit: 'USDC',
    min: 1,
    max: 100_000_000,
    default: 20_000,
    applies,
  }),
  maxLossUsdc: number({
    doc: 'Largest loss of the session, and worst case over every outcome of what is held and live.',
    unit: 'USDC',
    min: 1,
    max: USDC_MAX,
    default: 250,
    applies,
  }),
  maxEventLossUsdc: usdc(
    'Largest worst case of one event over its outcomes; 0 leaves it to maxLossUsdc.',
    0,
  ),
  widenPrice: price('How far quotes move back at the level widen.', USUAL.widenPrice),
  collar: COLLAR,
  loss: LOSS,
  orderRate: ORDER_RATE,
  fillBurst: FILL_BURST,
  refusals: REFUSALS,
  settlements: SETTLEMENTS,
  blind: BLIND,
  divergence: DIVERGENCE,
  clock: CLOCK,
});
