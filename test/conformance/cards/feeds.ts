// What a socket is told over time: deltas, pings, pauses, and how a bad consumer ends.
// @spec Events

import { holds, payload } from '../../../src/cli/doctor/card.ts';
import { embedded } from '../bench/bench.ts';
import { ANN_YES, BEN_MARKET, NO, pause, RAIN_MARKET, soon, YES } from '../bench/lab.ts';

const SUBSCRIBE = { type: 'subscribe', markets: [YES], depth: 50 };

export const FEED_CARDS = embedded(
  'alone',
  {
    id: 'C-131',
    title: 'changes are gathered: many moves within a flush come as one net change',
    spec: 'Order book channel',
    covers: ['text Order book channel 2'],
    run: async (lab) => {
      const venue = await lab.start();
      const socket = await venue.socket();
      socket.send(SUBSCRIBE);
      await socket.next('orderbook.snapshot');
      for (let count = 0; count < 10; count += 1) venue.crowd('BUY', '0.30', 5);
      const told = await socket.next('orderbook.delta');
      await pause(200);
      holds(told['size'] === 50, 'the sum of ten orders');
      holds(socket.of('orderbook.delta').length === 1, 'in one frame');
      return undefined;
    },
  },
  {
    id: 'C-133',
    needs: 'statuses',
    title: 'a pause is told for both tokens, and orders are refused until it ends',
    spec: 'Event and market status',
    covers: [
      'frame market.status_update',
      'text Event and market status 1',
      'code market_paused',
      'code market_closed',
      'code market_resolved',
    ],
    run: async (lab) => {
      const venue = await lab.start();
      const socket = await venue.socket();
      socket.send({ ...SUBSCRIBE, markets: [YES, NO] });
      await socket.next('orderbook.snapshot', (frame) => frame['marketId'] === NO);
      venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'paused');
      for (const token of [YES, NO]) {
        const told = await socket.next(
          'market.status_update',
          (each) => each['marketId'] === token,
        );
        holds(told['status'] === 'PAUSE', 'PAUSE');
      }
      holds((await venue.place()).code === 'market_paused', 'paused');
      venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'open');
      payload(await venue.place(), 'open again');
      venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'closed');
      holds((await venue.place()).code === 'market_closed', 'closed');
      venue.venue.desk.resolve(BEN_MARKET.id, BEN_MARKET.yes.tokenId);
      const late = await venue.place({ tokenId: BEN_MARKET.yes.tokenId });
      holds(late.code === 'market_resolved', 'resolved');
      holds(late.status === 422, 'all of them with 422');
      return undefined;
    },
  },
  {
    id: 'C-136',
    needs: 'excess',
    title: 'a consumer that does not read is ended, and a new connection gets a fresh snapshot',
    spec: 'Connection',
    covers: ['rule Connection 2'],
    run: async (lab) => {
      const venue = await lab.start({
        sockets: { bufferBytesMax: 64 * 1_024, framesPerSecMax: 1_000_000, pingMs: 600_000 },
      });
      for (let tick = 1; tick < 45; tick += 1) venue.crowd('BUY', (tick / 100).toFixed(2), 120);
      const slow = await venue.socket();
      slow.pause();
      // Each of these answers is a whole book; unread ones fill every buffer on the way.
      for (let count = 0; count < 20_000 && venue.venue.hub.count > 0; count += 1) {
        slow.send(SUBSCRIBE);
        if (count % 200 === 0) await pause(1);
      }
      await soon('its end', () => venue.venue.hub.count === 0);
      const next = await venue.socket();
      next.send(SUBSCRIBE);
      await next.next('orderbook.snapshot');
      return undefined;
    },
  },
  {
    id: 'C-138',
    needs: 'keys',
    title: 'a bearer session streams the account too, and an expired token is refused',
    spec: 'Bearer token',
    covers: ['frame auth (bearer)', 'text Bearer token 1', 'text WebSocket authentication 1'],
    run: async (lab) => {
      const venue = await lab.start();
      const token = venue.venue.issueBearer('maker', 60_000);
      const socket = await venue.socket();
      socket.send({ type: 'auth', token });
      await socket.next('authenticated');
      const headers = { authorization: `Bearer ${token}` };
      const read = await venue.rest.ask('GET', '/portfolio/balances', { as: 'nobody', headers });
      payload(read, 'a read by bearer token');
      await venue.rests();
      await socket.next('order.update');
      const dead = await venue.socket();
      dead.send({ type: 'auth', token: venue.venue.issueBearer('maker', -1) });
      await dead.next('error');
      return undefined;
    },
  },
  {
    id: 'C-139',
    needs: 'excess',
    title: 'thousands of tokens fit on one connection, and unknown ones are told apart',
    spec: 'Limits',
    covers: ['limit Subscribed tokens per WebSocket', 'text Events 1'],
    run: async (lab) => {
      const venue = await lab.start();
      const socket = await venue.socket();
      const unknown = Array.from({ length: 2_000 }, (_, index) => `0x${index.toString(16)}`);
      socket.send({ ...SUBSCRIBE, markets: [...unknown, YES, ANN_YES] });
      await socket.next('orderbook.snapshot', (frame) => frame['marketId'] === ANN_YES);
      holds(socket.of('error').length === unknown.length, 'one error for each unknown token');
      return undefined;
    },
  },
);
