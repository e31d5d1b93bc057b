// What is in force, for `bookend check`: every key in order, defaults included, secrets masked.

import { stringify } from 'yaml';
import { ENVIRONMENT_DOCS } from './describe.ts';
import { isMap } from './keys.ts';
import type { Environment, Settings } from './settings.ts';

export type Effective = Readonly<Record<string, unknown>>;

/** Plain values in the order of the schema; variables only as set or not set. */
export function effective(settings: Settings, env: Environment): Effective {
  const { controlToken: _, notifyUrls: __, ...values } = settings;
  return { ...withoutAbsent(values), environment: variables(env) };
}

/** The same as YAML; without `environment` it is a configuration again. */
export function effectiveYaml(settings: Settings, env: Environment): string {
  return stringify(effective(settings, env), { lineWidth: 0 });
}

export function effectiveJson(settings: Settings, env: Environment): string {
  return `${JSON.stringify(effective(settings, env), undefined, 2)}\n`;
}

function variables(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ENVIRONMENT_DOCS.map(({ name }) => {
      const value = env[name]?.trim() ?? '';
      if (value === '') return [name, 'not set'];
      // The path of the file is no secret, and a wrong one is what people look for.
      return [name, name === 'VENUE_CREDENTIALS_FILE' ? value : '[secret]'];
    }),
  );
}

/** Keys that may be left out and are. */
function withoutAbsent(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, plain(inner)]),
  );
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isMap(value) ? withoutAbsent(value) : value;
}
