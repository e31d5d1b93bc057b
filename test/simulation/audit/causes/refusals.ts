// The venue refused one side, market or account more often than the setting allows, in one word or in
// none, as the network told it. Words that have a cure of their own do not count.

import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { LimitOrder } from '../../../../src/domain/order.ts';
import type { PlaceCommand } from '../../world/network.ts';
import { axisOf, marketOf } from '../axis.ts';
import { eventsOf } from '../left.ts';
import type { Room } from '../room.ts';
import type { Cause, Due, Place } from './cause.ts';
import { CauseCount } from './tally.ts';

type Placed = Extract<VenueMessage, { readonly kind: 'placed' }>;

const CONTROL = 'repeated_refusals';
/** Wrong orders, and want of cash or shares; some venues name no code. */
const COUNTED = new Set([
  undefined,
  'insufficient_balance',
  'insufficient_shares',
  'tick_size_violation',
  'price_out_of_range',
  'invalid_price',
  'invalid_quantity',
  'below_min_notional',
]);

export class RefusalCause implements Cause {
  readonly #room: Room;
  readonly #count = new CauseCount();
  /** What this process has asked for and has no answer to. */
  readonly #asked = new Map<number, readonly LimitOrder[]>();
  #events: ReadonlySet<string>;

  constructor(room: Room) {
    this.#room = room;
    this.#events = eventsOf(room.settings);
  }

  onProcessStarts(): void {
    this.#count.clear();
    this.#asked.clear();
  }

  /** A market that comes or goes counts anew. */
  onSettings(settings: CoreSettings): void {
    this.#events = eventsOf(settings);
    this.#count.clear();
  }

  onPlacing({ requestId, orders }: PlaceCommand): void {
    this.#asked.set(requestId, orders);
  }

  onMessage(message: VenueMessage): void {
    if (message.kind !== 'placed') return;
    const orders = this.#asked.get(message.requestId) ?? [];
    this.#asked.delete(message.requestId);
    for (const each of message.outcomes) {
      const order = orders.find(({ intentId }) => intentId === each.intentId);
      if (order) this.#onOutcome(order, each.outcome, orders.length > 1);
    }
  }

  onMoved({ control, where }: Place): void {
    if (control !== CONTROL) return;
    for (const code of COUNTED) this.#count.onMoved(`${where}/${code}`);
  }

  due(): readonly Due[] {
    return [...this.#count.reached()].map(([key, text]) => {
      const [where = '', code] = key.split('/');
      return { control: CONTROL, where, detail: `refused as ${code} ${text}` };
    });
  }

  /** What is said of one of several may be about another of them: the one that goes alone counts. */
  #onOutcome(
    order: LimitOrder,
    outcome: Placed['outcomes'][number]['outcome'],
    isOfBatch: boolean,
  ): void {
    const found = marketOf(this.#room.venue.exchange, order.tokenId);
    if (found === undefined || !this.#events.has(found.market.listed.event.slug)) return;
    const { id } = found.market.market;
    const side = `${id} ${axisOf(found, order).side}`;
    if (outcome.kind === 'accepted')
      for (const code of COUNTED) this.#count.forget(`${side}/${code}`);
    if (isOfBatch || outcome.kind !== 'refused' || !COUNTED.has(outcome.refusal.code)) return;
    this.#add({ side, market: id, account: 'account' }, outcome.refusal.code);
  }

  #add(
    where: Readonly<Record<'side' | 'market' | 'account', string>>,
    code: string | undefined,
  ): void {
    const { settings, levels, nowMs, hostMs = nowMs } = this.#room;
    const limits = settings.risk.refusals;
    if (limits === undefined) return;
    const { intervalMs } = limits;
    for (const scope of ['side', 'market', 'account'] as const) {
      const place = { control: CONTROL, where: where[scope] } as const;
      if (levels.isOn(place)) continue;
      // What nobody has named may be the condition of one market, and costs no other market a quote.
      if (scope === 'account' && code === undefined) continue;
      this.#count.add(`${where[scope]}/${code}`, {
        hostMs: hostMs(),
        intervalMs,
        limit: limits[scope],
      });
    }
  }
}
