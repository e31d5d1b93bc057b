// Puts the venue together, without anything that carries requests or frames to it.

import { Decimal } from 'decimal.js';
import type { Event } from '../domain/market.ts';
import type { Clock, Timers } from '../domain/time.ts';
import { FaultPlan } from './api/faults.ts';
import { Gate } from './api/gate.ts';
import { Hub } from './api/hub.ts';
import { nanoOf } from './exchange/amounts.ts';
import type { Desk } from './exchange/desk.ts';
import { Exchange } from './exchange/exchange.ts';
import { ExchangeDesk } from './exchange/exchange-desk.ts';
import type { KeyTexts } from './exchange/identity.ts';
import { type EventPlan, plannedEvent } from './exchange/plan.ts';
import type { PaperSettings } from './options.ts';

/** A venue in process: what tests, the crowd and whoever serves it need of it. */
export type PaperCore = {
  /** The ready-made, funded account. */
  readonly account: KeyTexts;
  readonly desk: Desk;
  readonly exchange: Exchange;
  readonly gate: Gate;
  readonly hub: Hub;
  /** Things that go wrong on purpose. */
  readonly faults: FaultPlan;
  /** Opens another account with credentials of its own. */
  openAccount(name: string, cash: string | number): KeyTexts;
  /** New credentials for an account; the old ones die at once, live sockets included. */
  regenerate(name: string): KeyTexts;
  /** A browser session's token for an account. */
  issueBearer(name: string, lifetimeMs: number): string;
};

/** Builds a venue on the given time, with its events listed and one account funded. */
export function assembleVenue(
  settings: PaperSettings,
  time: { readonly clock: Clock; readonly timers: Timers },
): PaperCore {
  const { seed, rules, timing, dialect, budgets, accountBudgets, bodyBytesMax } = settings;
  const exchange = new Exchange({ ...time, seed, rules, timing });
  for (const listing of settings.events) listOne(exchange, listing);
  const faults = new FaultPlan();
  const gate = new Gate({ exchange, dialect, budgets, accountBudgets, faults, bodyBytesMax });
  const hub = new Hub({
    ...{ exchange, dialect, faults, limits: settings.sockets },
    nowMs: () => gate.nowMs(),
  });
  const openAccount = (name: string, cash: string | number): KeyTexts => {
    const account = exchange.accounts.open(name, 'api');
    exchange.accounts.deposit(account, nanoOf(new Decimal(cash)));
    return exchange.accounts.regenerate(account);
  };
  return {
    account: openAccount(settings.accountName, settings.startingCash),
    desk: new ExchangeDesk(exchange),
    ...{ exchange, gate, hub, faults, openAccount },
    regenerate: (name) => exchange.accounts.regenerate(exchange.accounts.named(name)),
    issueBearer: (name, lifetimeMs) =>
      exchange.accounts.issueBearer(exchange.accounts.named(name), lifetimeMs),
  };
}

function listOne(exchange: Exchange, listing: EventPlan | Event): void {
  if ('grid' in listing) exchange.list(listing);
  else exchange.list(plannedEvent(listing), listing.tags ?? []);
}
