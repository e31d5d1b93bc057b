// The daemon's side of the rules that only show over time: clocks that drift, credentials that die.
// @spec Authentication

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holds } from '../../../src/cli/doctor/card.ts';
import { credentialsProvider } from '../../../src/settings/credentials.ts';
import type { CredentialsProvider } from '../../../src/venue/options.ts';
import { ofDaemon } from '../bench/bench.ts';
import { type DaemonChange, TestDaemon } from '../bench/daemon.ts';
import { type Lab, type LabVenue, NO, pause, RAIN_MARKET, soon, YES } from '../bench/lab.ts';
import type { Keys } from '../bench/raw-rest.ts';

/** Others quote 0.40 to 0.60, and the daemon quotes between them. */
async function quoting(lab: Lab, venue: LabVenue, change: DaemonChange = {}): Promise<TestDaemon> {
  venue.crowd('BUY', '0.40', 500);
  venue.crowd('BUY', '0.40', 500, { tokenId: NO });
  const daemon = new TestDaemon(venue.venue, change);
  lab.atEnd(async () => await daemon.stop());
  await daemon.untilQuoting();
  return daemon;
}

/** Hashes of the daemon's open orders, as the venue itself knows them. */
function openHashes(venue: LabVenue): readonly string[] {
  const { exchange } = venue.venue;
  const orders = exchange.openOrders(exchange.accounts.named('maker'));
  return orders.filter((order) => order.restingMicro() > 0).map(({ terms }) => terms.orderHash);
}

async function credentialsFile(lab: Lab, keys: Keys) {
  const folder = await mkdtemp(join(tmpdir(), 'bookend-conformance-'));
  lab.atEnd(async () => await rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'credentials.json');
  const write = async (given: Keys) =>
    await writeFile(file, JSON.stringify(given), { mode: 0o600 });
  await write(keys);
  const provider: CredentialsProvider = credentialsProvider({
    env: { VENUE_CREDENTIALS_FILE: file },
  });
  return { write, provider };
}

const DEAD_KEY = 'unknown_api_key';

export const DAEMON_CARDS = ofDaemon(
  'clock',
  {
    id: 'C-250',
    title: 'a daemon whose clock is off by more than the window quotes all the same, either way',
    spec: 'Signature',
    covers: ['rule Signature 3', 'limit HMAC timestamp window', 'endpoint GET /time'],
    run: async (lab) => {
      for (const shiftMs of [-90_000, 90_000]) {
        const venue = await lab.start();
        venue.venue.faults.shiftClock(shiftMs);
        const daemon = await quoting(lab, venue);
        const { clockOffsetMs = 0 } = daemon.view().connection;
        holds(
          Math.abs(clockOffsetMs - shiftMs) < 1_500,
          `the offset is measured: ${clockOffsetMs}`,
        );
        holds(daemon.of('order.refused').length === 0, 'no order was refused');
      }
      return undefined;
    },
  },
  {
    id: 'C-251',
    title: 'a clock that jumps while the daemon quotes is measured anew, and quoting goes on',
    spec: 'Signature',
    covers: ['rule Signature 3', 'rule Signature 4', 'code expired_timestamp'],
    run: async (lab) => {
      for (const shiftMs of [-120_000, 120_000]) {
        const venue = await lab.start();
        const daemon = await quoting(lab, venue);
        venue.venue.faults.shiftClock(shiftMs);
        await daemon.until('the new offset', ({ connection }) => {
          return Math.abs((connection.clockOffsetMs ?? 0) - shiftMs) < 2_500;
        });
        await daemon.untilQuoting();
        const before = new Set(openHashes(venue));
        const bid = () => Number(daemon.view().markets[0]?.ownBids[0]?.price);
        const oldBid = bid();
        // A book that moves makes it place and cancel under the new time.
        venue.crowd('BUY', '0.45', 500);
        await daemon.until('a quote at the new book', () => bid() > oldBid);
        await soon('new orders rest', () => openHashes(venue).some((hash) => !before.has(hash)));
      }
      return undefined;
    },
  },
  {
    id: 'C-252',
    needs: 'keys',
    title: 'new credentials in the file are read, the session is renewed, and quoting resumes',
    spec: 'Credentials',
    covers: ['text Credentials 2', 'code unknown_api_key'],
    run: async (lab) => {
      const venue = await lab.start();
      const { write, provider } = await credentialsFile(lab, venue.keys);
      const daemon = await quoting(lab, venue, { credentials: provider });
      const sessions = daemon.of('venue.socket').length;
      await write(venue.venue.regenerate('maker'));
      await daemon.until('the loss of the session', () => {
        return daemon
          .of('venue.socket')
          .slice(sessions)
          .some(({ state }) => state === 'socketLost');
      });
      await daemon.until('a new session', ({ connection }) => connection.authenticated);
      await daemon.untilQuoting();
      const {
        markets: [market],
      } = daemon.view();
      const quotes = (market?.ownBids.length ?? 0) + (market?.ownAsks.length ?? 0);
      await soon('as many orders as quotes', () => openHashes(venue).length === quotes);
      return undefined;
    },
  },
  {
    id: 'C-253',
    needs: 'keys',
    title: 'without new credentials nothing more is placed, and the daemon says why',
    spec: 'Credentials',
    covers: ['text Credentials 2', 'rule Signature 4'],
    run: async (lab) => {
      const venue = await lab.start();
      const daemon = await quoting(lab, venue);
      const before = openHashes(venue);
      venue.venue.regenerate('maker');
      await daemon.until('its reason', () => daemon.reasons().includes('credentials_refused'));
      const {
        notReady,
        markets: [market],
      } = daemon.view();
      holds(
        notReady.some((text) => text.includes(DEAD_KEY)),
        `readiness says it: ${notReady.join()}`,
      );
      const reason = market?.bidReason ?? market?.askReason;
      holds(reason?.detail.includes(DEAD_KEY) === true, 'the reason names the code');
      holds(reason?.clears.includes('VENUE_CREDENTIALS_FILE') === true, 'and what clears it');
      await pause(300);
      holds(
        openHashes(venue).every((hash) => before.includes(hash)),
        'nothing new rests',
      );
      return reason?.detail;
    },
  },
  {
    id: 'C-254',
    needs: 'alone',
    title: 'a fill is counted once through MATCHED, settlement and a position that lags',
    spec: 'Balances',
    covers: ['text Balances 1', 'text User channel 3', 'frame position.update'],
    run: async (lab) => {
      const venue = await lab.start({ timeScale: 0.01 });
      const daemon = await quoting(lab, venue);
      const {
        markets: [before],
      } = daemon.view();
      const bid = before?.ownBids[0];
      holds(bid !== undefined, 'the daemon has a bid');
      venue.crowd('SELL', bid.price, 20, { timeInForce: 'FAK' });
      const held = () => {
        const {
          markets: [market],
        } = daemon.view();
        return Number(market?.positionYes) - Number(market?.positionNo);
      };
      await daemon.until('the fill', () => held() === 20);
      await daemon.until('its settlement', ({ markets: [market] }) => {
        return Number(market?.settledYes) - Number(market?.settledNo) === 20;
      });
      await pause(700);
      holds(held() === 20, 'still once when balances show it by token id');
      holds(daemon.of('position.adopted').length === 0, 'nothing diverged on the way');
      return undefined;
    },
  },
  {
    id: 'C-255',
    needs: 'statuses',
    title: 'a paused market has no quotes until it is open again',
    spec: 'Event and market status',
    covers: ['frame market.status_update', 'text Event and market status 1'],
    run: async (lab) => {
      const venue = await lab.start();
      const daemon = await quoting(lab, venue);
      venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'paused');
      await soon('no orders', () => openHashes(venue).length === 0);
      await daemon.until('its reason', () =>
        daemon.reasons().every((code) => code === 'market_paused'),
      );
      venue.venue.desk.setTradingStatus(RAIN_MARKET.id, 'open');
      await daemon.untilQuoting();
      holds(YES === daemon.view().markets[0]?.yesTokenId, 'on the same market');
      return undefined;
    },
  },
);
