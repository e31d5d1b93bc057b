// The rule `conservation`: no cent and no share appears or vanishes on the venue, and every hold has an
// order behind it.

import { Decimal } from 'decimal.js';
import type { Account } from '../../../src/paper/exchange/account.ts';
import { usdcOf } from '../../../src/paper/exchange/amounts.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';
import type { ListedMarket } from '../../../src/paper/exchange/listed-market.ts';
import type { Room, Rules } from './room.ts';

const EPSILON = new Decimal('0.000001');
const MICRO = 1_000_000;
/** The whole venue is added up this often. */
const EVERY_MS = 10_000;

export class ConservationRules implements Rules {
  readonly #room: Room;
  #addedUpAtMs = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  check(nowMs: number): void {
    if (nowMs - this.#addedUpAtMs < EVERY_MS) return;
    this.#addedUpAtMs = nowMs;
    const fault = imbalance(this.#room.venue.exchange);
    if (fault !== undefined) this.#room.violate('conservation', fault);
  }
}

/** What does not add up, `undefined` when everything does. */
function imbalance(exchange: Exchange): string | undefined {
  const accounts = exchange.accounts.all();
  const markets = exchange.catalogue.events().flatMap((listed) => listed.markets);
  let worth = new Decimal(0);
  for (const market of markets) {
    const { yes, no } = sharesOf(accounts, market);
    // A payout burns the shares of one account and leaves those of the others.
    if (yes !== no && market.winner === undefined) {
      return `${market.market.title}: ${yes} micro-shares of YES, ${no} of NO`;
    }
    worth = worth.plus(new Decimal(market.winner === 0 ? no : yes).div(MICRO));
  }
  const cash = sum(accounts, (account) => usdcOf(account.cashNano));
  const deposited = sum(accounts, (account) => usdcOf(account.netDepositsNano));
  const missing = deposited.minus(cash).minus(worth);
  if (missing.abs().gt(EPSILON)) return `${missing.toFixed()} USDC are missing`;
  return accounts.map(holdFault).find((fault) => fault !== undefined);
}

function sharesOf(accounts: readonly Account[], market: ListedMarket) {
  let yes = 0;
  let no = 0;
  for (const { holdings } of accounts) {
    yes += holdings.get(market.market.yes.tokenId)?.settledMicro ?? 0;
    no += holdings.get(market.market.no.tokenId)?.settledMicro ?? 0;
  }
  return { yes, no };
}

function sum(accounts: readonly Account[], read: (account: Account) => Decimal): Decimal {
  return accounts.reduce((total, account) => total.plus(read(account)), new Decimal(0));
}

function holdFault(account: Account): string | undefined {
  if (account.kind !== 'api') return undefined;
  const held = usdcOf(account.cashHeldNano);
  if (held.lt(EPSILON.neg())) return `a cash hold of ${held.toFixed()}`;
  if (held.minus(usdcOf(account.cashNano)).gt(EPSILON)) return 'more cash is held than is there';
  for (const [tokenId, holding] of account.holdings) {
    if (holding.heldMicro < 0) return `${holding.heldMicro} micro-shares held of ${tokenId}`;
    if (holding.heldMicro > holding.settledMicro) return `more shares held than owned: ${tokenId}`;
    if (holding.settledMicro < 0) return `${holding.settledMicro} micro-shares of ${tokenId}`;
  }
  return undefined;
}
