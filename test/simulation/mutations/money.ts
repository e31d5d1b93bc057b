// Bugs about fills, settlements, positions and limits.

import { takerFeeOfNano } from '../../../src/core/kernel/nano.ts';
import { Positions } from '../../../src/core/positions/positions.ts';
import { signed } from '../../../src/core/positions/unsettled.ts';
import { CapitalBook } from '../../../src/core/risk/risk-book.ts';
import { RiskPass } from '../../../src/core/risk/risk-pass.ts';
import { MarketState } from '../../../src/core/sending/market.ts';
import type { VenueCommand } from '../../../src/domain/command.ts';
import type { OrderHash, TokenId } from '../../../src/domain/ids.ts';
import { clampShares, NO_SHARES } from '../../../src/domain/shares.ts';
import { LOWERED_OFTEN, REINSTATING, RELOADED_OFTEN, TAKERS_PAY } from './circumstances.ts';
import type { Mutation } from './mutation.ts';
import { PLAIN_DESK } from './switched.ts';
import { all, misread, moved, replaced, told } from './tools.ts';

export const MONEY_BUGS: readonly Mutation[] = [
  {
    name: 'fill-counted-twice',
    about: 'counts every match twice',
    lookIn: ['calm'],
    patch: () =>
      replaced(Positions.prototype, 'onFill', (original) => {
        return function (this: Positions, tokenId, fill, nowMs) {
          original.call(this, tokenId, { ...fill }, nowMs);
          return original.call(this, tokenId, { ...fill }, nowMs);
        };
      }),
  },
  {
    name: 'settlement-counted-twice',
    about: 'counts a settlement again when it is reported twice',
    lookIn: ['calm'],
    engine: (engine) =>
      told(engine, (message) =>
        message.kind === 'tradeSettled'
          ? [message, { ...message, tradeId: `${message.tradeId}-again` }]
          : [message],
      ),
  },
  {
    name: 'fee-forgotten',
    about: 'counts no fee for what it takes',
    lookIn: ['calm'],
    circumstance: TAKERS_PAY,
    atRest: true,
    engine: (engine) =>
      misread(engine, (settings) => ({
        ...settings,
        markets: settings.markets.map((market) => ({ ...market, takerFeeRate: 0 })),
      })),
  },
  {
    name: 'fee-of-makers',
    about: 'counts the fee of a taker for quotes that were met, too',
    lookIn: ['calm'],
    circumstance: TAKERS_PAY,
    atRest: true,
    patch: () =>
      replaced(Positions.prototype, 'onFill', (original) => {
        return function (this: Positions, tokenId, fill, nowMs) {
          const { cashNano, original: shares, takerFeeRate } = fill;
          const feeNano =
            takerFeeRate === undefined ? takerFeeOfNano(0.02, Math.abs(cashNano), shares) : 0;
          const counted = original.call(this, tokenId, fill, nowMs);
          return { ...counted, cashNano: counted.cashNano - feeNano };
        };
      }),
  },
  {
    name: 'holds-never-let-go',
    about: 'takes cash for held that an order held once',
    lookIn: ['calm'],
    atRest: true,
    patch: () =>
      replaced(CapitalBook.prototype, 'set', (original) => {
        return function (this: CapitalBook, marketId, bound) {
          const holdNano = Math.max(bound.holdNano, this.of(marketId).holdNano);
          original.call(this, marketId, { ...bound, holdNano });
        };
      }),
  },
  {
    name: 'matched-is-not-held',
    about: 'counts what it matched only when it has settled',
    lookIn: ['calm'],
    patch: () =>
      replaced(Positions.prototype, 'expected', () => {
        return function (this: Positions, tokenId) {
          return this.confirmed(tokenId);
        };
      }),
  },
  {
    name: 'net-without-no',
    about: 'leaves the NO shares out of the net position',
    lookIn: ['calm'],
    patch: () =>
      all(
        replaced(MarketState.prototype, 'holdings', (original) => {
          return function (this: MarketState, inventory) {
            return { ...original.call(this, inventory), no: NO_SHARES };
          };
        }),
        replaced(MarketState.prototype, 'holdingsShares', (original) => {
          return function (this: MarketState, inventory) {
            return { ...original.call(this, inventory), no: NO_SHARES };
          };
        }),
      ),
  },
  {
    name: 'sells-unsettled-shares',
    about: 'sells shares that it bought a moment ago and that have not settled',
    lookIn: ['calm'],
    circumstance: PLAIN_DESK,
    patch: () =>
      replaced(Positions.prototype, 'sellable', () => {
        return function (this: Positions, tokenId) {
          let free: number = this.confirmed(tokenId);
          for (const { side, quantity } of this.pending(tokenId)) {
            free += signed(side, quantity);
          }
          return clampShares(Math.max(0, free));
        };
      }),
  },
  {
    name: 'sold-shares-sold-again',
    about: 'sells shares once more that a matched sell has taken already',
    lookIn: ['calm'],
    patch: () =>
      replaced(Positions.prototype, 'sellable', () => {
        return function (this: Positions, tokenId) {
          return this.confirmed(tokenId);
        };
      }),
  },
  {
    name: 'failed-trade-kept',
    about: 'says that it takes back what a failed settlement never brought, and does not',
    lookIn: ['account', 'everything'],
    patch: () =>
      replaced(Positions.prototype, 'onBust', () => () => ({ cashNano: 0, intentId: undefined })),
  },
  {
    name: 'matched-is-over',
    about:
      'takes an order for over when its settlement failed, and does not hear that it rests again',
    lookIn: ['account', 'everything'],
    circumstance: REINSTATING,
    patch: () =>
      all(moved('matched', 'failed', 'cancelled'), moved('settling', 'failed', 'cancelled')),
    engine: (engine) => {
      const matched = new Set<OrderHash>();
      return told(engine, (message) => {
        if (message.kind === 'orderUpdate') {
          const { orderHash, status } = message.update;
          if (status === 'MATCHED') matched.add(orderHash);
          return matched.has(orderHash) && status === 'OPEN' ? [] : [message];
        }
        if (message.kind !== 'openOrders' || message.outcome.kind !== 'ok') return [message];
        const value = message.outcome.value.filter(({ orderHash }) => !matched.has(orderHash));
        return [{ ...message, outcome: { kind: 'ok', value } }];
      });
    },
  },
  {
    name: 'legs-swapped',
    about: 'sends orders for YES to NO and the other way round',
    lookIn: ['calm'],
    engine: (engine) => {
      const sibling = new Map<TokenId, TokenId>();
      return {
        step: (input) => {
          if (input.kind === 'venue' && input.message.kind === 'catalogue') {
            const { outcome } = input.message;
            if (outcome.kind === 'ok') {
              for (const { markets } of outcome.value) {
                for (const { yes, no } of markets) {
                  sibling.set(yes.tokenId, no.tokenId).set(no.tokenId, yes.tokenId);
                }
              }
            }
          }
          return engine
            .step(input)
            .map((command) =>
              command.kind === 'venue'
                ? { kind: 'venue', command: swapped(command.command, sibling) }
                : command,
            );
        },
      };
    },
  },
  {
    name: 'position-limit-doubled',
    about: 'holds twice the position it is allowed, one limit for each leg',
    lookIn: ['calm'],
    engine: (engine) =>
      misread(engine, (settings) => ({
        ...settings,
        risk: { ...settings.risk, maxPositionShares: settings.risk.maxPositionShares * 2 },
      })),
  },
  {
    name: 'loss-limit-unread',
    about: 'does not hold orders against the worst case of what they may lose',
    lookIn: ['calm'],
    engine: (engine) =>
      misread(engine, (settings) => ({
        ...settings,
        risk: { ...settings.risk, maxLossUsdc: 1e6 },
      })),
  },
  {
    name: 'tighter-limits-unread',
    about: 'keeps the limits that it started with when the operator tightens them',
    lookIn: ['killer', 'everything'],
    circumstance: RELOADED_OFTEN,
    engine: (engine) => {
      let first: Parameters<Parameters<typeof misread>[1]>[0]['risk'] | undefined;
      return misread(engine, (settings) => {
        first ??= settings.risk;
        return { ...settings, risk: first };
      });
    },
  },
  {
    name: 'lowered-limits-spare-what-rests',
    about: 'holds what is placed to limits that come down, and leaves what rests beyond them',
    lookIn: ['calm', 'clocks', 'feed'],
    pace: 'sparse',
    circumstance: LOWERED_OFTEN,
    patch: () => replaced(RiskPass.prototype, 'readmit', () => () => undefined),
  },
];

function swapped(command: VenueCommand, sibling: ReadonlyMap<TokenId, TokenId>): VenueCommand {
  if (command.kind !== 'placeOrders') return command;
  const orders = command.orders.map((order) => ({
    ...order,
    tokenId: sibling.get(order.tokenId) ?? order.tokenId,
  }));
  return { ...command, orders };
}
