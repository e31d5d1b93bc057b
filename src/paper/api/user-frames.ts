// What authenticated sockets are reported their own account. @spec Events › User channel (Auth)

import type { UnixMs } from '../../domain/time.ts';
import type { Account } from '../exchange/account.ts';
import type { ExchangeEvent } from '../exchange/events.ts';
import type { Dialect } from './dialect.ts';
import {
  type Frame,
  failedFrame,
  orderFrame,
  positionFrame,
  settledFrame,
  summaryFrame,
} from './frames.ts';
import type { HubOptions } from './hub-options.ts';
import type { Session } from './session.ts';

export type UserEvent = Extract<
  ExchangeEvent,
  { kind: 'orderUpdated' | 'tradeSettled' | 'tradeFailed' | 'positionMoved' | 'accountChanged' }
>;

type Listening = {
  readonly sessions: Set<Session>;
  /** When totals were last sent, so that they go out about once a second at most. */
  summaryAtMs: UnixMs | undefined;
  isSummaryDue: boolean;
};

export class UserFrames {
  readonly #options: HubOptions;
  /** One entry per account with an authenticated socket. */
  readonly #byAccount = new Map<Account, Listening>();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  join(session: Session, account: Account): void {
    const listening = this.#byAccount.get(account) ?? {
      sessions: new Set<Session>(),
      summaryAtMs: undefined,
      isSummaryDue: false,
    };
    listening.sessions.add(session);
    this.#byAccount.set(account, listening);
  }

  leave(session: Session): void {
    const account = session.caller?.account;
    const listening = account && this.#byAccount.get(account);
    if (!listening) return;
    listening.sessions.delete(session);
    if (listening.sessions.size === 0) this.#byAccount.delete(account);
  }

  on(event: UserEvent): void {
    switch (event.kind) {
      case 'orderUpdated':
        this.#tellOrder(event);
        return;
      case 'tradeSettled':
        this.#send(event.leg.account, () => settledFrame(event.leg, event, this.#options.dialect));
        return;
      case 'tradeFailed':
        this.#send(event.leg.account, () => failedFrame(event.leg, event.reason));
        return;
      case 'positionMoved':
        this.#send(event.account, () => positionFrame(event));
        return;
      case 'accountChanged':
        this.#dueSummary(event.account);
    }
  }

  /** Progress of a settlement is told only where `filledQuantity` means what has settled. */
  #tellOrder({ order, cause }: UserEvent & { readonly kind: 'orderUpdated' }): void {
    const { dialect } = this.#options;
    const isSilent = cause === 'settled' && (dialect.socketFilled === 'matched' || order.end);
    if (!isSilent) this.#send(order.terms.account, () => orderFrame(order, dialect));
  }

  #dueSummary(account: Account): void {
    const listening = this.#byAccount.get(account);
    if (!listening || listening.isSummaryDue) return;
    listening.isSummaryDue = true;
    const { exchange, limits } = this.#options;
    const nowMs = exchange.context.clock.nowMs();
    const sinceMs = nowMs - (listening.summaryAtMs ?? Number.NEGATIVE_INFINITY);
    const waitMs = Math.max(0, limits.summaryMsMin - sinceMs);
    exchange.context.timers.after(waitMs, () => this.#sendSummary(account, listening));
  }

  #sendSummary(account: Account, listening: Listening): void {
    const { exchange, dialect } = this.#options;
    listening.isSummaryDue = false;
    listening.summaryAtMs = exchange.context.clock.nowMs();
    this.#send(account, () => summaryFrame(account, exchange, dialect));
  }

  #send(account: Account, frame: () => Frame): void {
    const listening = this.#byAccount.get(account);
    if (!listening || this.#options.faults.mute.user) return;
    const text = JSON.stringify(shaped(frame(), this.#options.dialect));
    for (const session of [...listening.sessions]) {
      session.sendText(text);
      if (session.isClosed) listening.sessions.delete(session);
    }
  }
}

/** Puts the fields of a frame into `data` or out of it, where the deployment is of one mind. */
function shaped(frame: Frame, dialect: Dialect): Frame {
  if (dialect.userData === 'shown') return frame;
  const { type, data, ...beside } = frame;
  const fields = typeof data === 'object' && data !== null ? data : beside;
  return dialect.userData === 'always' ? { type, data: fields } : { type, ...fields };
}
