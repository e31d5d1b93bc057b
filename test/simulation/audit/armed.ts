// Rules of cancels that leave before a decision: by what was armed last, once, for what the frame has made wrong,
// while nothing but books waits for the core, and heard and kept by it. `armed_stale`, `armed_twice`,
// `armed_wrong_side`, `armed_while_stopped`, `armed_untold`.

import type { MarketArms } from '../../../src/domain/arms.ts';
import type { Command, VenueCommand } from '../../../src/domain/command.ts';
import type { MarketId, OrderHash, RequestId } from '../../../src/domain/ids.ts';
import type { Input, OperatorOrder } from '../../../src/domain/input.ts';
import type { VenueMessage } from '../../../src/domain/message.ts';
import type { Report } from '../../../src/domain/report.ts';
import type { NamedCancel } from '../world/network.ts';
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
    if (input.kind === 'fired') {
      this.#untold.delete(input.requestId);
      for (const hash of input.orderHashes) this.#unkept.add(hash);
    }
    if (input.kind !== 'tick') return;
    this.#waiting = undefined;
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
    if (command.kind !== 'record' || command.record.kind !== 'order') return;
    const { orderHash, state } = command.record.order;
    if (orderHash !== undefined && state === 'cancelling') this.#unkept.delete(orderHash);
  }

  onAsking(command: VenueCommand): void {
    if (command.kind === 'cancelOrders') this.#note(command, false);
  }

  /** A named cancel leaves that no step has asked for. */
  onFiring(cancel: NamedCancel): void {
    const { violate, marks } = this.#room;
    marks.add('armed:fired', cancel.orderHashes.length);
    this.#note(cancel, true);
    this.#untold.add(cancel.requestId);
    const what = `request ${cancel.requestId}`;
    if (this.#isStopped) violate('armed_while_stopped', `${what} leaves while nothing is quoted`);
    if (this.#waiting !== undefined)
      violate('armed_stale', `${what} leaves while ${this.#waiting} waits for the core`);
    const arms = [...this.#standing.values()].find(
      ({ bids, asks }) =>
        bids?.requestId === cancel.requestId || asks?.requestId === cancel.requestId,
    );
    if (arms === undefined) violate('armed_stale', `${what} is not what was armed last`);
    else this.#checkSide(arms, cancel);
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

/** Where the middle of the market goes with a level that comes or goes. */
function wayOf({ yes, no }: MarketArms, message: VenueMessage): Way {
  if (message.kind !== 'bookDelta') return 'unknown';
  if (message.tokenId !== yes && message.tokenId !== no) return 'unknown';
  const isBid = (message.side === 'bid') === (message.tokenId === yes);
  return isBid === message.size > 0 ? 'rises' : 'falls';
}
