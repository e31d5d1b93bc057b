// Which strategies of a configuration are modules of their own. They are loaded before the settings
// are checked, since a module's parameters are checked by the module.

import { isMap } from './keys.ts';
import { readYaml } from './yaml.ts';

/** Paths of strategy modules as the file states them, each once; whatever else is wrong is left. */
export function strategyModules(text: string): readonly string[] {
  const { value } = readYaml(text);
  const markets = isMap(value) ? value['markets'] : undefined;
  if (!Array.isArray(markets)) return [];
  const named = markets.map((each: unknown) => (isMap(each) ? each['strategy'] : undefined));
  const paths = named.filter((name) => typeof name === 'string').filter(isModulePath);
  return [...new Set(paths)];
}

/** A path begins with a dot, which no name of a strategy does. */
export function isModulePath(name: string): boolean {
  return /^\.{1,2}\//.test(name);
}
