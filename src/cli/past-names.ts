// How people know a market and its tokens, as past days have noted it: rows for programs keep the ids.

import { pastLines } from '../journal/days/day-reader.ts';
import { type Past, shortToken } from './past-options.ts';

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
