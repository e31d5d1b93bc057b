// What a backtest runs: each world with each strategy and queue model, and the settings of each run.

import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Conditions, Latency } from '../backtest/conditions.ts';
import { parseLatencyFile } from '../backtest/latency-file.ts';
import { openRecordedWorld } from '../backtest/recorded-world.ts';
import { REGIME_NAMES, type RegimeName, regimePlan } from '../backtest/regimes.ts';
import type { RunResult } from '../backtest/result.ts';
import { runBacktest } from '../backtest/run.ts';
import { SyntheticWorld } from '../backtest/synthetic-world.ts';
import type { OnProgress, World } from '../backtest/world.ts';
import { BotError } from '../domain/errors.ts';
import type { UnixMs } from '../domain/time.ts';
import { openRecording } from '../paper/crowd/recording.ts';
import { coreSettings, parseSettings } from '../settings/load.ts';
import { SettingsError } from '../settings/problems.ts';
import { withSelected } from '../settings/selected.ts';
import type { Settings, SettingsSource } from '../settings/settings.ts';
import { listedEvent, profilesOf } from './embedded.ts';
import type { StrategyMap } from './strategies.ts';

/** The markets of the configuration's own `paper` section. */
export const CONFIG_WORLD = 'config';
export const WORLD_NAMES: readonly string[] = [CONFIG_WORLD, ...REGIME_NAMES];

export type BacktestChoice = {
  readonly recordings: readonly string[];
  readonly worlds: readonly string[];
  /** Each quotes every market in runs of its own; without any, markets are quoted as configured. */
  readonly strategies: readonly string[];
  /** Parameters of these, over those of the configuration. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly from: UnixMs | 'beginning' | undefined;
  readonly hours: number | undefined;
  readonly seeds: number | undefined;
  readonly firstSeed: number | undefined;
  readonly queue: 'both' | 'conservative' | 'optimistic' | undefined;
  readonly marketsMax: number;
  /** Of each event that the configuration does not name exactly one market comes true. */
  readonly isExclusive?: boolean;
};

export type BacktestConfig = {
  readonly settings: Settings;
  readonly text: string;
  readonly source: SettingsSource;
  readonly strategies: StrategyMap;
};

export type PlannedRun = {
  /** For progress and tables. */
  readonly label: string;
  /** Runs of one group and strategy differ in their seed only. */
  readonly group: string;
  readonly queue: string;
  readonly strategy: string;
  readonly run: (onProgress: OnProgress, wallMs: () => number) => Promise<RunResult>;
};

/** As configured, where no strategy was named. */
export const AS_CONFIGURED = 'as configured';

/**
 * Every run of a choice, in the order of the table.
 * @throws {BotError} `settings.invalid` where it cannot be run with this configuration.
 */
export async function plannedRuns(
  choice: BacktestChoice,
  config: BacktestConfig,
): Promise<readonly PlannedRun[]> {
  const latency = await latencyOf(config);
  const named = [...new Set(choice.strategies)];
  // Better now than after the runs before it.
  for (const strategy of named) checkStrategy(strategy, choice, config);
  const strategies = named.length > 0 ? named : [AS_CONFIGURED];
  const worlds = [...(await recordedWorlds(choice, config)), ...syntheticWorlds(choice, config)];
  return worlds.flatMap((world) =>
    strategies.map((strategy) => planned({ world, strategy, latency, choice }, config)),
  );
}

const ANY_EVENT = { slug: 'any', id: 'any' };

function checkStrategy(name: string, choice: BacktestChoice, config: BacktestConfig): void {
  try {
    settingsFor([ANY_EVENT], name, choice, config);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    throw optionsError(name, cause);
  }
}

/** The file was read before: what is wrong came with the options. */
function optionsError(name: string, cause: SettingsError): BotError {
  const problems = cause.problems.map(({ path, message }) => {
    const param = path.replace(/^markets\[0\]\.(?:strategy$)?(?:params\.)?/, '');
    return `--strategy ${name}: ${param === '' ? '' : `--param ${param}: `}${message}`;
  });
  return new BotError('settings.invalid', problems.join('; '), { cause });
}

type PlannedWorld = {
  readonly label: string;
  readonly group: string;
  readonly queue: Conditions['queue'];
  readonly seed: number;
  readonly open: () => Promise<World>;
};

type Planned = {
  readonly world: PlannedWorld;
  readonly strategy: string;
  readonly latency: Latency;
  readonly choice: BacktestChoice;
};

function planned(
  { world, strategy, latency, choice }: Planned,
  config: BacktestConfig,
): PlannedRun {
  return {
    label: `${world.label} · ${strategy}`,
    group: world.group,
    queue: world.queue,
    strategy,
    run: async (onProgress, wallMs) => {
      const opened = await world.open();
      const settings = settingsFor(opened.events, strategy, choice, config);
      return await runBacktest({
        world: opened,
        conditions: conditionsOf(config.settings, latency, world),
        // Every market of its world is named by now.
        settings: coreSettings(withSelected(settings, new Map())),
        strategies: config.strategies,
        onProgress,
        wallMs,
      });
    },
  };
}

/** One that cannot be opened is named now, and not after the runs before it. */
async function recordedWorlds(
  choice: BacktestChoice,
  { settings }: BacktestConfig,
): Promise<PlannedWorld[]> {
  const { from, marketsMax } = choice;
  const queues = queuesOf(choice.queue ?? settings.backtest.queue);
  const paths = [...new Map(choice.recordings.map((path) => [resolve(path), path])).values()];
  const names = paths.map((path) => basename(path));
  const recordings = await Promise.all(paths.map((path) => openRecording(path, { marketsMax })));
  return recordings.flatMap((recording, index) => {
    const { path } = recording;
    const isAlone = names.filter((name) => name === names[index]).length === 1;
    const name = isAlone ? basename(path) : path;
    return queues.map((model) => ({
      label: `${name}, ${model}`,
      group: name.replace(/\.ndjson(\.gz)?$/, ''),
      queue: model,
      seed: settings.paper.seed,
      open: async () => await openRecordedWorld(recording, from),
    }));
  });
}

/** Synthetic traders stand in the queue themselves: a model is played where one is named. */
function syntheticWorlds(choice: BacktestChoice, { settings }: BacktestConfig): PlannedWorld[] {
  const { paper, backtest } = settings;
  const queues = choice.queue === undefined ? (['real'] as const) : queuesOf(choice.queue);
  const hours = choice.hours ?? backtest.hours;
  const seeds = Array.from(
    { length: choice.seeds ?? backtest.seeds },
    (_, index) => (choice.firstSeed ?? paper.seed) + index,
  );
  return [...new Set(choice.worlds)].flatMap((name) =>
    queues.flatMap((queue) =>
      seeds.map((seed) => ({
        label: `${name}, ${queue === 'real' ? '' : `${queue}, `}seed ${seed}`,
        group: name,
        queue,
        seed,
        open: () => Promise.resolve(syntheticWorld(name, { hours, seed, activity: 1 }, settings)),
      })),
    ),
  );
}

function queuesOf(queue: NonNullable<BacktestChoice['queue']>) {
  return queue === 'both' ? (['conservative', 'optimistic'] as const) : [queue];
}

function syntheticWorld(
  name: string,
  run: { readonly hours: number; readonly seed: number; readonly activity: number },
  { paper }: Settings,
): World {
  const regime = REGIME_NAMES.find((each) => each === name) satisfies RegimeName | undefined;
  if (regime !== undefined) return new SyntheticWorld(regimePlan(regime, run));
  if (paper.events.length === 0) {
    throw new BotError('settings.invalid', `paper.events is empty: --world ${name} has no market`);
  }
  const events = paper.events.map(listedEvent);
  const profiles = profilesOf(paper, events);
  return new SyntheticWorld({ ...run, name, events, profiles, activity: paper.activity });
}

function conditionsOf(settings: Settings, latency: Latency, world: PlannedWorld): Conditions {
  const { paper, backtest } = settings;
  return {
    latency,
    queue: world.queue,
    takerFeeRate: backtest.takerFeeRate,
    settleMsMin: paper.settlementMsMin,
    settleMsMax: paper.settlementMsMax,
    positionLagMsMin: paper.positionLagMsMin,
    positionLagMsMax: paper.positionLagMsMax,
    settlementFailureRate: backtest.settlementFailureRate,
    partlyFilled: paper.partlyFilled,
    startingCashUsdc: paper.startingCashUsdc,
    seed: world.seed,
  };
}

async function latencyOf({ settings, source }: BacktestConfig): Promise<Latency> {
  const { feedMs, entryMs, responseMs, latencyFile } = settings.backtest;
  if (latencyFile === '') return { kind: 'constant', feedMs, entryMs, responseMs };
  const path = resolve(dirname(source.file), latencyFile);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BotError('settings.invalid', `backtest.latencyFile: ${path} cannot be read`, {
      cause,
    });
  });
  return parseLatencyFile(path, text);
}

type Listed = { readonly slug: string; readonly id: string };
type Raw = Readonly<Record<string, unknown>>;

/** The configuration with the markets of a world in place of its own, checked as any other. */
function settingsFor(
  events: readonly Listed[],
  strategy: string,
  { params, isExclusive = false }: BacktestChoice,
  { text, source, settings }: BacktestConfig,
): Settings {
  const { takerFeeRate } = settings.backtest;
  // What an operator would state of them: the fee is the one that this exchange takes.
  const unnamed = { takerFeeRate, ...(isExclusive ? { exclusive: true } : {}) };
  return parseSettings(text, source, (value) => {
    if (!isRaw(value)) return value;
    const stated = Array.isArray(value['markets']) ? value['markets'].filter(isRaw) : [];
    const from = { stated, strategy, params, unnamed };
    const markets = events.flatMap((event) => choicesFor(event, from));
    return { ...value, markets };
  });
}

/** What the file says of an event, else what it says of its first market. */
function choicesFor(
  event: Listed,
  from: {
    readonly stated: readonly Raw[];
    readonly strategy: string;
    readonly params: Raw;
    /** Of an event that the file does not name. */
    readonly unnamed: Raw;
  },
): readonly Raw[] {
  const { stated, strategy, params, unnamed } = from;
  const own = stated.filter((each) => each['event'] === event.slug || each['event'] === event.id);
  if (strategy === AS_CONFIGURED) {
    if (own.length > 0) return own;
    const { market: _, select: __, ...first } = stated[0] ?? {};
    return [{ strategy: 'ladder', ...first, ...unnamed, event: event.slug }];
  }
  const { market: _, select: __, ...base } = own[0] ?? { ...stated[0], ...unnamed };
  const known = stated.find((each) => each['strategy'] === strategy)?.['params'];
  const merged = { ...(isRaw(known) ? known : {}), ...params };
  return [{ ...base, event: event.slug, strategy, params: merged }];
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
