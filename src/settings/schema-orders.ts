// How target quotes become orders: requotes, dates, the write budget.

import { GTD_DEFAULTS, RESERVE_PART } from '../domain/input.ts';
import { flag, number, oneOf, section, whole } from './keys.ts';

/** Order writes of one API-key account in 10 s, as the venue publishes it. @spec Limits */
export const VENUE_WRITES_PER_10_S = 300;

const REQUOTE = section('When a resting order gives up its place in the queue.', {
  policy: oneOf({
    doc: 'value: when that is worth more than the place; distance: whenever tolerance is exceeded.',
    words: ['value', 'distance'],
    default: 'value',
    applies: 'live',
  }),
  driftTicksMax: whole({
    doc: 'Furthest an order may stay behind its target quotes; three times as many ticks of 0.001. Where no value of its place is known and half of writesPer10s is free, it moves after about a second.',
    unit: 'ticks',
    min: 0,
    max: 50,
    default: 1,
    applies: 'live',
  }),
  writeCostUsdc: number({
    doc: 'What one order write is worth.',
    unit: 'USDC',
    min: 0,
    max: 10,
    default: 0.001,
    applies: 'live',
  }),
  marginUsdc: number({
    doc: 'Gain per share below which nothing moves.',
    unit: 'USDC per share',
    min: 0,
    max: 1,
    default: 0.0003,
    applies: 'live',
  }),
});

const GTD = section('Dates of GTD quotes: how long a quote outlives its host, and its renewal.', {
  lifetimeMs: whole({
    doc: 'The longest that a quote rests without being renewed.',
    unit: 'ms',
    min: 75_000,
    max: 86_400_000,
    default: GTD_DEFAULTS.lifetimeMs,
    applies: 'live',
  }),
  renewMs: whole({
    doc: 'A quote is renewed this long before the end that it is expected to have.',
    unit: 'ms',
    min: 5_000,
    max: 3_600_000,
    default: GTD_DEFAULTS.renewMs,
    applies: 'live',
  }),
  staggerPart: number({
    doc: 'Dates are spread over this part of the lifetime, so that renewals do not come together.',
    unit: 'parts of 1',
    min: 0,
    max: 0.5,
    default: GTD_DEFAULTS.staggerPart,
    applies: 'live',
  }),
  marginMs: whole({
    doc: 'A date lies at least a minute ahead and this much more; refusals add to it.',
    unit: 'ms',
    min: 1_000,
    max: 600_000,
    default: GTD_DEFAULTS.marginMs,
    applies: 'live',
  }),
  renewal: oneOf({
    doc: 'overlap: the new quote rests before the old one goes, limits counting both; replace: after.',
    words: ['overlap', 'replace'],
    default: GTD_DEFAULTS.renewal,
    applies: 'live',
  }),
});

export const ORDERS = section('How target quotes become orders.', {
  timeInForce: oneOf({
    doc: 'GTC quotes rest until they are cancelled, GTD ones die by themselves unless renewed.',
    words: ['GTC', 'GTD'],
    default: 'GTC',
    applies: 'live',
  }),
  gtd: GTD,
  priceToleranceTicks: whole({
    doc: 'An order this near to the wanted price keeps its queue place.',
    unit: 'ticks',
    min: 0,
    max: 50,
    default: 0,
    applies: 'live',
  }),
  sizeTolerance: number({
    doc: 'Difference of size that a resting order may keep, relative to the target quotes.',
    unit: 'parts of 1',
    min: 0,
    max: 1,
    default: 0.2,
    applies: 'live',
  }),
  writesPer10s: whole({
    doc: 'Order writes allowed in any 10 s window; the rest of the venue limit is reserve.',
    unit: 'requests',
    min: 1,
    max: VENUE_WRITES_PER_10_S,
    default: 240,
    applies: 'live',
  }),
  reservePart: number({
    doc: 'Part of writesPer10s that improvements leave, at least, to bare sides and to bringing positions down; more with many markets.',
    unit: 'parts of 1',
    min: 0,
    max: 0.5,
    default: RESERVE_PART,
    applies: 'live',
  }),
  gatherMs: whole({
    doc: 'How long a placement may wait for others to share its write; one for a side without any order does not wait.',
    unit: 'ms',
    min: 0,
    max: 1_000,
    default: 20,
    applies: 'live',
  }),
  requote: REQUOTE,
  armedCancels: flag({
    doc: 'Cancel quotes that a frame of the book makes wrong before the frame is decided on.',
    default: true,
    applies: 'live',
  }),
  armedPlacements: flag({
    doc: 'Place what replaces such quotes with them, where targets followed the middle; only beside armedCancels.',
    default: true,
    applies: 'live',
  }),
  quietFeedMs: whole({
    doc: 'After so long without any frame a new order keeps a tick more from the other side.',
    unit: 'ms',
    min: 100,
    max: 600_000,
    default: 1_000,
    applies: 'live',
  }),
  preferSell: flag({
    doc: 'Rest a SELL of settled shares rather than a BUY of the complement. Where complete sets fill half of maxPositionShares it rests all the same: bids would fill the rest, and then no side is quoted.',
    default: true,
    applies: 'live',
  }),
  scope: oneOf({
    doc: 'What start, pause, kill, shutdown and the guard cancel: every order of the account, or only those sent from here. With account an order leaves before its intent is on the disk, since a start clears what a power cut has made it forget; with own it waits for the disk.',
    words: ['account', 'own'],
    default: 'account',
    applies: 'live',
  }),
  externalOrders: oneOf({
    doc: 'Orders of the account that were never sent from here: cancelled, or kept where wanted.',
    words: ['cancel', 'adopt'],
    default: 'cancel',
    applies: 'live',
  }),
});
