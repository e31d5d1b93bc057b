// Cancels that the core has armed, and the frames that set them off: each message is looked at before it waits for its
// turn, so that a wrong quote is leaving while the decision about it has not begun.
// @spec Architecture decision 16

import type { Arm, ArmedEnd, FiredCancel, MarketArms } from '../domain/arms.ts';
import type { Command } from '../domain/command.ts';
import type { MarketId, TokenId } from '../domain/ids.ts';
import type { VenueMessage } from '../domain/message.ts';

type Delta = Extract<VenueMessage, { kind: 'bookDelta' }>;

/** One market, and what of it has not fired. */
type Armed = { readonly arms: MarketArms; bids: Arm | undefined; asks: Arm | undefined };

const NONE: readonly FiredCancel[] = Object.freeze([]);

/**
 * What is armed holds as long as the core has been told everything but books and public trades. Whatever else
 * arrives (a fill, an answer, an order of the operator, settings) may have changed what it was decided on: nothing
 * fires until the core has had its turn.
 */
export class ArmedCancels {
  readonly #byMarket = new Map<MarketId, Armed>();
  readonly #byToken = new Map<TokenId, Armed>();
  #isStanding = false;

  /** Takes what a step of the core arms or disarms; of everything else it asked for nothing. */
  take(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.kind === 'arm') this.#arm(command.arms);
      else if (command.kind === 'disarm') this.#disarm(command.marketId);
    }
  }

  /** The core has been told everything and has decided. */
  standUp(): void {
    this.#isStanding = true;
  }

  /** Something waits for the core, or it is just deciding. */
  standDown(): void {
    this.#isStanding = false;
  }

  /** @returns What has to leave now; it is armed no more. */
  hear(message: VenueMessage): readonly FiredCancel[] {
    switch (message.kind) {
      case 'bookDelta':
        return this.#isStanding ? this.#onDelta(message) : NONE;
      case 'bookUnreadable':
        return this.#isStanding ? this.#onUnreadable(message.tokenId) : NONE;
      case 'trade':
        return NONE;
      default:
        this.standDown();
        return NONE;
    }
  }

  #arm(arms: MarketArms): void {
    this.#disarm(arms.marketId);
    const armed = { arms, bids: arms.bids, asks: arms.asks };
    this.#byMarket.set(arms.marketId, armed);
    this.#byToken.set(arms.yes, armed);
    this.#byToken.set(arms.no, armed);
  }

  #disarm(marketId: MarketId | undefined): void {
    if (marketId === undefined) {
      this.#byMarket.clear();
      this.#byToken.clear();
      return;
    }
    const armed = this.#byMarket.get(marketId);
    if (armed === undefined) return;
    this.#byMarket.delete(marketId);
    this.#byToken.delete(armed.arms.yes);
    this.#byToken.delete(armed.arms.no);
  }

  #onDelta(delta: Delta): readonly FiredCancel[] {
    const armed = this.#byToken.get(delta.tokenId);
    if (armed === undefined || isOwnLevel(armed.arms, delta)) return NONE;
    const { bid, ask } = armed.arms;
    const middle = middleAfter(armed.arms, delta);
    if (middle < bid + ask) return this.#fire(armed, 'bids', (rightTo) => middle < rightTo);
    if (middle > bid + ask) return this.#fire(armed, 'asks', (rightTo) => middle > rightTo);
    return NONE;
  }

  /** What it would have changed is unknown: no quote of the market is known to be right. */
  #onUnreadable(tokenId: TokenId): readonly FiredCancel[] {
    const armed = this.#byToken.get(tokenId);
    if (armed === undefined) return NONE;
    const bids = this.#fire(armed, 'bids', () => true);
    return [...bids, ...this.#fire(armed, 'asks', () => true)];
  }

  #fire(
    armed: Armed,
    side: 'bids' | 'asks',
    isWrong: (rightTo: number) => boolean,
  ): readonly FiredCancel[] {
    const arm = armed[side];
    if (arm === undefined) return NONE;
    const wrong = arm.orders.filter(({ rightTo }) => isWrong(rightTo));
    if (wrong.length === 0) return NONE;
    armed[side] = undefined;
    const { marketId, version } = armed.arms;
    const orderHashes = wrong.map(({ orderHash }) => orderHash);
    return [{ marketId, version, requestId: arm.requestId, orderHashes }];
  }
}

/** Our own order comes or goes there, with or without one of somebody else. */
function isOwnLevel({ own }: MarketArms, { tokenId, side, price }: Delta): boolean {
  for (const level of own) {
    if (level.price === price && level.side === side && level.tokenId === tokenId) return true;
  }
  return false;
}

/** Best bid plus best ask behind a frame; as before where the frame alone does not tell. */
function middleAfter(arms: MarketArms, delta: Delta): number {
  const { bid, ask, ticksPerUnit } = arms;
  const isYes = delta.tokenId === arms.yes;
  const price = isYes ? delta.price : ticksPerUnit - delta.price;
  if (price <= 0 || price >= ticksPerUnit) return bid + ask;
  const isBid = (delta.side === 'bid') === isYes;
  if (isBid) return ask + (delta.size > 0 ? Math.max(bid, price) : behind(arms.bidEnd, delta, bid));
  return bid + (delta.size > 0 ? Math.min(ask, price) : behind(arms.askEnd, delta, ask));
}

/** The next level, if it was the best one that went. */
function behind(end: ArmedEnd | undefined, { tokenId, side, price }: Delta, best: number): number {
  const isEnd = end?.price === price && end.side === side && end.tokenId === tokenId;
  return isEnd ? end.next : best;
}
