// Each error code said to a placement of the real daemon, and what follows from it: the consequence that
// `src/domain/codes.ts` states and `src/wire/README.md` explains.
// @spec Errors

import { holds } from '../../../src/cli/doctor/card.ts';
import {
  CODE_CONSEQUENCES,
  type Consequence,
  isVenueCode,
  type VenueCode,
} from '../../../src/domain/codes.ts';
import type { CredentialsProvider } from '../../../src/venue/options.ts';
import { UNCERTAIN_CODES } from '../../../src/wire/codes.ts';
import { type EmbeddedCard, ofDaemon } from '../bench/bench.ts';
import { TestDaemon } from '../bench/daemon.ts';
import { type Lab, type LabVenue, NO, secretsOf } from '../bench/lab.ts';
import { same } from '../bench/written.ts';

const CODES = Object.keys(CODE_CONSEQUENCES).filter(isVenueCode);

const ABOUT_ORDERS: readonly Consequence[] = ['stopSide', 'stopMarket', 'reconcile'];

type Refused = {
  readonly venue: LabVenue;
  readonly daemon: TestDaemon;
  readonly code: VenueCode;
  readonly reloads: () => number;
};

async function refusedOnce(lab: Lab, code: VenueCode): Promise<Refused> {
  const venue = await lab.start();
  venue.crowd('BUY', '0.40', 500);
  venue.crowd('BUY', '0.40', 500, { tokenId: NO });
  // What may be about one order of a batch is asked again by an order of each side alone.
  const isOfOne = ABOUT_ORDERS.includes(CODE_CONSEQUENCES[code]) && !UNCERTAIN_CODES.includes(code);
  const action = { kind: 'refuse', code } as const;
  venue.venue.faults.plan({ method: 'POST', path: '/orders', times: isOfOne ? 3 : 1, action });
  const { provider, reloads } = countingCredentials(venue);
  const daemon = new TestDaemon(venue.venue, { credentials: provider });
  lab.atEnd(async () => await daemon.stop());
  await daemon.until('the answer to a placement', () => {
    return daemon.of('order.refused').length > 0 || daemon.of('order.unknown').length > 0;
  });
  return { venue, daemon, code, reloads };
}

function countingCredentials({ keys }: LabVenue) {
  let reloads = 0;
  const provider: CredentialsProvider = {
    current: () => secretsOf(keys),
    reload: () => {
      reloads += 1;
      return Promise.resolve(false);
    },
  };
  return { provider, reloads: () => reloads };
}

/** Both sides say the code, which each learns by an order that goes alone. */
async function bothSidesSay({ daemon, code }: Refused): Promise<void> {
  // That its outcome is known, a frame or the catalogue says; a rejection, that it does not trade.
  const said = code === 'market_resolved' ? 'market_closed' : code;
  await daemon.until('its reasons', () => daemon.reasons().every((reason) => reason === said));
}

/** What each consequence looks like from outside. */
const FOLLOWS: Readonly<Record<Consequence, (refused: Refused) => Promise<void>>> = {
  stopSide: async (refused) => {
    if (refused.code === 'insufficient_shares') {
      // Nothing was sold, so nothing is wrong with the side: it is quoted by the other leg.
      await refused.daemon.untilQuoting();
      return;
    }
    await bothSidesSay(refused);
  },
  stopMarket: bothSidesSay,
  reconcile: bothSidesSay,
  backOff: async (refused) => {
    if (refused.code !== 'rate_limited') {
      await bothSidesSay(refused);
      return;
    }
    // The budget waits instead of the sides, and quotes by itself when the wait is over.
    holds(refused.daemon.of('venue.rate_limited').length > 0, 'it says that it waits');
    await refused.daemon.untilQuoting();
  },
  resyncClock: async (refused) => {
    await bothSidesSay(refused);
    const { clockOffsetMs } = refused.daemon.view().connection;
    holds(clockOffsetMs !== undefined, 'the clock is measured');
  },
  reloadCredentials: async (refused) => {
    await bothSidesSay(refused);
    holds(refused.reloads() > 0, 'the credentials are read again');
  },
  reduceOnly: async ({ daemon }) => {
    await daemon.until('reduce-only', () => daemon.view().risk?.level === 'reduce-only');
    // One order asks again after a minute; an operator need not wait.
    daemon.operator('resume');
    await daemon.untilQuoting();
  },
  retry: async ({ daemon }) => await daemon.untilQuoting(),
};

async function follows(lab: Lab, code: VenueCode): Promise<string> {
  const refused = await refusedOnce(lab, code);
  const isUncertain = UNCERTAIN_CODES.includes(code);
  const event = isUncertain ? 'order.unknown' : 'order.refused';
  holds(refused.daemon.of(event).length > 0, `${event} is reported`);
  // Nobody can tell what was done of it, so nothing is placed again until a list says so.
  await (isUncertain ? FOLLOWS.retry : FOLLOWS[CODE_CONSEQUENCES[code]])(refused);
  return CODE_CONSEQUENCES[code];
}

export const DAEMON_CODE_CARDS: readonly EmbeddedCard[] = [
  ...CODES.flatMap((code, index) =>
    ofDaemon('failures', {
      id: `C-${400 + index}`,
      title: `the daemon, told ${code}, does what its consequence says`,
      spec: 'Errors',
      covers: [`code ${code}`],
      run: async (lab) => await follows(lab, code),
    }),
  ),
  ...ofDaemon('readings', {
    id: 'C-440',
    title:
      'a refusal without a code stops the sides, and the next placement goes alone to learn it',
    spec: 'Errors',
    covers: ['rule Errors 2', 'rule POST /orders 4', 'text Resources and their fields 1'],
    run: async (lab) => {
      const venue = await lab.start({ rules: { orderSharesMax: 10 } });
      venue.crowd('BUY', '0.40', 10);
      venue.crowd('BUY', '0.40', 10, { tokenId: NO });
      const daemon = new TestDaemon(venue.venue);
      lab.atEnd(async () => await daemon.stop());
      for (const wanted of ['refused_without_code', 'invalid_quantity']) {
        await daemon.until(wanted, () =>
          daemon.of('order.refused').some(({ code }) => code === wanted),
        );
      }
      const { data } = await venue.rest.signedGet('/orders');
      same(data, [], 'nothing rests');
      return undefined;
    },
  }),
];
