// The daemon's records and the venue differ in a position, for longer than anything explains: somebody
// else's trade is late, positions lag behind it, and the setting lets it last for a while more.

import type { MarketId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import { eventsOf } from '../left.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

const LOOK_MS = 1_000;
/** A settlement is late, positions lag behind it, and half a minute later no lag explains them. */
const NOTICED_MS = 300_000;
/** A clock that was set ahead lets no time pass for an index: whoever sees it waits anew. */
const JUMP_MS = 10_000;

export class PositionCause implements Cause {
  readonly #room: Room;
  readonly #sinceMs = new Map<MarketId, number>();
  #events: ReadonlySet<string>;
  #lookedAtMs = 0;
  #aheadMs = 0;

  constructor(room: Room) {
    this.#room = room;
    this.#events = eventsOf(room.settings);
  }

  onLifeStarts(): void {
    this.#sinceMs.clear();
  }

  onSettings(settings: CoreSettings): void {
    this.#events = eventsOf(settings);
    this.#sinceMs.clear();
  }

  due(nowMs: number): readonly Due[] {
    const { settings } = this.#room;
    const { forMs = 0 } = settings.risk.divergence ?? {};
    if (forMs === 0) return [];
    if (nowMs - this.#lookedAtMs >= LOOK_MS) this.#look(nowMs);
    const mostMs = NOTICED_MS + settings.timing.positionLagMs + forMs;
    return [...this.#sinceMs].flatMap(([where, sinceMs]) => {
      // Whatever comes on top of it begins a doubt of its own.
      const lastedMs = nowMs - Math.max(sinceMs, this.#room.excuses.troubledAtMs(where) ?? 0);
      if (lastedMs <= mostMs) return [];
      const detail = `records and venue differ for ${lastedMs} ms`;
      return [{ control: 'position_divergence', where, detail }] as const;
    });
  }

  #look(nowMs: number): void {
    this.#lookedAtMs = nowMs;
    if (this.#hasJumped(nowMs)) this.#sinceMs.clear();
    const { venue, facts, holdings } = this.#room;
    for (const { event, markets } of venue.exchange.catalogue.events()) {
      for (const { market, trading } of markets) {
        const { id, yes, no } = market;
        const isWatched = this.#events.has(event.slug) && trading === 'open';
        const differs = [yes, no].some(({ tokenId }) => holdings.differs(facts, tokenId));
        if (!isWatched || !differs || holdings.isRecycling(id)) this.#sinceMs.delete(id);
        else if (!this.#sinceMs.has(id)) this.#sinceMs.set(id, nowMs);
      }
    }
  }

  #hasJumped(nowMs: number): boolean {
    const beforeMs = this.#aheadMs;
    this.#aheadMs = (this.#room.hostMs?.() ?? nowMs) - nowMs;
    return this.#aheadMs - beforeMs > JUMP_MS;
  }
}
