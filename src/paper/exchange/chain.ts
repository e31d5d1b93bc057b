// Conditional tokens: sets are split and merged, winnings redeemed.

import type { OutcomeIndex } from '../../domain/market.ts';
import type { Account } from './account.ts';
import { nanoOfMicro } from './amounts.ts';
import type { ExchangeContext } from './context.ts';
import { mergeSet, mintSet, takeShares } from './ledger.ts';
import type { ListedMarket } from './listed-market.ts';
import { INDEXES } from './market-book.ts';
import { VenueRefusal } from './refusal.ts';
import type { Settlement } from './settlement.ts';

export type Claim = { readonly market: ListedMarket; readonly winningMicro: number };

export class Chain {
  readonly #context: ExchangeContext;
  readonly #settlement: Settlement;

  constructor(context: ExchangeContext, settlement: Settlement) {
    this.#context = context;
    this.#settlement = settlement;
  }

  /** @throws {VenueRefusal} `insufficient_balance`, `market_resolved` @spec Conditional tokens */
  split(account: Account, market: ListedMarket, countMicro: number): string {
    checkUnresolved(market);
    if (account.availableNano() < nanoOfMicro(countMicro)) {
      throw new VenueRefusal('insufficient_balance', 'not enough USDC after open-order holds');
    }
    mintSet(account, market, countMicro);
    return this.#told(account, market, countMicro);
  }

  /** @throws {VenueRefusal} `insufficient_shares`, `market_resolved` @spec Conditional tokens */
  merge(account: Account, market: ListedMarket, countMicro: number): string {
    checkUnresolved(market);
    for (const index of INDEXES) {
      if (account.sellableMicro(market.outcome(index).tokenId) < countMicro) {
        throw new VenueRefusal('insufficient_shares', 'a full set of settled shares is needed');
      }
    }
    mergeSet(account, market, countMicro);
    return this.#told(account, market, -countMicro);
  }

  /**
   * Winning shares pay 1.00 each, losing ones are burnt.
   * @throws {VenueRefusal} `invalid_request` before resolution, `insufficient_shares` for nothing.
   * @spec Conditional tokens
   */
  redeem(account: Account, market: ListedMarket): string {
    if (market.winner === undefined) {
      throw new VenueRefusal('invalid_request', 'the market is not resolved');
    }
    if (winningMicro(account, market) === 0) {
      throw new VenueRefusal('insufficient_shares', 'no winning shares to redeem');
    }
    for (const index of INDEXES) this.#payOut(account, market, index);
    return this.#finish(account);
  }

  claimable(account: Account, markets: readonly ListedMarket[]): readonly Claim[] {
    return markets
      .map((market) => ({ market, winningMicro: winningMicro(account, market) }))
      .filter((claim) => claim.winningMicro > 0);
  }

  #payOut(account: Account, market: ListedMarket, index: OutcomeIndex): void {
    const { tokenId } = market.outcome(index);
    const countMicro = account.sellableMicro(tokenId);
    if (countMicro === 0) return;
    const proceeds = nanoOfMicro(index === market.winner ? countMicro : 0);
    account.cashNano += proceeds;
    takeShares(account, account.holding(tokenId), { countMicro, proceeds });
    this.#move(account, {
      market,
      index,
      deltaMicro: -countMicro,
      price: payoutText(market, index),
    });
  }

  #told(account: Account, market: ListedMarket, deltaMicro: number): string {
    for (const index of INDEXES) {
      this.#move(account, { market, index, deltaMicro, price: '0.5' });
    }
    return this.#finish(account);
  }

  #move(
    account: Account,
    to: {
      readonly market: ListedMarket;
      readonly index: OutcomeIndex;
      readonly deltaMicro: number;
      readonly price: string;
    },
  ): void {
    const { market, index, deltaMicro } = to;
    const token = { market, index };
    this.#settlement.index(account, token, deltaMicro);
    this.#context.emit({
      kind: 'positionMoved',
      account,
      token,
      deltaMicro,
      averagePrice: to.price,
    });
  }

  #finish(account: Account): string {
    this.#context.emit({ kind: 'accountChanged', account });
    return this.#context.hashes.next();
  }
}

function winningMicro(account: Account, market: ListedMarket): number {
  if (market.winner === undefined) return 0;
  return account.sellableMicro(market.outcome(market.winner).tokenId);
}

function payoutText(market: ListedMarket, index: OutcomeIndex): string {
  return index === market.winner ? '1' : '0';
}

function checkUnresolved(market: ListedMarket): void {
  if (market.trading !== 'resolved') return;
  throw new VenueRefusal('market_resolved', 'the market is resolved');
}
