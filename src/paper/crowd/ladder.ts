// The prices at which a maker quotes around its view of one token. Pure.

import type { BookSide } from '../../domain/message.ts';
import { type TickGrid, type Ticks, ticksWithin } from '../../domain/ticks.ts';
import type { Room } from './touch.ts';

export type LadderShape = {
  /** The maker's view of the token, in ticks, not whole. */
  readonly centerTicks: number;
  readonly halfSpreadTicks: number;
  /** Levels behind the best one stand on whole multiples of this, as people's round prices do. */
  readonly spacingTicks: number;
  readonly levels: number;
};

/**
 * Prices of one side, best first; the best one keeps the half spread and the room.
 *
 * Fixed multiples behind the best price keep most of a ladder in place when the view moves a tick.
 */
export function ladderPrices(
  grid: TickGrid,
  side: BookSide,
  shape: LadderShape,
  room: Room,
): readonly Ticks[] {
  return side === 'bid'
    ? downwards(
        grid,
        Math.min(Math.floor(shape.centerTicks - shape.halfSpreadTicks), room.bidMax),
        shape,
      )
    : upwards(
        grid,
        Math.max(Math.ceil(shape.centerTicks + shape.halfSpreadTicks), room.askMin),
        shape,
      );
}

function downwards(grid: TickGrid, best: number, shape: LadderShape): readonly Ticks[] {
  const first = Math.ceil(best / shape.spacingTicks - 1) * shape.spacingTicks;
  return stepped(grid, best, { first, byTicks: -shape.spacingTicks, levels: shape.levels });
}

function upwards(grid: TickGrid, best: number, shape: LadderShape): readonly Ticks[] {
  const first = Math.floor(best / shape.spacingTicks + 1) * shape.spacingTicks;
  return stepped(grid, best, { first, byTicks: shape.spacingTicks, levels: shape.levels });
}

/** The best price and evenly spaced ones behind it, as far as they are legal. */
function stepped(
  grid: TickGrid,
  best: number,
  behind: { readonly first: number; readonly byTicks: number; readonly levels: number },
): readonly Ticks[] {
  const found: Ticks[] = [];
  for (let level = 0; level < behind.levels; level += 1) {
    const price = level === 0 ? best : behind.first + (level - 1) * behind.byTicks;
    const legal = ticksWithin(grid, price);
    if (legal !== undefined) found.push(legal);
  }
  return found;
}
