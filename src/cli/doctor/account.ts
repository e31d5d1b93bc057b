// The account beside the configured limits: money, positions, what rests, what may be written.

import { failure } from '../../app/preflight.ts';
import type { Balances } from '../../domain/message.ts';
import type { Settings } from '../../settings/settings.ts';
import type { VenueHttp } from '../../venue/http/venue-http.ts';
import {
  OPEN_ORDERS_MAX,
  ORDER_WRITES_MAX,
  ORDER_WRITES_WINDOW_MS,
  READS_PER_SEC_MAX,
} from '../../wire/limits.ts';
import { type Finding, failed, note, ok } from './finding.ts';

type Limited = Pick<Settings, 'risk' | 'venue' | 'orders'>;

/** Reads what the account has and has resting. */
export async function accountFindings(
  http: VenueHttp,
  settings: Limited,
): Promise<readonly Finding[]> {
  const [balances, orders] = await Promise.all([http.readBalances(), http.readOpenOrders()]);
  return [
    balances.kind === 'ok'
      ? balanceFinding(balances.value, settings)
      : failed('balances', failure(balances), INCIDENT),
    orders.kind === 'ok'
      ? ordersFinding(orders.value.length, settings)
      : failed('open orders', failure(orders), INCIDENT),
  ];
}

/** What the configuration allows itself of the published limits. @spec Limits */
export function limitFindings({ risk, venue, orders }: Limited): readonly Finding[] {
  const writes = Math.floor(ORDER_WRITES_MAX * venue.writeShare);
  const reads = Math.floor(READS_PER_SEC_MAX * venue.readShare);
  const windowSec = ORDER_WRITES_WINDOW_MS / 1_000;
  const budget = `${writes} of ${ORDER_WRITES_MAX} order writes per ${windowSec} s, ${reads} of ${READS_PER_SEC_MAX} reads per s`;
  const asked =
    orders.writesPer10s > writes
      ? note('limits', budget, `orders.writesPer10s ${orders.writesPer10s} is more than its share`)
      : ok('limits', budget);
  const open = `at most ${risk.maxOpenOrders} of ${OPEN_ORDERS_MAX} open orders`;
  return [asked, ok('limits', open)];
}

const INCIDENT = 'see whether the venue has an incident';

function balanceFinding(balances: Balances, { risk }: Limited): Finding {
  const { availableBalance, cashBalance, usdcOnHold, positions } = balances;
  const held = positions.filter(({ shareAmount }) => shareAmount > 0).length;
  const detail = `${availableBalance.toFixed(2)} of ${cashBalance.toFixed(2)} USDC available, ${usdcOnHold.toFixed(2)} on hold, ${held} positions`;
  if (availableBalance.gte(risk.maxOrderNotionalUsdc)) return ok('balances', detail);
  const cure = `risk.maxOrderNotionalUsdc is ${risk.maxOrderNotionalUsdc}: fund the account or lower it`;
  return note('balances', detail, cure);
}

function ordersFinding(count: number, { orders }: Limited): Finding {
  const detail = `${count} open`;
  if (count === 0) return ok('open orders', detail);
  const whose =
    orders.scope === 'own' ? 'those of them that were sent from here' : 'every one of them';
  return note('open orders', detail, `a start cancels ${whose} before it quotes`);
}
