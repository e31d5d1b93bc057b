// `schema`: the configuration as JSON Schema, for editors.

import type { Command } from 'commander';
import { loadStrategies, strategiesFor } from '../app/strategies.ts';
import { jsonSchemaText } from '../settings/json-schema.ts';
import { readSettingsText } from '../settings/load.ts';
import { CONFIG_FLAG, command } from './command.ts';
import type { CliIo } from './io.ts';

export function schemaCommand(io: CliIo): Command {
  return command('schema', 'prints the JSON Schema of the configuration, for editors')
    .option(CONFIG_FLAG, 'also know the strategy modules that this file names')
    .action(async ({ config }: { readonly config?: string }) => {
      // One that is not there would name no module, and nobody would see why.
      if (config !== undefined) readSettingsText(config);
      const strategies = await (config === undefined ? loadStrategies() : strategiesFor(config));
      io.stdout.write(jsonSchemaText(strategies));
    });
}
