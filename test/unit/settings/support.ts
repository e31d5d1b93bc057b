// Real files in a folder of their own, and two small strategies.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '../../../src/settings/load.ts';
import { type Problem, SettingsError } from '../../../src/settings/problems.ts';
import type { Environment, Settings } from '../../../src/settings/settings.ts';
import {
  defineStrategy,
  numberParam,
  type Strategy,
  wholeParam,
} from '../../../src/strategy/index.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const steps = defineStrategy<{ readonly levels: number; readonly size: number }>({
  name: 'steps',
  summary: 'Quotes in steps.',
  params: {
    levels: wholeParam({ doc: 'Quotes a side.', unit: 'quotes', default: 3, min: 1, max: 9 }),
    size: numberParam({ doc: 'Shares a quote.', unit: 'shares', default: 50, min: 1, max: 500 }),
  },
  quote: () => ({ quotes: [], reasons: [] }),
});

const still = defineStrategy<Record<never, never>>({
  name: 'still',
  summary: 'Never quotes.',
  params: {},
  quote: () => ({ quotes: [], reasons: [] }),
});

export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ['steps', steps],
  ['still', still],
]);

export function folder(): string {
  return tempFolder('settings');
}

export function fileOf(text: string, name = 'bookend.yaml'): string {
  const file = join(folder(), name);
  writeFileSync(file, text);
  return file;
}

export function load(text: string, env: Environment = {}): Settings {
  return loadSettings({ file: fileOf(text), env, strategies: STRATEGIES });
}

/** The problems of a text that must not load. */
export function problemsOf(text: string, env: Environment = {}): readonly Problem[] {
  try {
    load(text, env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  throw new Error('the text loads');
}

export function paths(problems: readonly Problem[]): readonly string[] {
  return problems.map((problem) => problem.path);
}
