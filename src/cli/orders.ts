// `orders`: own orders as they were sent and what became of them: those of now and of the last hour by the ledger,
// earlier ones by the files of past days.

import type { Command } from 'commander';
import { dayOrderOf } from '../app/day-book.ts';
import type { DayOrder } from '../journal/days/day-line.ts';
import { pastLines } from '../journal/days/day-reader.ts';
import { command } from './command.ts';
import { type CliIo, complain, type Finish } from './io.ts';
import { complainOfUnseen, type PastNames, pastNames } from './past-names.ts';
import {
  type Kinds,
  type Past,
  type PastOptions,
  pastTable,
  printRows,
  ROWS_MAX,
  readPast,
  withPastOptions,
} from './past-options.ts';
import type { Column } from './table.ts';

type Found = { readonly order: DayOrder; readonly endedAtMs: number | undefined };

export function ordersCommand(io: CliIo, finish: Finish): Command {
  const orders = command('orders', 'own orders, oldest first, and what became of each');
  return withPastOptions(orders).action(async (options: PastOptions) => {
    const { from, to, market } = options;
    const past = await readPast({ io, finish, options }, (ledger) =>
      ledger
        .orders(from, to, ROWS_MAX)
        .filter(({ settingsVersion }) => settingsVersion !== undefined)
        .map((order): Found => {
          const endedAtMs = order.hasEnded ? order.stateSinceMs : undefined;
          return { order: dayOrderOf(order), endedAtMs };
        }),
    );
    if (past === undefined) return;
    const all = [...(await withEarlier(past)).values()];
    const wanted = all.filter(({ order }) => market === undefined || order.marketId === market);
    const found = wanted.toSorted((a, b) => a.order.sentAtMs - b.order.sentAtMs).slice(-ROWS_MAX);
    if (found.length < wanted.length) complain(io, `only the latest ${ROWS_MAX} are shown`);
    const names = await pastNames(past);
    const rows = found.map(shownOrder);
    if (rows.length === 0) await complainOfUnseen(io, past, options);
    await printRows(io, { fields: FIELDS, kinds: KINDS, rows, lines: lines(rows, names) }, options);
  });
}

/** By intent and time: an account that began anew may name two orders alike. */
async function withEarlier(past: Past<readonly Found[]>): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  for await (const line of pastLines({ ...past, part: 'orders' })) {
    if (line.kind !== 'order') continue;
    const { order, atMs } = line;
    if (order.sentAtMs < past.fromMs || order.sentAtMs >= past.toMs) continue;
    found.set(keyOf(order), { order, endedAtMs: atMs });
    // What is older than a table can show makes room.
    const [oldest] = found.keys();
    if (found.size > ROWS_MAX && oldest !== undefined) found.delete(oldest);
  }
  for (const each of past.read) found.set(keyOf(each.order), each);
  return found;
}

function keyOf({ intentId, sentAtMs }: DayOrder): string {
  return `${intentId} ${sentAtMs}`;
}

type ShownOrder = Readonly<Record<(typeof FIELDS)[number], string>>;

const FIELDS = [
  'sentAt',
  'marketId',
  'tokenId',
  'side',
  'price',
  'shares',
  'filled',
  'state',
  'endedAt',
  'intentId',
  'orderHash',
] as const;

const KINDS: Kinds<keyof ShownOrder> = {
  ...{ sentAt: 'time', endedAt: 'time' },
  ...{ price: 'number', shares: 'number', filled: 'number' },
};

function shownOrder({ order, endedAtMs }: Found): ShownOrder {
  const { marketId, tokenId, side, price, shares, filled, state, intentId, orderHash } = order;
  return {
    sentAt: new Date(order.sentAtMs).toISOString(),
    ...{ marketId, tokenId, side, price, shares, filled, state, intentId },
    endedAt: endedAtMs === undefined ? '' : new Date(endedAtMs).toISOString(),
    orderHash: orderHash ?? '',
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'SENT', align: 'left' },
  { title: 'MARKET', align: 'left', shrinks: true },
  { title: 'TOKEN', align: 'left' },
  { title: 'SIDE', align: 'left' },
  { title: 'PRICE', align: 'right' },
  { title: 'SHARES', align: 'right' },
  { title: 'FILLED', align: 'right' },
  { title: 'STATE', align: 'left' },
  { title: 'ENDED', align: 'left' },
];

function lines(orders: readonly ShownOrder[], names: PastNames): readonly string[] {
  if (orders.length === 0) return ['no order'];
  const rows = orders.map((order) => [
    ...[order.sentAt, names.market(order.marketId), names.token(order.tokenId), order.side],
    ...[order.price, order.shares, order.filled, order.state, order.endedAt],
  ]);
  const live = orders.filter(({ endedAt }) => endedAt === '').length;
  const withFill = orders.filter(({ filled }) => Number(filled) > 0).length;
  const total = `${orders.length} orders, ${withFill} with a fill, ${live} not ended`;
  return [...pastTable(COLUMNS, rows), total];
}
