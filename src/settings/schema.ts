// The configuration key by key. What a key means, its unit, bounds and default are stated once,
// here; validation, `--help` and the documentation follow.

import { number, oneOf, section, text, whole } from './keys.ts';
import { marketList, type StrategySpecs } from './markets.ts';

import { BACKTEST } from './schema-backtest.ts';
import { FEEDS } from './schema-feeds.ts';
import { GUARD } from './schema-guard.ts';
import { ORDERS } from './schema-orders.ts';
import { PAPER } from './schema-paper.ts';
import { HTTP, JOURNAL, LOGGING } from './schema-process.ts';
import { RISK } from './schema-risk.ts';
import { TRUST } from './schema-trust.ts';

export type SettingsSchema = ReturnType<typeof settingsSchema>;

/** The whole schema; the parameters of a market depend on its strategy. */
export function settingsSchema(strategies: StrategySpecs) {
  return section('The configuration of the daemon.', {
    venue: VENUE,
    markets: marketList(strategies),
    risk: RISK,
    capital: CAPITAL,
    account: ACCOUNT,
    orders: ORDERS,
    book: BOOK,
    trust: TRUST,
    timing: TIMING,
    feeds: FEEDS,
    http: HTTP,
    journal: JOURNAL,
    logging: LOGGING,
    guard: GUARD,
    paper: PAPER,
    backtest: BACKTEST,
  });
}

/** What a kill needs: a mistake anywhere else in the file must not keep it from cancelling. */
export function killSchema() {
  return section('What a kill needs.', {
    venue: VENUE,
    timing: TIMING,
    http: HTTP,
    journal: JOURNAL,
  });
}

/** What the guard needs: the kill path, how to watch the trader, and where to say what it did. */
export function guardSchema() {
  return section('What the guard needs.', {
    venue: VENUE,
    timing: TIMING,
    http: HTTP,
    journal: JOURNAL,
    logging: LOGGING,
    guard: GUARD,
  });
}

/** What a guard tells its traders: they trade with what it has read, not with what the file says later. */
export function heldSchema() {
  return section('What a guard and its traders share.', {
    venue: VENUE,
    http: HTTP,
    journal: JOURNAL,
    logging: LOGGING,
    guard: GUARD,
  });
}

const VENUE = section('The venue to trade on, and how its limits are shared.', {
  baseUrl: text({
    doc: 'REST base address; its path ends in the /api prefix.',
    unit: 'URL',
    rule: 'an http:// or https:// address that ends in /api, without user, query or fragment',
    pattern: /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?\/api\/?$/,
    default: 'http://127.0.0.1:8787/api',
    env: 'VENUE_BASE_URL',
    applies: 'restart',
  }),
  wsUrl: text({
    doc: 'WebSocket address.',
    unit: 'URL',
    rule: 'a ws:// or wss:// address without user, query or fragment',
    pattern: /^wss?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/,
    default: 'ws://127.0.0.1:8787/ws',
    env: 'VENUE_WS_URL',
    applies: 'restart',
  }),
  writeShare: number({
    doc: "Part of the account's order writes that this instance may use.",
    unit: 'parts of 1',
    min: 0.01,
    max: 1,
    default: 1,
    applies: 'restart',
  }),
  readShare: number({
    doc: "Part of the account's reads that this instance may use.",
    unit: 'parts of 1',
    min: 0.01,
    max: 1,
    default: 0.5,
    applies: 'restart',
  }),
  signReads: oneOf({
    doc: 'Which public reads carry a signature: all but the time (always), or none before the venue asks for one or limits reads without (asked). Signed ones count by account, to a stated limit; what is not stated is how many it takes of an address. Where it does not take the signature they leave without.',
    words: ['asked', 'always'],
    default: 'always',
    applies: 'restart',
  }),
  connectTimeoutMs: whole({
    doc: 'A connection that is not established by then is given up.',
    unit: 'ms',
    min: 100,
    max: 60_000,
    default: 3_000,
    applies: 'restart',
  }),
  requestTimeoutMs: whole({
    doc: 'A request without its whole answer by then is given up; a placement is unknown from there.',
    unit: 'ms',
    min: 100,
    max: 60_000,
    default: 10_000,
    applies: 'restart',
  }),
  silenceTimeoutMs: whole({
    doc: 'A socket without any traffic for so long is dropped and opened anew.',
    unit: 'ms',
    min: 1_000,
    max: 300_000,
    default: 15_000,
    applies: 'restart',
  }),
});

const CAPITAL = section('How markets share the cash of the account.', {
  policy: oneOf({
    doc: 'shared: any market may bind all of it; weighted: each has its part of all capitalWeight.',
    words: ['shared', 'weighted'],
    default: 'shared',
    applies: 'live',
  }),
});

const ACCOUNT = section('The account, and who else trades on it.', {
  conflict: oneOf({
    doc: 'Where orders that were never sent from here keep coming: halt cancels own orders and waits for an operator; own-scope goes on and leaves the others alone; yield only reduces until they are gone.',
    words: ['halt', 'own-scope', 'yield'],
    default: 'halt',
    applies: 'live',
  }),
});

const BOOK = section('The order books that are mirrored.', {
  depth: whole({
    doc: 'Levels of each side that are subscribed.',
    unit: 'levels',
    min: 1,
    max: 200,
    default: 50,
    // A mirror knows of as many levels as it was made for: reported fewer, it would take what has left the
    // venue's window for levels that still rest.
    applies: 'restart',
  }),
  unified: oneOf({
    doc: 'Whether the venue shows one book twice (an order to buy YES at p is an ask of NO at 1 - p too), so that own orders are taken out of both and each level counts once; `auto` learns it from where own orders show.',
    words: ['auto', 'on', 'off'],
    default: 'auto',
    applies: 'live',
  }),
});

const TIMING = section('Periods and patience.', {
  reconcileMs: whole({
    doc: 'Period of reading the open orders.',
    unit: 'ms',
    min: 500,
    max: 300_000,
    default: 5_000,
    applies: 'live',
  }),
  balancesMs: whole({
    doc: 'Period of reading cash and positions.',
    unit: 'ms',
    min: 500,
    max: 300_000,
    default: 10_000,
    applies: 'live',
  }),
  tradesMs: whole({
    doc: 'Period of reading the history of settled trades, which tells what a lost frame would have; 0 reads none.',
    unit: 'ms',
    min: 0,
    max: 300_000,
    default: 10_000,
    applies: 'live',
  }),
  catalogueMs: whole({
    doc: 'Period of reading events and markets again.',
    unit: 'ms',
    min: 1_000,
    max: 3_600_000,
    default: 60_000,
    applies: 'live',
  }),
  unknownHorizonMs: whole({
    // The venue takes a signed request for 30 s, so a verdict before that may be wrong.
    doc: 'A placement without an answer may still arrive this long after it was signed.',
    unit: 'ms',
    min: 30_000,
    max: 600_000,
    default: 45_000,
    applies: 'live',
  }),
  unknownSlotMs: whole({
    doc: 'A placement without an answer keeps its place in the ladder this long, or twice the slowest acceptance seen; one that arrives later is cancelled.',
    unit: 'ms',
    min: 1_000,
    max: 600_000,
    default: 8_000,
    applies: 'live',
  }),
  positionLagMs: whole({
    doc: 'Positions read over REST may lag a fill this long.',
    unit: 'ms',
    min: 0,
    max: 3_600_000,
    default: 150_000,
    applies: 'live',
  }),
  proofQuietMs: whole({
    doc: 'A kill is confirmed when the account shows no open order for this long.',
    unit: 'ms',
    min: 200,
    max: 120_000,
    default: 2_500,
    applies: 'live',
  }),
  proofDeadlineMs: whole({
    doc: 'A kill or shutdown of the daemon that is not confirmed by then says so; `bookend kill` ends by its own --deadline.',
    unit: 'ms',
    min: 1_000,
    max: 600_000,
    default: 20_000,
    applies: 'live',
  }),
});
