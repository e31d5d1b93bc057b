// Bugs about limits that are set here and there: each is not asked where it binds.

import type { RiskLimits } from '../../../src/domain/input.ts';
import type { MoreLimits } from '../world/controls.ts';
import type { Mutation } from './mutation.ts';
import { misread } from './tools.ts';

/** What nothing comes to. */
const UNBOUND = 1e6;

export const LIMIT_BUGS: readonly Mutation[] = [
  unread('net-limit-unread', 'does not hold the net position of a market to a limit of its own', {
    about: 'the net position of a market may be 60 shares',
    limits: { maxNetShares: 60 },
  }),
  unread('order-shares-unread', 'does not hold an order to the shares that it may be of', {
    about: 'an order may be of 35 shares, and some are wanted for of 40',
    limits: { maxOrderShares: 35 },
  }),
  unread('market-orders-unread', 'does not count the orders of a market', {
    about: 'a market may have three orders',
    limits: { maxMarketOpenOrders: 3 },
  }),
  unread('open-notional-unread', 'does not add up what its open orders are worth', {
    about: 'all open orders may be worth 60 USDC',
    limits: { maxOpenNotionalUsdc: 60 },
  }),
  unread('event-loss-unread', 'does not hold an event to what it may lose at worst', {
    about: 'an event may lose 30 USDC at worst',
    limits: { maxEventLossUsdc: 30 },
  }),
];

function unread(
  name: string,
  about: string,
  circumstance: { readonly about: string; readonly limits: MoreLimits },
): Mutation {
  const { limits } = circumstance;
  const unbound = Object.fromEntries(Object.keys(limits).map((limit) => [limit, UNBOUND]));
  const without = (risk: RiskLimits): RiskLimits => ({ ...risk, ...unbound });
  return {
    ...{ name, about, lookIn: ['calm', 'outcomes'] },
    circumstance: { about: circumstance.about, controls: { limits } },
    engine: (engine) =>
      misread(engine, (settings) => ({ ...settings, risk: without(settings.risk) })),
  };
}
