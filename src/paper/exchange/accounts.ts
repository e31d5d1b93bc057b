// The accounts of the venue, and how each confirms who it is.

import { Secret } from '../../domain/secret.ts';
import { addMs, type UnixMs } from '../../domain/time.ts';
import { Account, type AccountKind } from './account.ts';
import type { NanoUsdc } from './amounts.ts';
import type { ExchangeContext } from './context.ts';
import { derivedKeys, type KeyTexts } from './identity.ts';
import { VenueRefusal } from './refusal.ts';

export type ApiKey = {
  readonly account: Account;
  readonly apiKey: string;
  readonly secret: Secret;
  readonly passphrase: string;
};

type BearerToken = { readonly account: Account; readonly expiresAtMs: UnixMs };

/** Identity-provider sessions that are remembered; the oldest go first. */
const BEARERS_MAX = 1_000;

export class Accounts {
  readonly #context: ExchangeContext;
  readonly #seed: number;
  readonly #byName = new Map<string, Account>();
  readonly #keys = new Map<string, ApiKey>();
  readonly #keyOf = new Map<Account, string>();
  readonly #generations = new Map<Account, number>();
  readonly #bearers = new Map<string, BearerToken>();

  constructor(context: ExchangeContext, seed: number) {
    this.#context = context;
    this.#seed = seed;
  }

  all(): readonly Account[] {
    return [...this.#byName.values()];
  }

  find(name: string): Account | undefined {
    return this.#byName.get(name);
  }

  /** @throws {VenueRefusal} `account_restricted` when nobody has this name. */
  named(name: string): Account {
    const account = this.#byName.get(name);
    if (account) return account;
    throw new VenueRefusal('account_restricted', `${name} has no account`);
  }

  /** @throws {VenueRefusal} `already_exists` */
  open(name: string, kind: AccountKind): Account {
    if (this.#byName.has(name)) throw new VenueRefusal('already_exists', `${name} has an account`);
    const account = new Account(name, kind);
    this.#byName.set(name, account);
    return account;
  }

  deposit(account: Account, amountNano: NanoUsdc): void {
    account.cashNano += amountNano;
    account.netDepositsNano += amountNano;
    this.#note(account, 'deposit', amountNano);
  }

  /** @throws {VenueRefusal} `insufficient_balance` */
  withdraw(account: Account, amountNano: NanoUsdc): void {
    if (account.availableNano() < amountNano) {
      throw new VenueRefusal('insufficient_balance', 'not enough USDC after open-order holds');
    }
    account.cashNano -= amountNano;
    account.netDepositsNano -= amountNano;
    this.#note(account, 'withdrawal', amountNano);
  }

  /** New credentials; the old ones are dead from this moment, live sockets included. */
  regenerate(account: Account): KeyTexts {
    const generation = (this.#generations.get(account) ?? 0) + 1;
    const texts = derivedKeys(this.#seed, account.name, generation);
    const old = this.#keyOf.get(account);
    this.#generations.set(account, generation);
    if (old !== undefined) this.#keys.delete(old);
    this.#keys.set(texts.apiKey, {
      account,
      apiKey: texts.apiKey,
      secret: new Secret(texts.apiSecret),
      passphrase: texts.apiPassphrase,
    });
    this.#keyOf.set(account, texts.apiKey);
    if (old !== undefined) this.#context.emit({ kind: 'keyRevoked', account, apiKey: old });
    return texts;
  }

  key(apiKey: string): ApiKey | undefined {
    return this.#keys.get(apiKey);
  }

  /** A session token as an identity provider would issue it. */
  issueBearer(account: Account, lifetimeMs: number): string {
    const token = `idp.${this.#context.hashes.next().slice(2)}`;
    const expiresAtMs = addMs(this.#context.clock.nowMs(), lifetimeMs);
    this.#bearers.set(token, { account, expiresAtMs });
    const [oldest] = this.#bearers.keys();
    if (this.#bearers.size > BEARERS_MAX && oldest !== undefined) this.#bearers.delete(oldest);
    return token;
  }

  bearer(token: string): BearerToken | undefined {
    return this.#bearers.get(token);
  }

  #note(account: Account, kind: 'deposit' | 'withdrawal', amountNano: NanoUsdc): void {
    const transfer = {
      id: this.#context.hashes.next(),
      amountNano,
      atMs: this.#context.clock.nowMs(),
    };
    (kind === 'deposit' ? account.deposits : account.withdrawals).push(transfer);
    this.#context.emit({ kind: 'accountChanged', account });
  }
}
