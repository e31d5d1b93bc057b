// How people know a market and its tokens, as past days have noted it: rows for programs keep the ids.

import { unixMs } from '../domain/time.ts';
import { pastLines } from '../journal/days/day-reader.ts';
import { type CliIo, complain } from './io.ts';
import { type Past, type PastOptions, shortToken } from './past-options.ts';

export type PastNames = {
  /** The title, or the id where nobody noted one. */
  market(id: string): string;
  /** YES or NO, or the beginning of the id. */
  token(id: string): string;
};

/** @throws {BotError} `journal.copy` when a file of a day is there and cannot be read. */
export async function pastNames(past: Past<unknown>): Promise<PastNames> {
  const titles = new Map<string, string>();
  const outcomes = new Map<string, string>();
  for await (const line of pastLines({ ...past, part: 'rest' })) {
    if (line.kind !== 'market') continue;
    if (line.title !== '') titles.set(line.marketId, line.title);
    outcomes.set(line.yesTokenId, 'YES').set(line.noTokenId, 'NO');
  }
  return {
    market: (id) => titles.get(id) ?? id,
    token: (id) => outcomes.get(id) ?? shortToken(id),
  };
}

/** An empty answer for a market that the journal never saw is mostly a slip of the hand: says so, and which it saw. */
export async function complainOfUnseen(
  io: CliIo,
  { journal, toMs }: Past<unknown>,
  { market }: Pick<PastOptions, 'market'>,
): Promise<void> {
  if (market === undefined) return;
  const seen = new Map<string, string>();
  for await (const line of pastLines({ journal, fromMs: unixMs(0), toMs, part: 'rest' })) {
    if (line.kind === 'market') seen.set(line.marketId, line.title);
  }
  if (seen.has(market)) return;
  const others = seen.size === 0 ? '' : ', but these:';
  complain(io, `--market: the journal has seen no market ${market}${others}`);
  for (const [id, title] of [...seen].slice(-SEEN_SHOWN)) complain(io, `  ${id}  ${title}`);
}

/** A screen of them. */
const SEEN_SHOWN = 20;
