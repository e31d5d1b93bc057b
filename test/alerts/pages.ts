// Every expression of the dashboards, and which of them a filled Prometheus answers with nothing.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { withoutVariables } from '../house/promql.ts';

export type Expression = { readonly place: string; readonly expr: string };

const PAGE = z.object({
  title: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});

export function readPages(folder: string): readonly Expression[] {
  return readdirSync(folder).flatMap((file) => {
    const page = PAGE.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    return page.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({
        place: `${page.title} › ${title}`,
        expr: withoutVariables(expr),
      })),
    );
  });
}

/** Panels and alerts whose series no replay can have, and why. */
export const EXCUSED: ReadonlyMap<string, string> = new Map([
  ['BookendNotScraped', 'whatever happens, some daemon of the replay is listed'],
]);
