// The daemon's side of what the interface says of orders that it refuses, and of what a fill costs and when it counts.
// @spec What the service does

import { strategiesFor } from '../../../src/app/strategies.ts';
import { holds } from '../../../src/cli/doctor/card.ts';
import { parseSettings, readSettingsText } from '../../../src/settings/load.ts';
import { ofDaemon } from '../bench/bench.ts';
import { type DaemonChange, TestDaemon } from '../bench/daemon.ts';
import { type Lab, type LabVenue, NO, pause, YES } from '../bench/lab.ts';

const LOOK_MS = 400;
const SIZE = 50;

/** Others quote from `bid` to one minus `bidOfNo`, and a daemon of this ladder is there. */
async function started(
  lab: Lab,
  venue: LabVenue,
  [bid, bidOfNo]: readonly [string, string],
  params: object = {},
): Promise<TestDaemon> {
  venue.crowd('BUY', bid, 500);
  venue.crowd('BUY', bidOfNo, 500, { tokenId: NO });
  const ladder = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: SIZE, ...params };
  const choice = { event: 'rain', market: undefined, strategy: 'ladder', params: ladder };
  const change: DaemonChange = { settings: { markets: [choice] } };
  const daemon = new TestDaemon(venue.venue, change);
  lab.atEnd(async () => await daemon.stop());
  return daemon;
}

/** What its open orders ask for, by the venue's own books. */
function openOrders({ venue }: LabVenue) {
  const { exchange } = venue;
  return exchange.openOrders(exchange.accounts.named('maker')).map(({ terms }) => terms);
}

function neverRefused(daemon: TestDaemon): void {
  const refused = daemon.of('order.refused');
  holds(refused.length === 0, `no order was refused: ${JSON.stringify(refused[0])}`);
}

export const DAEMON_TRADE_CARDS = ofDaemon(
  'alone',
  {
    id: 'C-275',
    title:
      'the daemon sends no order that is worth less than a dollar, and says why a side is bare',
    spec: 'POST /orders (limit order)',
    covers: ['limit Minimum order value', 'fact Minimum order value', 'rule POST /orders 3'],
    run: async (lab) => {
      const venue = await lab.start();
      // Two shares at 0.48 are 0.96, and a bid for NO is as much.
      const daemon = await started(lab, venue, ['0.40', '0.40'], { size: 2 });
      await daemon.untilPhase('quoting');
      await pause(LOOK_MS);
      neverRefused(daemon);
      holds(openOrders(venue).length === 0, 'nothing was placed');
      await daemon.until('the reason of both sides', () =>
        daemon.reasons().every((code) => code === 'below_min_notional'),
      );
      return undefined;
    },
  },
  {
    id: 'C-276',
    title: 'at the end of the price range the daemon sends no price outside it',
    spec: 'POST /orders (limit order)',
    covers: ['rule POST /orders 2'],
    run: async (lab) => {
      const venue = await lab.start();
      // A middle of 0.02: two ticks below it there is no price.
      const daemon = await started(lab, venue, ['0.01', '0.97'], { size: 90 });
      await daemon.until('an ask', ({ markets: [market] }) => (market?.ownAsks.length ?? 0) > 0);
      await pause(LOOK_MS);
      neverRefused(daemon);
      for (const { price, ticksPerUnit } of openOrders(venue).map(priceOf)) {
        holds(price >= 1 && price < ticksPerUnit, `a price of ${price} in ${ticksPerUnit}`);
      }
      return undefined;
    },
  },
  {
    id: 'C-277',
    needs: 'readings',
    title: 'the daemon sends no order that its cash would not cover',
    spec: 'POST /orders (limit order)',
    covers: ['rule POST /orders 5'],
    run: async (lab) => {
      // One bid of 50 at 0.48 is 24.
      const venue = await lab.start({ startingCash: 30 });
      const daemon = await started(lab, venue, ['0.40', '0.40']);
      await daemon.until('one order', () => openOrders(venue).length > 0);
      await pause(LOOK_MS);
      neverRefused(daemon);
      const asked = openOrders(venue).length;
      holds(asked === 1, `one order is what 30 USDC cover, seen ${asked}`);
      return undefined;
    },
  },
  {
    id: 'C-278',
    needs: 'readings',
    title: 'a fill waits for its settlement in the daemon, and costs a maker its price and no fee',
    spec: 'What the service does',
    covers: ['fact Matching and settlement', 'fact Fees'],
    run: async (lab) => {
      const venue = await lab.start({ rules: { takerFeeBps: 200 } });
      const daemon = await started(lab, venue, ['0.40', '0.40']);
      await daemon.untilQuoting();
      const [market] = daemon.view().markets;
      const price = String(market?.ownBids[0]?.price);
      const before = Number(daemon.view().account.cashUsdc);
      venue.crowd('SELL', price, SIZE, { tokenId: YES });
      const settlingOf = () => daemon.view().markets[0]?.positions?.yes.settling?.length ?? 0;
      await daemon.until('a fill that waits', () => settlingOf() > 0);
      const settledThen = daemon.view().markets[0]?.settledYes;
      holds(settledThen === '0', `none of it is settled yet, seen ${settledThen}`);
      await daemon.until('its settlement', ({ markets: [at] }) => at?.settledYes === String(SIZE));
      holds(settlingOf() === 0, 'nothing waits any more');
      const paid = before - Number(daemon.view().account.cashUsdc);
      const wanted = Number(price) * SIZE;
      holds(Math.abs(paid - wanted) < 1e-6, `${wanted} USDC paid, seen ${paid}`);
      return undefined;
    },
  },
  {
    id: 'C-279',
    needs: 'configuration',
    title: 'no configuration has more open orders than the venue allows',
    spec: 'Limits',
    covers: ['limit Open orders per account'],
    run: async () => {
      const file = 'config/paper.yaml';
      const source = { file, env: {}, strategies: await strategiesFor(file) };
      const [known, key] = [readSettingsText(file), 'maxOpenOrders: '];
      const withMost = (count: number) => known.replace(`${key}100`, `${key}${count}`);
      holds(parseSettings(withMost(2_000), source).risk.maxOpenOrders === 2_000, '2,000 are right');
      let said = '';
      try {
        parseSettings(withMost(2_001), source);
      } catch (error) {
        said = String(error);
      }
      holds(/risk\.maxOpenOrders.*2000/s.test(said), `2,001 are refused, seen ${said}`);
      return undefined;
    },
  },
);

function priceOf({ price, grid }: ReturnType<typeof openOrders>[number]) {
  return { price, ticksPerUnit: grid.ticksPerUnit };
}
