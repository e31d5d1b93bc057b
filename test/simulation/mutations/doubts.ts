// Bugs about what is uncertain: positions that are narrower or wider than the truth allows, and doubt that costs
// quotes. README.md lists those that are still to be planted.

import { Positions } from '../../../src/core/positions/positions.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { Input } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import { clampShares, type MicroShares } from '../../../src/domain/shares.ts';
import type { MarketView, PositionView, StateView } from '../../../src/domain/view.ts';
import type { Mutation } from './mutation.ts';
import { all, misread, replaced, told } from './tools.ts';
import { TRADES_UNTOLD } from './untold.ts';

/** Longer than balances lag, and than any read is waited for. */
const OLD_MS = 240_000;

export const DOUBT_BUGS: readonly Mutation[] = [
  {
    name: 'settlement-of-the-other-token',
    about: 'takes what settles of one outcome for shares of the other',
    lookIn: ['calm', 'feed'],
    engine: (engine) => {
      const sibling = new Map<TokenId, TokenId>();
      const stepper = told(engine, (message) =>
        message.kind === 'tradeSettled' && message.tokenId !== undefined
          ? [{ ...message, tokenId: sibling.get(message.tokenId) ?? message.tokenId }]
          : [message],
      );
      return {
        step: (input) => {
          learnSiblings(input, sibling);
          return stepper.step(input);
        },
      };
    },
  },
  {
    name: 'failed-trades-unread',
    about: 'does not hear that a settlement failed',
    lookIn: ['account', 'everything'],
    engine: (engine) =>
      told(engine, (message) => (message.kind === 'tradeFailed' ? [] : [message])),
  },
  {
    name: 'adopted-while-trading',
    about: 'takes the amount that balances show as soon as two seconds were quiet',
    lookIn: ['account', 'feed', 'everything'],
    engine: (engine) =>
      misread(engine, (settings) => ({
        ...settings,
        timing: { ...settings.timing, positionLagMs: 2_000 },
      })),
  },
  {
    name: 'balances-of-before',
    about: 'takes balances that are four minutes old for new ones',
    lookIn: ['calm', 'feed'],
    atRest: true,
    engine: (engine) => {
      const reads: { readonly atMs: number; readonly message: VenueMessage }[] = [];
      let nowMs = 0;
      const stepper = told(engine, (message) => {
        if (message.kind !== 'balances' || message.outcome.kind !== 'ok') return [message];
        reads.push({ atMs: nowMs, message });
        while ((reads[1]?.atMs ?? nowMs) < nowMs - OLD_MS) reads.shift();
        const [old] = reads;
        const outcome = old?.message.kind === 'balances' ? old.message.outcome : message.outcome;
        return [{ ...message, outcome }];
      });
      return {
        step: (input) => {
          nowMs = input.atMs;
          return stepper.step(input);
        },
      };
    },
  },
  {
    name: 'doubt-stops-quotes',
    about: 'pulls quotes as soon as anything about a position is uncertain',
    lookIn: ['feed', 'account', 'everything'],
    engine: (engine) =>
      misread(engine, (settings) => ({ ...settings, risk: withoutDoubt(settings.risk) })),
  },
  {
    name: 'interval-too-narrow',
    about: 'leaves what is uncertain out of the interval that it shows',
    lookIn: ['feed', 'account', 'everything'],
    view: (view) => withPositions(view, ({ expected }) => ({ low: expected, high: expected })),
  },
  {
    name: 'interval-never-closes',
    about: 'keeps a share uncertain that every report has named',
    lookIn: ['calm'],
    view: (view) => withPositions(view, ({ high }) => ({ high: String(Number(high) + 1) })),
  },
  {
    name: 'profit-said-to-be-certain',
    about: 'says that its profit is certain, whatever it does not know',
    lookIn: ['feed', 'crashy', 'everything'],
    atRest: true,
    view: (view) =>
      view.account.pnlUncertaintyUsdc === undefined
        ? view
        : { ...view, account: { ...view.account, pnlUncertaintyUsdc: '0' } },
  },
  {
    name: 'limits-read-expected',
    about: 'takes what it expects for the worst that a position may be',
    lookIn: ['feed', 'crashy', 'stormy'],
    patch: () =>
      all(
        replaced(Positions.prototype, 'low', () => expectedOnly),
        replaced(Positions.prototype, 'high', () => expectedOnly),
      ),
  },
  {
    name: 'item-left-out-of-bounds',
    about: 'leaves the youngest uncertain item out of what a position may be at most',
    lookIn: ['calm', 'feed', 'crashy'],
    circumstance: TRADES_UNTOLD,
    patch: () =>
      replaced(Positions.prototype, 'high', (original) => {
        return function (this: Positions, tokenId) {
          const last = this.bounded(tokenId).findLast(({ side }) => side === 'BUY');
          return clampShares(original.call(this, tokenId) - (last?.quantity ?? 0));
        };
      }),
  },
  {
    name: 'end-without-doubt',
    about: 'takes an order that ended unreported for one that traded nothing more',
    lookIn: ['crashy', 'feed', 'stormy'],
    patch: () => replaced(Positions.prototype, 'doubt', () => () => undefined),
  },
  {
    name: 'report-closes-nothing',
    about: 'keeps in doubt what a report has named',
    lookIn: ['calm', 'clocks'],
    patch: () => replaced(Positions.prototype, 'closeOrder', () => () => undefined),
  },
];

function expectedOnly(this: Positions, tokenId: TokenId): MicroShares {
  return this.expected(tokenId);
}

function withoutDoubt<Risk>(risk: Risk): Risk & { readonly maxUncertainShares: number } {
  return { ...risk, maxUncertainShares: 0.000001 };
}

function learnSiblings(input: Input, sibling: Map<TokenId, TokenId>): void {
  if (input.kind !== 'venue' || input.message.kind !== 'catalogue') return;
  const { outcome } = input.message;
  if (outcome.kind !== 'ok') return;
  for (const { yes, no } of outcome.value.flatMap(({ markets }) => markets))
    sibling.set(yes.tokenId, no.tokenId).set(no.tokenId, yes.tokenId);
}

function withPositions(
  view: StateView,
  change: (position: PositionView) => Partial<PositionView>,
): StateView {
  const changed = (market: MarketView): MarketView => {
    if (market.positions === undefined) return market;
    const { yes, no } = market.positions;
    const positions = { yes: { ...yes, ...change(yes) }, no: { ...no, ...change(no) } };
    return { ...market, positions };
  };
  return { ...view, markets: view.markets.map(changed) };
}
