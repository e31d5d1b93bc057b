// Nobody can say what a position is worth: since the socket was lost no snapshot has come of one of its
// books, for longer than the setting allows.

import type { TokenId } from '../../../../src/domain/ids.ts';
import type { CoreSettings } from '../../../../src/domain/input.ts';
import type { VenueMessage } from '../../../../src/domain/message.ts';
import type { Report } from '../../../../src/domain/report.ts';
import type { ListedMarket } from '../../../../src/paper/exchange/listed-market.ts';
import { isUnsure } from '../adds.ts';
import { eventsOf } from '../left.ts';
import type { Room } from '../room.ts';
import type { Cause, Due } from './cause.ts';

export class UnmarkedCause implements Cause {
  readonly #room: Room;
  #events: ReadonlySet<string>;
  /** Books that were reported for since the socket was lost last. */
  readonly #heard = new Set<TokenId>();
  #lostAtMs = 0;
  /** Since when there is a catalogue, and what is in the settings is looked at. */
  #looksSinceMs: number | undefined;

  constructor(room: Room) {
    this.#room = room;
    this.#events = eventsOf(room.settings);
  }

  onProcessStarts(nowMs: number): void {
    this.#heard.clear();
    this.#lostAtMs = nowMs;
    this.#looksSinceMs = undefined;
  }

  /** A market that comes back begins anew. */
  onSettings(settings: CoreSettings): void {
    this.#events = eventsOf(settings);
    if (this.#looksSinceMs !== undefined) this.#looksSinceMs = this.#room.nowMs();
  }

  /** What quotes has a catalogue. */
  onReport(report: Report, nowMs: number): void {
    if (report.event === 'phase.changed' && report.to === 'quoting') this.#looksSinceMs ??= nowMs;
  }

  onMessage(message: VenueMessage, nowMs: number): void {
    switch (message.kind) {
      case 'socketLost':
        // One that is lost again while nothing was heard has been lost since before.
        if (this.#heard.size > 0) this.#lostAtMs = nowMs;
        this.#heard.clear();
        return;
      case 'bookSnapshot':
        this.#heard.add(message.tokenId);
        return;
      case 'bookRead':
        if (message.outcome.kind === 'ok') this.#heard.add(message.tokenId);
        return;
      default:
        return;
    }
  }

  due(nowMs: number): readonly Due[] {
    const { unmarkedMs = 0 } = this.#room.settings.risk.loss ?? {};
    const sinceMs = Math.max(this.#lostAtMs, this.#looksSinceMs ?? nowMs);
    if (unmarkedMs === 0 || nowMs - sinceMs <= unmarkedMs) return [];
    const detail = `nothing was reported for its books for ${nowMs - sinceMs} ms`;
    return this.#markets(nowMs).map(({ market }) => ({
      ...{ control: 'unmarked_position', where: market.id, detail },
    }));
  }

  /** Those with a position, whichever of the last ones the daemon knows, of which a book is unreported of. */
  #markets(nowMs: number): readonly ListedMarket[] {
    const { venue, nets } = this.#room;
    const events = venue.exchange.catalogue.events();
    return events.flatMap(({ event, markets }) =>
      markets.filter(({ market, trading }) => {
        const isHeard = [market.yes, market.no].every(({ tokenId }) => this.#heard.has(tokenId));
        if (isHeard || trading !== 'open' || !this.#events.has(event.slug)) return false;
        const { least, most } = nets.range(market.id, nowMs);
        return (least > 0 || most < 0) && !isUnsure(this.#room, market);
      }),
    );
  }
}
