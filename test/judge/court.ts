// Runs of the judge: a strategy or a peer's rule in a synthetic world under a queue model, and what is kept of them.

import { readFileSync } from 'node:fs';
import { type PlannedRun, plannedRuns } from '../../src/app/backtest.ts';
import { loadStrategies } from '../../src/app/strategies.ts';
import { blockProfits, hoursOf } from '../../src/backtest/compare.ts';
import type { Parts } from '../../src/backtest/fills.ts';
import type { RunResult } from '../../src/backtest/result.ts';
import { parseSettings } from '../../src/settings/load.ts';
import { PEERS } from './peers/index.ts';

export const WORLDS = ['calm', 'informed', 'jumpy', 'null', 'wide', 'fine', 'thin'] as const;
export const QUEUES = ['conservative', 'optimistic'] as const;
export const PEER_NAMES = PEERS.map(({ name }) => name);

export type Row = {
  readonly strategy: string;
  readonly world: string;
  readonly queue: string;
  readonly seed: number;
  readonly usdcPerHour: number;
  /** At the middle, of every ten minutes. */
  readonly blocksUsdc: readonly number[];
  readonly parts: Parts;
  readonly hours: number;
  readonly inventoryRmsShares: number;
  readonly fills: number;
  readonly writes: number;
  readonly touchRatio: number;
  readonly uptimeRatio: number;
};

export type Case = {
  readonly strategies: readonly string[];
  readonly worlds: readonly string[];
  readonly queue: 'conservative' | 'optimistic' | 'both' | undefined;
  readonly hours: number;
  readonly seeds: number;
  readonly firstSeed: number;
  readonly params: Readonly<Record<string, unknown>>;
};

export type Hearing = { readonly seed: number; readonly run: () => Promise<Row> } & Pick<
  PlannedRun,
  'group' | 'queue' | 'strategy'
>;

/** From the root of the project, where scripts and tests run. */
const CONFIG = 'test/judge/judge.yaml';

/** Every run of a case, in no order that matters. */
export async function hearings(given: Case): Promise<readonly Hearing[]> {
  const strategies = new Map([
    ...(await loadStrategies()),
    ...PEERS.map((peer) => [peer.name, peer] as const),
  ]);
  const text = readFileSync(CONFIG, 'utf8');
  const source = { file: CONFIG, env: {}, strategies };
  const config = { settings: parseSettings(text, source), text, source, strategies };
  const seeds = Array.from({ length: given.seeds }, (_, index) => given.firstSeed + index);
  const bySeed = seeds.map(async (seed) => {
    const choice = { ...given, recordings: [], from: undefined, marketsMax: 1 };
    const runs = await plannedRuns({ ...choice, seeds: 1, firstSeed: seed }, config);
    return runs.map((planned) => heard(planned, seed));
  });
  return (await Promise.all(bySeed)).flat();
}

function heard({ group, queue, strategy, run }: PlannedRun, seed: number): Hearing {
  const row = async (): Promise<Row> => {
    const result = await run(
      () => undefined,
      () => 0,
    );
    return { strategy, world: group, queue, seed, ...kept(result) };
  };
  return { group, queue, strategy, seed, run: row };
}

function kept(result: RunResult): Omit<Row, 'strategy' | 'world' | 'queue' | 'seed'> {
  const { total, writes } = result;
  const hours = hoursOf(result);
  return {
    usdcPerHour: total.pnlUsdc / hours,
    blocksUsdc: blockProfits(result),
    parts: total.parts,
    hours,
    inventoryRmsShares: total.inventoryRmsShares,
    fills: total.fills,
    writes,
    touchRatio: total.touchRatio,
    uptimeRatio: total.uptimeRatio ?? 0,
  };
}
