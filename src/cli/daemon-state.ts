// The state of a running daemon, read in pages: thousands of markets are megabytes of text.

import { z } from 'zod';
import { type JsonAnswer, type MeantDaemon, requestJson } from './daemon-http.ts';

/** Half a megabyte. */
const PAGE_MARKETS = 500;
/** A hundred thousand markets; a daemon whose pages do not end is none. */
const PAGES_MAX = 200;

const pageOf = z.looseObject({
  markets: z.array(z.looseObject({ marketId: z.string() })),
  page: z.object({ markets: z.number(), next: z.string().optional() }).optional(),
});
type Page = z.infer<typeof pageOf>;

/**
 * The whole state. Markets that come or go between two pages are shown as they were when their page was
 * read, and each once; what belongs to no market is of the first page.
 */
export async function requestState({ address, journal, token }: MeantDaemon): Promise<JsonAnswer> {
  const whole = `${address}/api/state`;
  const first = await requestJson(`${whole}?limit=${PAGE_MARKETS}`, { journal, token });
  const head = pageIn(first);
  // Whoever asked says what is wrong with it.
  if (first.kind !== 'answer' || head === undefined) return first;
  const { page, ...body } = head;
  const all = new Map(head.markets.map((market) => [market.marketId, market]));
  let next = page?.next;
  for (let pages = 1; next !== undefined && pages < PAGES_MAX; pages += 1) {
    const cursor = encodeURIComponent(next);
    const read = pageIn(
      await requestJson(`${whole}?limit=${PAGE_MARKETS}&cursor=${cursor}`, { journal, token }),
    );
    // The market of the cursor has gone meanwhile.
    if (read === undefined) return await requestJson(whole, { journal, token });
    for (const market of read.markets) all.set(market.marketId, market);
    next = read.page?.next;
  }
  return { ...first, body: { ...body, markets: [...all.values()] } };
}

function pageIn(answer: JsonAnswer): Page | undefined {
  if (answer.kind !== 'answer' || answer.status !== 200) return undefined;
  return pageOf.safeParse(answer.body).data;
}
