// What a run begins with that follows another one below the same guard.

import type { HeldSettings } from '../settings/held.ts';
import { type Begun, nextRun, readSettled } from '../settings/next-run.ts';
import type { SettingsSource } from '../settings/settings.ts';
import { type StrategyMap, strategiesOf } from './strategies.ts';

export type NextRun = Begun & {
  readonly source: SettingsSource;
  readonly strategies: StrategyMap;
};

/**
 * A strategy that does not load speaks against the text that names it, and against no other one.
 *
 * @param before - The text of the configuration in force in the previous run.
 * @throws {BotError} `strategy.shape` or `settings.invalid` when neither that nor the file can be traded with.
 */
export async function beginNext(
  { file, env }: Omit<SettingsSource, 'strategies'>,
  before: string,
  held: HeldSettings,
): Promise<NextRun> {
  const now = await readSettled(file, before);
  const { strategies, failures } = await strategiesOf(file, [before, now ?? before]);
  const source = { file, env, strategies };
  try {
    return { ...nextRun({ before, now, held }, source), source, strategies };
  } catch (error) {
    throw failures.at(0) ?? error;
  }
}
