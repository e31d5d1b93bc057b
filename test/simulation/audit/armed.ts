// Rules of cancels and placements that leave before a decision: by what was armed last, once, for what the frame has
// made wrong, while nothing but books waits for the core, and heard and kept by it. Placements, too, only while nothing
// is kept anew that they were not admitted by. `armed_stale`, `armed_twice`, `armed_wrong_side`, `armed_while_stopped`,
// `armed_untold`.

import type { ArmedPlacement, MarketArms } from '../../../src/domain/arms.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import type { IntentId, MarketId, OrderHash, RequestId } from '../../../src/domain/ids.ts';
import type { Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { NamedCancel, PlaceCommand } from '../world/network.ts';
import type { Room, Rules } from './room.ts';

type Way = 'falls' | 'rises' | 'unknown';

/** These wait for the core and change nothing that was decided on. */
const HARMLESS: readonly VenueMessage['kind'][] = ['bookDelta', 'bookUnreadable', 'trade'];

export class ArmedRules implements Rules {
  readonly #room: Room;
  readonly #standing = new Map<MarketId, MarketArms>();
  /** Named cancels without an answer: which request, and whether a frame set it off. */
  readonly #underWay = new Map<OrderHash, { readonly id: RequestId; readonly isFired: boolean }>();
  /** Fired, and no input of the core yet. */
  readonly #untold = new Set<RequestId>();
  /** Orders whose record is due before the core hears of anything else. */
  readonly #unkept = new Set<OrderHash>();
  /** Intents of placements ahead whose record is due in the same way. */
  readonly #unkeptIntents = new Set<IntentId>();
  /** Frames that have set a cancel off since the core decided last, by market. */
  readonly #setOff = new Map<MarketId, VenueMessage>();
  #hasPlaced = false;
  #waiting: string | undefined;
  #last: VenueMessage | undefined;
  #isStopped = false;

  constructor(room: Room) {
    this.#room = room;
  }

  onProcessStarts(): void {
    this.#standing.clear();
    this.#underWay.clear();
    this.#untold.clear();
    this.#unkept.clear();
    this.#unkeptIntents.clear();
    this.#setOff.clear();
    this.#hasPlaced = false;
    this.#waiting = undefined;
    this.#isStopped = false;
  }

  onOperator({ kind }: OperatorOrder): void {
    this.#waiting = kind;
  }

  onMessage(message: VenueMessage): void {
    this.#last = message;
    if (!HARMLESS.includes(message.kind)) this.#waiting = message.kind;
    if (message.kind !== 'cancelled') return;
    for (const [hash, { id }] of this.#underWay)
      if (id === message.requestId) this.#underWay.delete(hash);
  }

  onInput(input: Input): void {
    for (const hash of this.#unkept)
      this.#room.violate('armed_untold', `${hash} was cancelled by a frame and is not kept so`);
    this.#unkept.clear();
    for (const intent of this.#unkeptIntents)
      this.#room.violate('armed_untold', `${intent} was placed by a frame and is not kept so`);
    this.#unkeptIntents.clear();
    if (input.kind === 'placedAhead') {
      this.#untold.delete(input.requestId);
      for (const { intentId } of input.orders) this.#unkeptIntents.add(intentId);
    }
    if (input.kind === 'fired') {
      this.#untold.delete(input.requestId);
      for (const hash of input.orderHashes) this.#unkept.add(hash);
    }
    if (input.kind !== 'tick') return;
    this.#waiting = undefined;
    this.#hasPlaced = false;
    this.#setOff.clear();
    for (const id of this.#untold)
      this.#room.violate('armed_untold', `the core decides without request ${id}`);
    this.#untold.clear();
  }

  onReport(report: Report): void {
    if (report.event === 'phase.changed') this.#isStopped = report.to !== 'quoting';
  }

  onCommanded(command: Command): void {
    if (command.kind === 'arm') this.#standing.set(command.arms.marketId, command.arms);
    if (command.kind === 'disarm') {
      if (command.marketId === undefined) this.#standing.clear();
      else this.#standing.delete(command.marketId);
    }
    if (command.kind === 'disarmPlacements' || command.kind === 'record') this.#voidPlacements();
    if (command.kind !== 'record' || command.record.kind !== 'order') return;
    const { intentId, orderHash, state } = command.record.order;
    this.#unkeptIntents.delete(intentId);
    if (orderHash !== undefined && state === 'cancelling') this.#unkept.delete(orderHash);
  }

  onAsking(command: VenueCommand): void {
    if (command.kind === 'cancelOrders') this.#note(command, false);
  }

  /** What was admitted before anything was kept anew was admitted against the past. */
  #voidPlacements(): void {
    for (const [id, arms] of this.#standing) {
      if (arms.placements.length > 0) this.#standing.set(id, { ...arms, placements: [] });
    }
  }

  /** A request leaves that no step has asked for. */
  onFiring(command: NamedCancel | PlaceCommand): void {
    const { violate } = this.#room;
    this.#untold.add(command.requestId);
    const what = `request ${command.requestId}`;
    if (this.#isStopped) violate('armed_while_stopped', `${what} leaves while nothing is quoted`);
    if (this.#waiting !== undefined)
      violate('armed_stale', `${what} leaves while ${this.#waiting} waits for the core`);
    if (command.kind === 'placeOrders') this.#onPlacing(command);
    else this.#onCancelling(command);
  }

  #onPlacing({ requestId, orders }: PlaceCommand): void {
    const { violate, marks } = this.#room;
    marks.add('armed:placed', orders.length);
    const what = `request ${requestId}`;
    if (this.#hasPlaced) violate('armed_twice', `${what} leaves behind another one of this turn`);
    this.#hasPlaced = true;
    for (const arms of this.#standing.values()) {
      const placement = arms.placements.find((each) => each.requestId === requestId);
      if (placement === undefined) continue;
      const frame = this.#setOff.get(arms.marketId);
      const wrong = frame === undefined ? 'for no frame' : wrongPlacement(arms, placement, frame);
      if (wrong !== undefined) violate('armed_wrong_side', `${what} leaves ${wrong}`);
      return;
    }
    violate('armed_stale', `${what} places what was not armed last`);
  }

  #onCancelling(cancel: NamedCancel): void {
    const { violate, marks } = this.#room;
    marks.add('armed:fired', cancel.orderHashes.length);
    this.#note(cancel, true);
    const what = `request ${cancel.requestId}`;
    const arms = [...this.#standing.values()].find(
      ({ bids, asks }) =>
        bids?.requestId === cancel.requestId || asks?.requestId === cancel.requestId,
    );
    if (arms === undefined) violate('armed_stale', `${what} is not what was armed last`);
    else {
      this.#checkSide(arms, cancel);
      if (this.#last !== undefined) this.#setOff.set(arms.marketId, this.#last);
    }
  }

  #checkSide(arms: MarketArms, { requestId }: NamedCancel): void {
    const way = this.#last === undefined ? 'unknown' : wayOf(arms, this.#last);
    const due = arms.bids?.requestId === requestId ? 'falls' : 'rises';
    if (way === due || this.#last?.kind === 'bookUnreadable') return;
    const detail = `request ${requestId} leaves, for a book that ${due}, and the frame says ${way}`;
    this.#room.violate('armed_wrong_side', detail);
  }

  #note({ requestId, orderHashes }: NamedCancel, isFired: boolean): void {
    for (const hash of orderHashes) {
      const before = this.#underWay.get(hash);
      // What clears an account names every order once more, whatever is in flight.
      const isDecided = before?.isFired === true && !this.#isStopped;
      if (before !== undefined && (isFired || isDecided))
        this.#room.violate('armed_twice', `${hash} is cancelled while request ${before.id} is`);
      this.#underWay.set(hash, { id: requestId, isFired });
    }
  }
}

/** What is wrong about orders that a frame has set off; its own level says where the middle is, if it came. */
function wrongPlacement(
  arms: MarketArms,
  { middle, orders }: ArmedPlacement,
  frame: VenueMessage,
): string | undefined {
  const { bid, ask, yes, ticksPerUnit } = arms;
  const way = wayOf(arms, frame);
  if (way !== (middle > bid + ask ? 'rises' : 'falls')) return `for a book that ${way}`;
  if (frame.kind !== 'bookDelta') return 'for no change of a level';
  const onAxis = (token: string, price: number) => (token === yes ? price : ticksPerUnit - price);
  const level = onAxis(frame.tokenId, frame.price);
  const touch = frame.size > 0 ? level : undefined;
  if (touch !== undefined && middle !== touch + (way === 'rises' ? ask : bid))
    return `for a middle of ${middle} half ticks, and the frame makes another one`;
  const bidNow = way === 'rises' ? (touch ?? bid) : 0;
  const askNow = way === 'falls' ? (touch ?? ask) : ticksPerUnit;
  const crosses = orders.some(({ tokenId, side, price }) => {
    const isBid = (side === 'BUY') === (tokenId === yes);
    const at = onAxis(tokenId, price);
    return isBid ? at >= Math.min(askNow, way === 'rises' ? ask : askNow) : at <= bidNow;
  });
  return crosses ? 'to take what the frame shows' : undefined;
}

/** Where the middle of the market goes with a level that comes or goes. */
function wayOf({ yes, no }: MarketArms, message: VenueMessage): Way {
  if (message.kind !== 'bookDelta') return 'unknown';
  if (message.tokenId !== yes && message.tokenId !== no) return 'unknown';
  const isBid = (message.side === 'bid') === (message.tokenId === yes);
  return isBid === message.size > 0 ? 'rises' : 'falls';
}
