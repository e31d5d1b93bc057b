// Which venue the client talks to, with whose name, and how much of its budgets it takes. The venue is written out.

import { holds } from '../../../src/cli/doctor/card.ts';
import { eventId, orderHash, outcomeId } from '../../../src/domain/ids.ts';
import { SOCKET_SETTINGS } from '../../../src/venue/options.ts';
import { failure } from '../../support/http-double.ts';
import { ofClient } from '../bench/bench.ts';
import { hmac } from '../bench/raw-rest.ts';
import { answered, bid, HASH, KEYS, RAIN_ID, same, Written, YES } from '../bench/written.ts';

const BALANCES = { cashBalance: '1', availableBalance: '1', usdcOnHold: '0', positions: [] };
/** A tenth of either budget. */
const TENTH = { writeShare: 0.1, readShare: 0.1 };
/** Twelve probes take longer than a silence may: whoever went by silence alone would have lost the connection. */
const PROBES = { ...SOCKET_SETTINGS, probeMs: 250, silenceMs: 2_500 };
const PROBES_MIN = 12;

export const CLIENT_DEPLOYMENT_CARDS = ofClient(
  {
    id: 'C-311',
    title: 'public reads leave without credentials, and all that is of an account with them',
    spec: 'What the service does',
    covers: ['text What the service does 3'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client();
      await client.readOk();
      await client.readNamedEvents(['weather']);
      await client.readBook(YES);
      await client.readCandles({ outcomeId: outcomeId('o-1') });
      await client.readActivity();
      await client.readLeaderboard('today');
      const areUnsigned = written.double.seen.every(
        ({ headers }) => !Object.keys(headers).some((name) => name.startsWith('service-')),
      );
      holds(areUnsigned, 'no header of an account on public reads');
      const publicCount = written.double.seen.length;
      holds(publicCount >= 6, `six public reads, seen ${publicCount}`);
      await client.placeOrders([bid()]);
      await client.readOpenOrders({ kind: 'account' });
      await client.readBalances();
      await client.splitSets({
        eventId: eventId('e-1'),
        marketId: RAIN_ID,
        amount: bid().quantity,
      });
      const keys = written.double.seen
        .slice(publicCount)
        .map(({ headers }) => headers['service-api-key']);
      same(keys, Array(4).fill(KEYS.apiKey), 'keys of what is of an account');
      return `${publicCount} public reads`;
    },
  },
  {
    id: 'C-312',
    title: 'reads leave within their part of 500 a second, and all of them leave',
    spec: 'Limits',
    covers: ['limit Reads (API key)'],
    run: async (lab) => {
      const counted = await Written.start(lab);
      // However slow the machine is, these fall into one window.
      const counting = counted.client({
        limits: { ...TENTH, windowMarginMs: 600_000, readWaitMsMax: 1 },
      });
      counted.answers('GET', '/portfolio/balances', BALANCES);
      for (let count = 0; count < 60; count += 1) await counting.readBalances();
      same(counted.double.seen.length, 50, 'reads of a tenth of 500');
      const written = await Written.start(lab);
      const client = written.client({ limits: { ...TENTH, readWaitMsMax: 60_000 } });
      written.answers('GET', '/portfolio/balances', BALANCES);
      const beganMs = performance.now();
      const reads = await Promise.all(Array.from({ length: 120 }, () => client.readBalances()));
      for (const read of reads) answered(read, 'a read that waited');
      // A busy machine lets any of them arrive later, and none sooner than it may leave.
      const afterMs = written.double.seen.map(({ atMs }) => Math.ceil(atMs - beganMs));
      same(afterMs.length, 120, 'reads that left');
      const [first = 0, second = 0] = [afterMs[50], afterMs[100]];
      holds(first >= 1_000, `a tenth of 500 reads in the first second, another after ${first} ms`);
      holds(second >= 2_000, `a tenth of 500 in the next one, another after ${second} ms`);
      return `50 and 50 in ${second} ms`;
    },
  },
  {
    id: 'C-313',
    title: 'a budget that was agreed on for an account is kept to',
    spec: 'Limits',
    covers: ['rule Limits 3'],
    run: async (lab) => {
      const written = await Written.start(lab);
      const client = written.client({
        limits: { ...TENTH, windowMarginMs: 600_000, orderWaitMsMax: 1 },
      });
      written.double.on('DELETE', `/orders/${HASH}`, failure(404, 'order_not_found'));
      for (let count = 0; count < 40; count += 1) await client.cancelOrder(orderHash(HASH));
      same(written.double.seen.length, 30, 'writes of a tenth of 300');
      return undefined;
    },
  },
  {
    id: 'C-314',
    title: 'a test deployment is asked at its own addresses, and nobody else is',
    spec: 'Versioning',
    covers: ['bullet Versioning 5'],
    run: async (lab) => {
      const real = await Written.start(lab);
      const staging = await Written.start(lab, { prefix: '/staging/api' });
      staging.answers('GET', '/portfolio/balances', BALANCES);
      answered(await staging.client().readBalances(), 'balances of the test deployment');
      staging.socket().socket.start();
      await staging.sent('auth');
      const [request] = staging.double.seen;
      same(request?.url, '/staging/api/portfolio/balances', 'under its base address');
      const timestamp = String(request?.headers['service-timestamp']);
      const signature = hmac(KEYS.apiSecret, `${timestamp}GET/portfolio/balances`);
      same(request?.headers['service-signature'], signature, 'its base address is not signed');
      const { seen, frames, sockets } = real.double;
      same([seen.length, frames.length, sockets.length], [0, 0, 0], 'what the real one heard');
      return undefined;
    },
  },
  {
    id: 'C-315',
    title: 'the client probes a silent connection, and an answered one stays',
    spec: 'Client frames',
    covers: ['frame {type: ping} client to server'],
    run: async (lab) => {
      // Native pings get no answer here, so that nothing else shows that it is there.
      const written = await Written.start(lab, { autoPong: false });
      written.double.onConnection((connection) =>
        connection.on('message', (data) => {
          if (String(data) === '{"type":"ping"}') connection.send('{"type":"pong"}');
        }),
      );
      const { socket, messages } = written.socket({ settings: PROBES });
      socket.start();
      const probes = await written.sent('ping', PROBES_MIN);
      same(probes[0], { type: 'ping' }, 'the probe');
      holds(!messages.some(({ kind }) => kind === 'socketLost'), 'what is answered is not lost');
      holds(written.double.sockets.length === 1, 'one connection');
      return `${probes.length} probes`;
    },
  },
);
