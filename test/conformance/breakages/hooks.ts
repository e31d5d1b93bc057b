// Loader hooks of a process with a breakage in it: one text of one compiled module is another.

import type { InitializeHook, LoadHook } from 'node:module';
import { type PlantedBug, planted } from '../../support/plant.ts';

let bug: PlantedBug | undefined;

export const initialize: InitializeHook<PlantedBug> = (given) => {
  bug = given;
};

export const load: LoadHook = async (url, context, next) => {
  const loaded = await next(url, context);
  if (bug === undefined || !url.endsWith(`/${bug.file.replace(/\.ts$/, '.js')}`)) return loaded;
  return { ...loaded, source: planted(String(loaded.source), bug) };
};
