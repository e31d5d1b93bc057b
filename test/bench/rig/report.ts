// What a group of measurements has to say: rows for people, and ratios that may not get worse.

/** A figure of which less is better. */
export type Ratio = {
  /** Stable: the recorded one is found by it. One that says `ccxt` is measured only for who asks. */
  readonly name: string;
  readonly value: number;
  /** What the project aims at: no more than this; `undefined` for a figure to be watched only. */
  readonly aimMax?: number;
};

/** A figure as it was kept, and by which part of it the same program differed from itself. */
export type Kept = { readonly value: number; readonly noise: number };

/** What may be worse than the record beyond the noise that was measured when it was made. */
const WORSE_MAX = 0.1;

/** The most that passes; `undefined` where nothing is recorded. */
export function gateOf(kept: Kept | undefined): number | undefined {
  return kept === undefined ? undefined : kept.value * (1 + WORSE_MAX + kept.noise);
}

/** `regressed` is behind its record, `missed` behind the aim alone: only the first fails a run. */
export type Verdict = 'ok' | 'MISSED' | 'REGRESSED';

/** One that is no number says nothing of the work, so it counts as worse. */
export function verdictOf({ value, aimMax }: Ratio, kept: Kept | undefined): Verdict {
  const gate = gateOf(kept);
  if (!Number.isFinite(value)) return 'REGRESSED';
  if (gate !== undefined && value > gate + Number.EPSILON) return 'REGRESSED';
  return aimMax !== undefined && value > aimMax ? 'MISSED' : 'ok';
}

export type GroupResult = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly ratios: readonly Ratio[];
};

export type RunOptions = {
  /** Just enough to see that the rig works and measures what it says. */
  readonly isShort: boolean;
  /** Fetches ccxt, which is no dependency, and measures its order book, too. */
  readonly hasCcxt: boolean;
};

/** @throws {Error} When the rig itself is wrong: then no figure of it means anything. */
export function check(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new Error(`the rig is wrong: ${statement}`);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export type Runner = {
  readonly name: string;
  /** Runs so many times in a row before the next contender does; its time is that of one. */
  readonly passes?: number;
  run(): void;
  /** What comes before each run and is no part of its time. */
  prepare?(): void;
};

/**
 * Runs contenders in turns, so that what disturbs one disturbs all. Of each the time that three runs
 * in ten are below: nearer to the machine's own than the median, and steadier than the least.
 */
export function interleaved(
  contenders: readonly Runner[],
  rounds: number,
  nowMs: () => number = () => performance.now(),
): ReadonlyMap<string, number> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const runner of contenders) times.get(runner.name)?.push(timeOf(runner, nowMs));
  }
  return new Map([...times].map(([name, values]) => [name, quantile(values, 0.3)]));
}

/**
 * One contender that has a process to itself, by the processor time of that process, with what collects its garbage:
 * what else the machine does takes none of it.
 * @returns Of a run, in ms.
 */
export function byItself(runner: Omit<Runner, 'name'>, rounds: number): number {
  const name = 'itself';
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  return interleaved([{ name, ...runner }], rounds, usedMs).get(name) ?? Number.NaN;
}

function timeOf({ passes = 1, run, prepare }: Runner, nowMs: () => number): number {
  let tookMs = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    prepare?.();
    const startedMs = nowMs();
    run();
    tookMs += nowMs() - startedMs;
  }
  return tookMs / passes;
}

export function print({ title, head, rows }: GroupResult): void {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  console.log(`\n## ${title}\n`);
  console.log(line(head));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(line(row));
}
