// `check`: is the configuration right, and what does it amount to?

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { effective, effectiveYaml } from '../settings/effective.ts';
import { SettingsError } from '../settings/problems.ts';
import { type CliIo, type Finish, printResult } from './io.ts';
import {
  CONFIG_DOC,
  CONFIG_FLAG,
  command,
  configured,
  credentialsOf,
  JSON_DOC,
  JSON_FLAG,
} from './options.ts';

type CheckOptions = { readonly config: string; readonly json?: boolean };

export function checkCommand(io: CliIo, finish: Finish): Command {
  return command('check', 'validates a configuration and prints the effective settings')
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: CheckOptions) => {
      try {
        await check(io, options);
      } catch (error) {
        if (!options.json || !(error instanceof SettingsError)) throw error;
        const { file, problems } = error;
        printResult(io, { json: { valid: false, file, problems }, lines: [] }, options);
        finish(EXIT.usage);
      }
    });
}

async function check(io: CliIo, options: CheckOptions): Promise<void> {
  const { settings } = await configured(io, options.config);
  // Half of a set of credentials is a wrong configuration too.
  credentialsOf(io);
  const lines = [effectiveYaml(settings, io.env).trimEnd()];
  const json = { valid: true, settings: effective(settings, io.env) };
  printResult(io, { json, lines }, options);
}
