// Strategies are found by the name of their file, next to this program, compiled or as source.

import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { BotError } from '../domain/errors.ts';
import { readBoundedFile } from '../settings/bounded-file.ts';
import { strategyModules } from '../settings/modules.ts';
import type { Strategy } from '../strategy/index.ts';

export type StrategyMap = ReadonlyMap<string, Strategy>;

/** Files a strategies folder may have; more is a wrong folder, not a collection. */
const STRATEGY_FILES_MAX = 500;

/** The folder `strategies/` of this build: beside `src/` as source, beside `dist/src/` compiled. */
export function strategiesFolder(): string {
  return fileURLToPath(new URL('../../strategies/', import.meta.url));
}

/**
 * Loads every strategy of a folder; each file exports `strategy`, named like its file.
 *
 * @throws {BotError} `strategy.shape` when a file cannot be loaded or is not a strategy.
 */
export async function loadStrategies(
  folder = strategiesFolder(),
  withinMs = LOAD_MS_MAX,
): Promise<StrategyMap> {
  const files = await strategyFiles(folder);
  const loaded = await Promise.all(files.map(async (file) => await loadStrategy(file, withinMs)));
  return new Map(loaded.map((strategy) => [strategy.name, strategy]));
}

/**
 * The strategies of the house, and the modules that a configuration names by a path from itself. A
 * module that is added while the daemon runs is known from the next start on.
 *
 * @throws {BotError} `strategy.shape` when one cannot be loaded or is not a strategy.
 */
export async function strategiesFor(configFile: string): Promise<StrategyMap> {
  // A file that cannot be read is the settings' complaint to make.
  const text = textOrNothing(configFile);
  const { strategies, failures } = await strategiesOf(configFile, [text]);
  if (failures.length > 0) throw failures[0];
  return strategies;
}

function textOrNothing(file: string): string {
  try {
    return readBoundedFile(file);
  } catch {
    return '';
  }
}

/**
 * The strategies of the house, and of the modules that texts of a configuration name those that load.
 *
 * @throws {BotError} `strategy.shape` when one of the house cannot be loaded.
 */
export async function strategiesOf(
  configFile: string,
  texts: readonly string[],
): Promise<{ readonly strategies: StrategyMap; readonly failures: readonly unknown[] }> {
  const house = await loadStrategies();
  const paths = [...new Set(texts.flatMap(strategyModules))];
  const loads = await Promise.allSettled(
    paths.map(async (path) => {
      const strategy = await loadStrategy(resolve(dirname(configFile), path));
      return [path, strategy] as const;
    }),
  );
  const modules = loads.flatMap((load) => (load.status === 'fulfilled' ? [load.value] : []));
  const failures = loads.flatMap((load) => (load.status === 'rejected' ? [load.reason] : []));
  return { strategies: new Map<string, Strategy>([...house, ...modules]), failures };
}

async function strategyFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new BotError('strategy.shape', `cannot list ${folder}`, { cause });
  });
  const own = extname(import.meta.url);
  const files = names.filter((name) => extname(name) === own && !name.endsWith('.d.ts')).sort();
  if (files.length > STRATEGY_FILES_MAX) {
    throw new BotError('strategy.shape', `${folder} has more than ${STRATEGY_FILES_MAX} files`);
  }
  return files.map((name) => join(folder, name));
}

/** A module that waits for something at its top may wait for ever; a machine that is busy takes seconds. */
const LOAD_MS_MAX = 20_000;

async function imported(file: string, withinMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const detail = `it has not ended within ${withinMs / 1_000} s; what does it wait for at its top?`;
    timer = setTimeout(() => reject(new Error(detail)), withinMs);
  });
  return await Promise.race([import(pathToFileURL(file).href), late]).finally(() =>
    clearTimeout(timer),
  );
}

async function loadStrategy(file: string, withinMs = LOAD_MS_MAX): Promise<Strategy> {
  const module: unknown = await imported(file, withinMs).catch((cause: unknown) => {
    throw new BotError('strategy.shape', `${basename(file)} does not load: ${String(cause)}`, {
      cause,
    });
  });
  return checkStrategy(field(module, 'strategy'), basename(file, extname(file)));
}

function checkStrategy(candidate: unknown, name: string): Strategy {
  const problems = shapeProblems(candidate, name);
  if (!isStrategy(candidate) || problems.length > 0) {
    throw new BotError('strategy.shape', `${name}: ${problems.join('; ')}`);
  }
  return candidate;
}

function shapeProblems(candidate: unknown, name: string): readonly string[] {
  if (typeof candidate !== 'object' || candidate === null) return ['exports no `strategy`'];
  const problems: string[] = [];
  const stated = field(candidate, 'name');
  if (stated !== name) problems.push(`\`name\` is ${JSON.stringify(stated)}, not the file's name`);
  if (typeof field(candidate, 'summary') !== 'string') problems.push('`summary` is not a text');
  problems.push(...quoteProblems(candidate));
  return [...problems, ...paramProblems(field(candidate, 'params'))];
}

/** One market at a time, or the markets of an event together. */
function quoteProblems(candidate: unknown): readonly string[] {
  const scope = field(candidate, 'scope') ?? 'market';
  if (scope !== 'market' && scope !== 'event') return ['`scope` is neither market nor event'];
  const name = scope === 'event' ? 'quoteEvent' : 'quote';
  const quote = field(candidate, name);
  if (typeof quote !== 'function') return [`\`${name}\` is not a function`];
  return types.isAsyncFunction(quote) ? [`\`${name}\` is async: it has to answer at once`] : [];
}

function paramProblems(params: unknown): readonly string[] {
  if (typeof params !== 'object' || params === null) return ['`params` is not a schema'];
  return Object.entries(params)
    .filter(([, spec]) => typeof field(spec, 'format') !== 'function')
    .map(([key]) => `\`params.${key}\` has no format`);
}

function isStrategy(candidate: unknown): candidate is Strategy {
  return (
    typeof field(candidate, 'name') === 'string' &&
    typeof field(candidate, 'params') === 'object' &&
    quoteProblems(candidate).length === 0
  );
}

function field(of: unknown, key: string): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  return Reflect.get(of, key);
}
