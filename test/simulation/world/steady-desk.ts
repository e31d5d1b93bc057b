// A desk for a crowd that counts in the ticks it began with, whatever the tick size of its event is by now.

import type { TokenId } from '../../../src/domain/ids.ts';
import type { BookSide, Level } from '../../../src/domain/message.ts';
import { type TickGrid, type Ticks, ticks, ticksWithin } from '../../../src/domain/ticks.ts';
import type { Desk, DeskAnswer, DeskOrder, TraderName } from '../../../src/paper/exchange/desk.ts';
import type { Exchange } from '../../../src/paper/exchange/exchange.ts';

type Grids = { readonly now: TickGrid; readonly began: TickGrid };

/** Where a price falls between two ticks the order is the one that trades less: of takers, more. */
function movesUp({ side, timeInForce }: DeskOrder): boolean {
  return (side === 'SELL') === (timeInForce === 'GTC');
}

/** @param desk - As the exchange has it: everything that has no price goes there unchanged. */
export function steadyDesk(desk: Desk, exchange: Exchange): Desk {
  const gridsOf = (tokenId: TokenId): Grids => {
    const { listed } = exchange.catalogue.token(tokenId).market;
    return { now: listed.grid, began: listed.event.grid };
  };
  return {
    nowMs: () => desk.nowMs(),
    events: () => desk.events(),
    fund: (trader, cash) => desk.fund(trader, cash),
    mintSets: (trader, marketId, quantity) => desk.mintSets(trader, marketId, quantity),
    cancel: (trader, orderHash) => desk.cancel(trader, orderHash),
    cancelAll: (trader, marketId) => desk.cancelAll(trader, marketId),
    setRecordedLevel: (...level) => desk.setRecordedLevel(...level),
    clearRecorded: (tokenId) => desk.clearRecorded(tokenId),
    printRecordedTrade: (...trade) => desk.printRecordedTrade(...trade),
    setTradingStatus: (marketId, status) => desk.setTradingStatus(marketId, status),
    regrid: (eventId, grid) => desk.regrid(eventId, grid),
    resolve: (marketId, winner) => desk.resolve(marketId, winner),
    place: (trader, order) => place(desk, gridsOf(order.tokenId), trader, order),
    best: (tokenId, side) => {
      const best = desk.best(tokenId, side);
      return best && shown(gridsOf(tokenId), side, best);
    },
    levels: (tokenId, side) => levels(desk.levels(tokenId, side), gridsOf(tokenId), side),
    sizeAt: (tokenId, side, price) => {
      const { now, began } = gridsOf(tokenId);
      const there = moved(price, { from: began, to: now, isUp: side === 'ask' });
      return desk.sizeAt(tokenId, side, there ?? price);
    },
  };
}

function place(
  desk: Desk,
  { now, began }: Grids,
  trader: TraderName,
  order: DeskOrder,
): DeskAnswer {
  const price = moved(order.price, { from: began, to: now, isUp: movesUp(order) });
  if (price === undefined) return { kind: 'refused', code: 'price_out_of_range' };
  return desk.place(trader, { ...order, price });
}

/** Nobody is shown a price that is better for a maker than it is. */
function shown({ now, began }: Grids, side: BookSide, price: Ticks): Ticks {
  const isUp = side === 'bid';
  const last = isUp ? began.ticksPerUnit - 1 : 1;
  return moved(price, { from: now, to: began, isUp }) ?? ticks(began, last);
}

function levels(there: readonly Level[], grids: Grids, side: BookSide): readonly Level[] {
  if (grids.now === grids.began) return there;
  return there.map(({ price, size }) => ({ price: shown(grids, side, price), size }));
}

function moved(
  price: Ticks,
  { from, to, isUp }: { readonly from: TickGrid; readonly to: TickGrid; readonly isUp: boolean },
): Ticks | undefined {
  if (from === to) return price;
  const exact = (price * to.ticksPerUnit) / from.ticksPerUnit;
  return ticksWithin(to, isUp ? Math.ceil(exact) : Math.floor(exact));
}
