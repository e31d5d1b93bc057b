// What was measured before, by kind of machine: a figure of one says nothing about another.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Kept, Ratio } from './report.ts';

/** Beside the sources: the compiled rig stands in dist/bench/test/bench/rig. */
const FILE = fileURLToPath(new URL('../../../../../test/bench/recorded.json', import.meta.url));
const RECORDS = z.record(z.string(), z.record(z.string(), z.tuple([z.number(), z.number()])));

type Records = z.infer<typeof RECORDS>;
type Recorded = Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;

/** Processor, how many of them, and the line of Node. */
export function machineKind(): string {
  const all = cpus();
  const model = all[0]?.model ?? 'unknown';
  return `${model} × ${all.length}, Node ${process.versions.node.split('.')[0]}`;
}

/** @returns `undefined` where this kind of machine has no record. */
export function recordsOf(kind: string): ReadonlyMap<string, Kept> | undefined {
  const found = readAll()[kind];
  if (found === undefined) return undefined;
  return new Map(Object.entries(found).map(([name, [value, noise]]) => [name, { value, noise }]));
}

/** Keeps what two runs of the same program measured: the mean, and by how much they differ. */
export function keep(kind: string, one: readonly Ratio[], other: readonly Ratio[]): void {
  const all = readAll();
  const added = one.flatMap(({ name, value }) => {
    const again = other.find((each) => each.name === name)?.value ?? Number.NaN;
    const kept = keptOf(value, again);
    return kept === undefined ? [] : [[name, [kept.value, kept.noise]] as const];
  });
  const merged = { ...all[kind], ...Object.fromEntries(added) };
  const sorted = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, recordsText({ ...all, [kind]: sorted }));
}

/** One figure a line, as the formatter has it: a new record shows in a diff by its figures alone. */
export function recordsText(records: Recorded): string {
  const kinds = Object.entries(records).map(([kind, figures]) => {
    const lines = Object.entries(figures).map(
      ([name, [value, noise]]) => `    ${JSON.stringify(name)}: [${value}, ${noise}]`,
    );
    return `  ${JSON.stringify(kind)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${kinds.join(',\n')}\n}\n`;
}

/** @returns `undefined` where either measured nothing. */
export function keptOf(one: number, other: number): Kept | undefined {
  const value = (one + other) / 2;
  if (!Number.isFinite(value)) return undefined;
  const noise = value === 0 ? 0 : Math.abs(one - other) / value;
  return { value: rounded(value), noise: rounded(noise) };
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}

function readAll(): Records {
  return RECORDS.parse(JSON.parse(readFileSync(FILE, 'utf8')));
}
