// Deliberate bugs for tests: what is imported with `?planted=NAME` has that bug in it, and so has all that it imports
// of the rooms that bugs are planted in. The modules of everybody else are as they are.

import type { Plugin } from 'vitest/config';
import { type PlantedBug, planted } from './plant.ts';

export type { PlantedBug };

const QUERY = /\?planted=([a-z-]+)$/;
const ROOMS = /\/(?:src\/(?:guard|app|cli|journal|core|venue)|test\/unit\/(?:guard|planted))\//;

export function plantedBugs(bugs: readonly PlantedBug[]): Plugin {
  return {
    name: 'planted-bugs',
    enforce: 'pre',
    async resolveId(source, importer) {
      const name = QUERY.exec(importer ?? '')?.[1];
      if (name === undefined || !source.startsWith('.')) return undefined;
      const resolved = await this.resolve(source, importer?.replace(QUERY, ''), { skipSelf: true });
      if (resolved === null || !ROOMS.test(resolved.id)) return resolved;
      return `${resolved.id}?planted=${name}`;
    },
    transform(code, id) {
      const name = QUERY.exec(id)?.[1];
      if (name === undefined) return undefined;
      const bug = bugs.find((each) => each.name === name);
      if (bug === undefined) throw new Error(`no bug is called ${name}`);
      return id.replace(QUERY, '').endsWith(bug.file) ? planted(code, bug) : undefined;
    },
  };
}
