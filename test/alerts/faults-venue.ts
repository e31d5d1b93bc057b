// Faults of the venue, its feed, and the network between.

import type { Fault } from './fault.ts';

const MINUTE = 60_000;

export const VENUE_FAULTS: readonly Fault[] = [
  {
    name: 'blackout',
    says: 'nothing passes in either direction for six minutes',
    fires: ['BookendBlind', 'BookendNotReady', 'BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('blackout', 6 * MINUTE),
  },
  {
    name: 'connections-fail',
    says: 'no connection can be opened for six minutes, and the socket is cut',
    fires: ['BookendBlind', 'BookendNotReady'],
    strike: (daemon) => {
      daemon.episode('connectFails', 6 * MINUTE);
      daemon.episode('blackout', 6 * MINUTE);
      daemon.cutSockets();
    },
  },
  {
    name: 'half-open-socket',
    says: 'the socket looks alive and carries nothing for six minutes',
    fires: ['BookendBlind', 'BookendNotReady'],
    strike: (daemon) => daemon.episode('halfOpen', 6 * MINUTE),
  },
  {
    name: 'socket-flaps',
    says: 'the socket is lost each minute',
    fires: ['BookendVenueUnsteady'],
    strike: (daemon) => daemon.repeat(12, MINUTE, () => daemon.cutSockets()),
  },
  {
    name: 'socket-lost-for-seconds',
    says: 'the socket is lost once and comes back',
    fires: [],
    strike: (daemon) => daemon.cutSockets(),
  },
  {
    name: 'requests-lost',
    says: 'every third request is lost for ten minutes',
    fires: ['BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('requestsLost', 10 * MINUTE, 0.33),
  },
  {
    name: 'answers-lost',
    says: 'every third answer is lost for ten minutes',
    fires: ['BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('answersLost', 10 * MINUTE, 0.33),
  },
  {
    name: 'lists-fail',
    says: 'placements are not answered, and no list says for minutes what became of them',
    fires: ['BookendOrdersUnknown'],
    strike: ({ venue }) => {
      const path = '/orders';
      venue.faults.plan({ method: 'GET', path, times: 200, action: { kind: 'dropRequest' } });
      venue.faults.plan({ method: 'POST', path, times: 20, action: { kind: 'dropReply' } });
    },
  },
  {
    name: 'server-errors',
    says: 'every third request is answered with an error for ten minutes',
    fires: ['BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('errorsBefore', 10 * MINUTE, 0.33),
  },
  {
    name: 'errors-after-the-effect',
    says: 'every third request takes effect and is answered with an error',
    fires: ['BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('errorsAfter', 10 * MINUTE, 0.33),
  },
  {
    name: 'garbage',
    says: 'every third answer is a page of a proxy for ten minutes',
    fires: ['BookendRequestsUnanswered'],
    strike: (daemon) => daemon.episode('garbage', 10 * MINUTE, 0.33),
  },
  {
    name: 'rate-limited',
    says: 'the venue answers every other request with 429 for five minutes',
    fires: ['BookendVenueUnsteady', 'BookendRefusals'],
    strike: (daemon) => daemon.episode('rateLimited', 5 * MINUTE, 0.5),
  },
  {
    name: 'cancels-refused',
    says: 'batch cancels are answered with an error again and again, while prices move',
    fires: ['BookendCancelsFail'],
    strike: (daemon) => {
      const path = '/orders/batch-cancel';
      const action = { kind: 'failBefore', status: 500 } as const;
      daemon.venue.faults.plan({ method: 'POST', path, times: 60, action });
      daemon.repeat(10, 15_000, () => daemon.news(0.2));
      daemon.at(5_000, () => daemon.repeat(10, 15_000, () => daemon.news(0.8)));
    },
  },
  {
    name: 'settlements-fail',
    says: 'settlements fail on-chain',
    fires: ['BookendPositionCorrected'],
    strike: ({ venue }) => venue.exchange.settlement.failNext(10),
  },
  {
    name: 'books-frozen',
    says: 'frames of books are swallowed on a living socket for twelve minutes',
    fires: [],
    strike: (daemon) => daemon.episode('bookFramesLost', 12 * MINUTE),
  },
  {
    name: 'user-frames-lost',
    says: 'half of the frames of the account are swallowed for ten minutes',
    fires: [],
    strike: (daemon) => daemon.episode('userFramesLost', 10 * MINUTE, 0.5),
  },
  {
    name: 'frames-doubled',
    says: 'frames come twice, and after those behind them',
    fires: [],
    strike: (daemon) => {
      daemon.episode('framesDoubled', 10 * MINUTE, 0.5);
      daemon.episode('framesSwapped', 10 * MINUTE, 0.5);
    },
  },
  {
    name: 'slow-network',
    says: 'a third of all requests and answers take seconds',
    fires: [],
    strike: (daemon) => daemon.episode('slow', 10 * MINUTE, 0.33),
  },
  {
    name: 'market-paused',
    says: 'the venue pauses a market for a quarter of an hour',
    fires: ['BookendSideUnquoted'],
    strike: ({ venue, markets }) => {
      const [market] = markets;
      if (market !== undefined) venue.exchange.setTradingStatus(market, 'paused');
    },
  },
  {
    name: 'market-resolved',
    says: 'one of two markets is resolved',
    fires: [],
    strike: ({ venue, markets }) => {
      const [, market] = markets;
      if (market !== undefined) venue.exchange.resolve(market, 1);
    },
  },
  {
    name: 'nobody-quotes',
    says: 'the books are empty: everybody else has left',
    fires: ['BookendSideUnquoted'],
    strike: (daemon) => daemon.leaveTheCrowd(),
  },
  {
    name: 'tick-size-changes',
    says: 'a market changes its tick size',
    fires: [],
    strike: (daemon) => daemon.changeTickSize(),
  },
];
