// Every error code: provoked at the venue, held to its status, and seen to arrive in the client as
// the same code, with a stated consequence.
// @spec Errors

import { type Answer, CardFailure, holds, refusal, seen } from '../../../src/cli/doctor/card.ts';
import { textAt } from '../../../src/cli/doctor/shape.ts';
import { CODE_CONSEQUENCES, isVenueCode, type VenueCode } from '../../../src/domain/codes.ts';
import { intentId } from '../../../src/domain/ids.ts';
import type { LimitOrder } from '../../../src/domain/order.ts';
import { shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { UNCERTAIN_CODES, VENUE_CODES } from '../../../src/wire/codes.ts';
import { type EmbeddedCard, embedded } from '../bench/bench.ts';
import { ANN_MARKET, type Lab, type LabVenue, RAIN_MARKET, soon, YES } from '../bench/lab.ts';

type Provocation = (venue: LabVenue) => Promise<Answer>;

const READ = '/portfolio/balances';
const UNKNOWN_HASH = `0x${'e'.repeat(64)}`;

/** What brings each code about; a code without a row does not compile. */
export const PROVOCATIONS: Readonly<Record<VenueCode, Provocation>> = {
  invalid_request: async ({ rest }) => await rest.ask('POST', '/orders', { rawBody: '{' }),
  missing_parameter: async (venue) => await venue.place({ side: undefined }),
  invalid_parameter: async (venue) => await venue.place({ side: 'HOLD' }),
  invalid_price: async (venue) => await venue.place({ price: 'cheap' }),
  tick_size_violation: async (venue) => await venue.place({ price: 0.405 }),
  price_out_of_range: async (venue) => await venue.place({ price: 1.2 }),
  invalid_quantity: async (venue) => await venue.place({ quantity: -1 }),
  below_min_notional: async (venue) => await venue.place({ price: 0.01, quantity: 10 }),
  missing_credentials: async ({ rest }) => await rest.get(READ),
  unknown_api_key: async (venue) => {
    const old = venue.keys;
    venue.venue.regenerate('maker');
    return await venue.rest.ask('GET', READ, { as: old });
  },
  invalid_signature: async ({ rest }) => await rest.ask('GET', READ, { signedPath: `/api${READ}` }),
  invalid_passphrase: async ({ rest, keys }) =>
    await rest.ask('GET', READ, { as: { ...keys, apiPassphrase: 'another' } }),
  expired_timestamp: async (venue) => {
    venue.venue.faults.shiftClock(120_000);
    return await venue.rest.signedGet(READ);
  },
  account_restricted: async (venue) => {
    venue.venue.exchange.accounts.named('maker').isRestricted = true;
    return await venue.place();
  },
  geo_restricted: async (venue) => {
    venue.venue.exchange.accounts.named('maker').isGeoRestricted = true;
    return await venue.place();
  },
  market_not_found: async ({ rest }) => await rest.delete('/orders?marketId=nowhere'),
  token_not_found: async (venue) => await venue.place({ tokenId: RAIN_MARKET.yes.id }),
  order_not_found: async ({ rest }) => await rest.delete(`/orders/${UNKNOWN_HASH}`),
  order_not_cancellable: async (venue) => {
    const orderHash = await venue.rests();
    await venue.rest.delete('/orders');
    return await venue.rest.delete(`/orders/${orderHash}`);
  },
  duplicate_client_order_id: async (venue) => {
    await venue.place({ clientOrderId: 'mine-1' });
    return await venue.place({ clientOrderId: 'mine-1' });
  },
  // No endpoint of the interface creates a named resource, so the venue is told to say it.
  already_exists: async (venue) => await planned(venue, 'already_exists'),
  insufficient_balance: async (venue) => await venue.place({ quantity: 900_000 }),
  insufficient_shares: async (venue) => await venue.place({ side: 'SELL' }),
  max_open_orders: async (venue) => {
    await venue.rests();
    await venue.rests();
    return await venue.place();
  },
  market_closed: async (venue) => {
    venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'closed');
    return await venue.place();
  },
  market_paused: async (venue) => {
    venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'paused');
    return await venue.place();
  },
  market_resolved: async (venue) => {
    venue.venue.desk.resolve(ANN_MARKET.id, ANN_MARKET.yes.tokenId);
    return await venue.place({ tokenId: ANN_MARKET.yes.tokenId });
  },
  no_liquidity: async ({ rest }) => {
    const body = { tokenId: YES, side: 'BUY', maxSpend: '5' };
    return await rest.post('/orders/market', body);
  },
  rate_limited: async (venue) => {
    for (let count = 0; count < 5; count += 1) await venue.place();
    return await venue.place();
  },
  internal_error: async (venue) => await failing(venue, 500),
  service_unavailable: async (venue) => await failing(venue, 503),
  maintenance: async (venue) => await planned(venue, 'maintenance'),
};

/** The codes that need a venue with less room than the published limits. */
async function venueFor(lab: Lab, code: VenueCode): Promise<LabVenue> {
  if (code === 'max_open_orders') return await lab.start({ rules: { openOrdersMax: 2 } });
  if (code !== 'rate_limited') return await lab.start();
  return await lab.start({ budgets: { keyWrites: { count: 5, windowMs: 10_000 } } });
}

async function planned(venue: LabVenue, code: VenueCode): Promise<Answer> {
  venue.venue.faults.plan({ path: '/portfolio', action: { kind: 'refuse', code } });
  return await venue.rest.signedGet(READ);
}

async function failing(venue: LabVenue, status: number): Promise<Answer> {
  venue.venue.faults.plan({ path: '/portfolio', action: { kind: 'failBefore', status } });
  return await venue.rest.signedGet(READ);
}

async function confirmCode(lab: Lab, code: VenueCode): Promise<string> {
  const answer = await PROVOCATIONS[code](await venueFor(lab, code));
  refusal(answer, code);
  const statuses: readonly number[] = VENUE_CODES[code];
  holds(statuses.includes(answer.status), `${statuses.join(' or ')} expected, ${seen(answer)}`);
  holds(code !== 'rate_limited' || answer.headers['retry-after'] !== undefined, 'Retry-After');
  await arrives(lab, code);
  return `${answer.status}, ${CODE_CONSEQUENCES[code]}`;
}

/** The same code said to an order and to a read of the client. */
async function arrives(lab: Lab, code: VenueCode): Promise<void> {
  const venue = await lab.start();
  const client = venue.client();
  const plan = (path: string, times: number) =>
    venue.venue.faults.plan({ path, times, action: { kind: 'refuse', code } });
  plan('/orders', 1);
  const [placed] = await client.placeOrders([bid()]);
  if (UNCERTAIN_CODES.includes(code)) {
    // A server that failed may have taken the order first, and one that has it already did.
    holds(placed?.kind === 'unknown', `unknown expected for an order, seen ${placed?.kind}`);
  } else {
    holds(placed?.kind === 'refused', `refused expected for an order, seen ${placed?.kind}`);
    holds(placed.refusal.code === code, `the code expected, seen ${placed.refusal.code}`);
  }
  const { data } = await venue.rest.signedGet('/orders');
  holds(Array.isArray(data) && data.length === 0, 'it was sent once and nothing rests');
  // A cured signature is tried once more, so both tries are refused.
  plan('/portfolio', 2);
  const read = await client.readBalances();
  holds(read.kind === 'refused', `refused expected for a read, seen ${read.kind}`);
  holds(read.refusal.code === code, `the code expected, seen ${read.refusal.code}`);
}

function bid(): LimitOrder {
  return {
    intentId: intentId('i-1'),
    tokenId: YES,
    side: 'BUY',
    price: ticks(tickGrid('0.01'), 40),
    quantity: shares(10),
    lifetime: { timeInForce: 'GTC' },
  };
}

const CODES = Object.keys(CODE_CONSEQUENCES).filter(isVenueCode);

const EACH_CODE: readonly EmbeddedCard[] = CODES.map((code, index) => ({
  kind: 'embedded',
  needs: 'failures',
  id: `C-${200 + index}`,
  title: `${code} is said by the venue and arrives as such`,
  spec: 'Errors',
  of: ['venue', 'client'],
  covers: [`code ${code}`],
  run: async (lab) => await confirmCode(lab, code),
}));

export const CODE_CARDS: readonly EmbeddedCard[] = [
  ...EACH_CODE,
  ...embedded(
    'failures',
    {
      id: 'C-240',
      title: 'the prose of a batch item is a refusal without a code, even where it looks like one',
      spec: 'Errors',
      of: ['client'],
      covers: ['rule Errors 2', 'bullet Batch and cancel results 1'],
      run: async (lab) => {
        const venue = await lab.start();
        const sell = { ...bid(), intentId: intentId('i-2'), side: 'SELL' as const };
        const outcomes = await venue.client().placeOrders([bid(), sell]);
        holds(outcomes[0]?.kind === 'accepted', 'the good one is placed');
        const [, refused] = outcomes;
        if (refused?.kind !== 'refused') throw new CardFailure('the bad one is refused');
        holds(refused.refusal.code === undefined, 'without a code');
        holds(refused.refusal.message !== '', 'with its words');
        return refused.refusal.message;
      },
    },
    {
      id: 'C-241',
      title: 'a 429 closes the lane of the client until Retry-After is over, bulk cancels excepted',
      spec: 'Limits',
      of: ['client'],
      covers: ['rule Limits 2', 'limit Bulk cancels'],
      run: async (lab) => {
        const venue = await lab.start();
        const client = venue.client();
        venue.venue.faults.plan({
          path: '/orders',
          action: { kind: 'refuse', code: 'rate_limited', retryAfterSec: 5 },
        });
        const [first] = await client.placeOrders([bid()]);
        holds(first?.kind === 'refused' && first.refusal.retryAfterMs === 5_000, 'five seconds');
        const [second] = await client.placeOrders([bid()]);
        holds(second?.kind === 'notSent', `not sent meanwhile, seen ${second?.kind}`);
        const cancel = await client.cancelAll({ kind: 'account' });
        holds(cancel.kind === 'accepted', 'the kill switch does not wait');
        return undefined;
      },
    },
    {
      id: 'C-242',
      needs: 'keys',
      title: 'new credentials kill the old key and its live socket at once',
      spec: 'Credentials',
      covers: ['text Credentials 2', 'code unknown_api_key'],
      run: async (lab) => {
        const venue = await lab.start();
        const old = venue.keys;
        const socket = await venue.socket(old);
        const fresh = venue.venue.regenerate('maker');
        await soon('the end of the socket', () => socket.isClosed);
        refusal(await venue.rest.ask('GET', READ, { as: old }), 'unknown_api_key');
        const again = await venue.rest.ask('GET', READ, { as: fresh });
        holds(textAt(again.data, 'cashBalance') === '10000', 'the new ones open the same account');
        const later = await venue.socket();
        await later.authenticate(fresh);
        return undefined;
      },
    },
  ),
];
