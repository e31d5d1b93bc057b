// `GET /api/state`: everything, or a part of the markets, since thousands of them are megabytes of text that
// the one thread writes in one go. Everything else of the state is small and always there.

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { MarketId } from '../domain/ids.ts';
import type { PickMarkets, StateView } from '../domain/view.ts';
import { fail } from './http-guard.ts';

/** About a megabyte. */
const LIMIT_MAX = 1_000;

const QUERY = z.object({
  /** This market alone. */
  market: z.string().optional(),
  /** So many markets at the most; none is an answer without them. */
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().max(LIMIT_MAX))
    .optional(),
  /** The first of them, by `page.next` of the answer before. */
  cursor: z.string().optional(),
});

/** Where a part of the markets stands in all of them. */
export type StatePage = {
  readonly markets: number;
  /** The cursor of what follows; absent where nothing does. */
  readonly next?: string;
};

type Query = z.infer<typeof QUERY>;
type Wrong = { readonly status: 400 | 404; readonly text: string };

/** What of all markets is asked for. */
class Part {
  readonly #query: Query;
  page: StatePage | undefined;
  wrong: Wrong | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  readonly pick: PickMarkets = (all) => {
    const { market, limit = LIMIT_MAX, cursor } = this.#query;
    if (market !== undefined) return this.#one(all, market);
    const from = cursor === undefined ? 0 : all.map(String).indexOf(cursor);
    if (from < 0) {
      this.wrong = { status: 400, text: 'the market of this cursor is gone; begin anew' };
      return [];
    }
    // Who asks for none follows nothing.
    const next = limit === 0 ? undefined : all[from + limit];
    this.page = { markets: all.length, ...(next === undefined ? {} : { next }) };
    return all.slice(from, from + limit);
  };

  #one(all: readonly MarketId[], market: string): readonly MarketId[] {
    const found = all.filter((marketId) => marketId === market);
    if (found.length === 0) this.wrong = { status: 404, text: 'no such market' };
    return found;
  }
}

/** Answers `?limit=` and `?cursor=` with a page, `?market=` with one market, and all of it otherwise. */
export function stateRoute(
  server: FastifyInstance,
  view: (pick?: PickMarkets) => StateView | undefined,
): void {
  server.get('/api/state', async (request, reply) => {
    const query = QUERY.safeParse(request.query);
    if (!query.success) return fail(reply, 400, `limit must be 0 to ${LIMIT_MAX}, each given once`);
    const part = isWhole(query.data) ? undefined : new Part(query.data);
    const state = view(part?.pick);
    if (state === undefined) return fail(reply, 503, 'the daemon is starting');
    if (part?.wrong !== undefined) return fail(reply, part.wrong.status, part.wrong.text);
    return reply.send(part?.page === undefined ? state : { ...state, page: part.page });
  });
}

function isWhole({ market, limit, cursor }: Query): boolean {
  return market === undefined && limit === undefined && cursor === undefined;
}
