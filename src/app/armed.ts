// Cancels that the core has armed, and the frames that set them off: each message is looked at before it waits for its
// turn, so that a wrong quote is leaving while the decision about it has not begun.
// @spec Architecture decision 16

import type {
  AheadOrder,
  Arm,
  ArmedEnd,
  ArmedPlacement,
  FiredCancel,
  FiredPlacement,
  MarketArms,
} from '../domain/arms.ts';
import type { Command } from '../domain/command.ts';
import type { MarketId, TokenId } from '../domain/ids.ts';
import type { VenueMessage } from '../domain/message.ts';

type Delta = Extract<VenueMessage, { kind: 'bookDelta' }>;

/** One market, and what of it has not fired. */
type Armed = {
  readonly arms: MarketArms;
  bids: Arm | undefined;
  asks: Arm | undefined;
  placements: readonly ArmedPlacement[];
};

/** Best prices of others on the YES price. */
type Touch = { readonly bid: number; readonly ask: number };

/** What a frame has set off, until it leaves or something voids it. */
type Due = { readonly arms: MarketArms; readonly placement: ArmedPlacement; readonly touch: Touch };

const NO_PLACEMENTS: readonly ArmedPlacement[] = Object.freeze([]);
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
  #due: Due | undefined;
  /** One batch in a turn of the core: the others were admitted as if it were not there. */
  #hasPlaced = false;

  /** Takes what a step of the core arms or disarms; of everything else it asked for nothing. */
  take(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.kind === 'arm') this.#arm(command.arms);
      else if (command.kind === 'disarm') this.#disarm(command.marketId);
      else if (command.kind === 'disarmPlacements') this.#disarmPlacements();
    }
  }

  /** The core has been told everything and has decided. */
  standUp(): void {
    this.#isStanding = true;
    this.#hasPlaced = false;
  }

  /** Something waits for the core, or it is just deciding. */
  standDown(): void {
    this.#isStanding = false;
    this.#due = undefined;
  }

  /** @returns Orders that the last frames have set off, once: nothing has come since that voids them. */
  takePlacement(): FiredPlacement | undefined {
    const due = this.#due;
    if (due === undefined) return undefined;
    this.#due = undefined;
    this.#hasPlaced = true;
    const { marketId, version, settingsVersion } = due.arms;
    const { requestId, orders } = due.placement;
    return { marketId, version, requestId, orders, settingsVersion };
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
    const { bids, asks, placements } = arms;
    const armed = { arms, bids, asks, placements };
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

  #disarmPlacements(): void {
    for (const armed of this.#byMarket.values()) armed.placements = NO_PLACEMENTS;
  }

  #onDelta(delta: Delta): readonly FiredCancel[] {
    const armed = this.#byToken.get(delta.tokenId);
    if (armed === undefined) return NONE;
    const { arms } = armed;
    if (this.#due?.arms === arms && mayMove(this.#due, delta)) this.#due = undefined;
    if (isOwnLevel(arms.own, delta)) return NONE;
    const touch = touchAfter(arms, delta);
    const by = touch.bid + touch.ask - arms.bid - arms.ask;
    if (by === 0) return NONE;
    const middle = touch.bid + touch.ask;
    const fired =
      by < 0
        ? this.#fire(armed, 'bids', (rightTo) => middle < rightTo)
        : this.#fire(armed, 'asks', (rightTo) => middle > rightTo);
    if (fired.length > 0) this.#prepare(armed, delta, touch);
    // What stands was decided on for another touch, and the next frame does not tell of this one.
    else armed.placements = NO_PLACEMENTS;
    return fired;
  }

  /** What replaces the quotes that have just been cancelled, if that was decided on for this middle. */
  #prepare(armed: Armed, delta: Delta, touch: Touch): void {
    const { arms, placements } = armed;
    armed.placements = NO_PLACEMENTS;
    if (this.#hasPlaced || this.#due !== undefined) return;
    const middle = touch.bid + touch.ask;
    const placement = placements.find((each) => each.middle === middle);
    if (placement === undefined) return;
    const wouldTake = placement.bidMax >= touch.ask || placement.askMin <= touch.bid;
    // Which shares at its level were there before them, the core would not know.
    const meetsFrame = placement.orders.some((order) => isAtLevel(arms, order, delta));
    if (!wouldTake && !meetsFrame) this.#due = { arms, placement, touch };
  }

  /** What it would have changed is unknown: no quote of the market is known to be right. */
  #onUnreadable(tokenId: TokenId): readonly FiredCancel[] {
    const armed = this.#byToken.get(tokenId);
    if (armed === undefined) return NONE;
    armed.placements = NO_PLACEMENTS;
    if (this.#due?.arms === armed.arms) this.#due = undefined;
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
function isOwnLevel(own: MarketArms['own'], { tokenId, side, price }: Delta): boolean {
  for (const level of own) {
    if (level.price === price && level.side === side && level.tokenId === tokenId) return true;
  }
  return false;
}

/** An order would join the level of a frame, on its own token or as the other outcome of it. */
function isAtLevel(arms: MarketArms, order: AheadOrder, delta: Delta): boolean {
  const price = order.tokenId === delta.tokenId ? order.price : arms.ticksPerUnit - order.price;
  return price === delta.price;
}

/** A frame at the touch or inside it may move the middle once more. */
function mayMove({ arms, touch }: Due, delta: Delta): boolean {
  const isYes = delta.tokenId === arms.yes;
  const price = isYes ? delta.price : arms.ticksPerUnit - delta.price;
  const isBid = (delta.side === 'bid') === isYes;
  return isBid ? price >= touch.bid : price <= touch.ask;
}

/** Best bid and best ask behind a frame; as before where the frame alone does not tell. */
function touchAfter(arms: MarketArms, delta: Delta): Touch {
  const { bid, ask, ticksPerUnit } = arms;
  const isYes = delta.tokenId === arms.yes;
  const price = isYes ? delta.price : ticksPerUnit - delta.price;
  if (price <= 0 || price >= ticksPerUnit) return arms;
  const isBid = (delta.side === 'bid') === isYes;
  if (isBid) {
    return { ask, bid: delta.size > 0 ? Math.max(bid, price) : behind(arms.bidEnd, delta, bid) };
  }
  return { bid, ask: delta.size > 0 ? Math.min(ask, price) : behind(arms.askEnd, delta, ask) };
}

/** The next level, if it was the best one that went. */
function behind(end: ArmedEnd | undefined, { tokenId, side, price }: Delta, best: number): number {
  const isEnd = end?.price === price && end.side === side && end.tokenId === tokenId;
  return isEnd ? end.next : best;
}
