// A sweep: each parameter set in a process of its own, every finished one a line of a file, so that what was
// begun is gone on with. A process and not a thread, by way of `piscina`: a set is the command that anybody can run again by
// hand, one that runs out of memory ends alone, and a start costs little beside minutes of play.

import { type ChildProcess, execFile } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { z } from 'zod';
import { hoursOf } from '../backtest/compare.ts';
import { errorOf, meanOf } from '../backtest/mean.ts';
import { type Point, pointText, type Scored } from '../backtest/sweep.ts';
import { BotError } from '../domain/errors.ts';
import { jsonOr } from '../domain/json.ts';

/** A row has some dozens of numbers. */
const ROW_LENGTH_MAX = 100_000;
/** Of one `backtest --json`. */
const OUTPUT_BYTES_MAX = 256 * 1_024 * 1_024;

const answer = z.object({
  runs: z.array(
    z.object({
      group: z.string(),
      fromMs: z.number(),
      toMs: z.number(),
      failure: z.string().optional(),
      total: z.object({
        pnlUsdc: z.number(),
        fills: z.number(),
        inventoryRmsShares: z.number(),
        drawdownUsdc: z.number(),
      }),
    }),
  ),
});

export type SweepRow = Scored & {
  readonly fills: number;
  readonly inventoryRmsShares: number;
  readonly drawdownUsdc: number;
  /** USDC an hour by world or recording. */
  readonly byWorld: Readonly<Record<string, number>>;
};

/** Tries one parameter set. */
export type Try = (point: Point) => Promise<SweepRow>;

/**
 * Tries a parameter set by a `backtest` in a process of its own.
 * @param args - Of the backtest, but for its parameters.
 * @throws {BotError} `settings.invalid` with what the backtest complains of.
 */
export function tryInProcess(args: readonly string[]): Try {
  const running = new Set<ChildProcess>();
  // Whoever ends a sweep ends what it began.
  process.once('exit', () => {
    for (const child of running) child.kill();
  });
  return async (point) => {
    const params = Object.entries(point).flatMap(([name, value]) => [
      '--param',
      `${name}=${value}`,
    ]);
    const main = process.argv[1] ?? '';
    const text = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        process.execPath,
        [main, 'backtest', ...args, ...params, '--json'],
        { maxBuffer: OUTPUT_BYTES_MAX },
        (error, stdout, stderr) => {
          running.delete(child);
          if (!error) resolve(stdout);
          else reject(new BotError('settings.invalid', `${pointText(point)}: ${stderr.trim()}`));
        },
      );
      running.add(child);
    });
    return rowOf(point, answer.parse(jsonOr(text, OUTPUT_BYTES_MAX)).runs);
  };
}

type Runs = z.infer<typeof answer>['runs'];

/** What the runs of one set come to. */
export function rowOf(point: Point, runs: Runs): SweepRow {
  const perHour = runs.map((run) => run.total.pnlUsdc / hoursOf(run));
  const worlds = [...new Set(runs.map(({ group }) => group))];
  return {
    point,
    usdcPerHour: meanOf(perHour),
    error: errorOf(perHour),
    fills: runs.reduce((sum, { total }) => sum + total.fills, 0),
    inventoryRmsShares: meanOf(runs.map(({ total }) => total.inventoryRmsShares)),
    drawdownUsdc: Math.max(...runs.map(({ total }) => total.drawdownUsdc)),
    byWorld: Object.fromEntries(
      worlds.map((world) => [
        world,
        meanOf(perHour.filter((_, index) => runs[index]?.group === world)),
      ]),
    ),
  };
}

/** The sets to try next, knowing all that were tried; none at the end. */
export type NextRound = (done: readonly SweepRow[]) => readonly Point[];

export type SweepOptions = {
  readonly next: NextRound;
  readonly trial: Try;
  /** Processes at a time. */
  readonly workers: number;
  /** Rows are kept there as they come, and those that are there already are not tried again. */
  readonly file: string | undefined;
  /** What the rows stand on; a file of another sweep is refused. */
  readonly title: string;
  readonly onRow: (row: SweepRow, done: number) => void;
};

/**
 * Tries every point of a round, some at a time, then the next round.
 *
 * @returns In the order in which they were proposed, whatever finished first.
 * @throws {BotError} `settings.invalid` for a file of another sweep, or a point that cannot be tried.
 */
export async function sweep(options: SweepOptions): Promise<readonly SweepRow[]> {
  const known = new Map((await knownRows(options)).map((row) => [pointText(row.point), row]));
  const done: SweepRow[] = [];
  for (let round = options.next(done); round.length > 0; round = options.next(done)) {
    done.push(...(await triedRound(options, round, known)));
  }
  return done;
}

async function triedRound(
  options: SweepOptions,
  round: readonly Point[],
  known: Map<string, SweepRow>,
): Promise<readonly SweepRow[]> {
  const waiting = round.filter((point) => !known.has(pointText(point)));
  const next = async (): Promise<void> => {
    for (let point = waiting.shift(); point; point = waiting.shift()) {
      const row = await options.trial(point);
      known.set(pointText(point), row);
      if (options.file !== undefined) await appendFile(options.file, `${JSON.stringify(row)}\n`);
      options.onRow(row, known.size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, round.length) }, next));
  return round.flatMap((point) => known.get(pointText(point)) ?? []);
}

const kept = z.object({
  point: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  usdcPerHour: z.number(),
  error: z.number().optional(),
  fills: z.number(),
  inventoryRmsShares: z.number(),
  drawdownUsdc: z.number(),
  byWorld: z.record(z.string(), z.number()),
});

async function knownRows({ file, title }: SweepOptions): Promise<readonly SweepRow[]> {
  if (file === undefined) return [];
  const head = JSON.stringify({ sweep: title });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || text === '') {
    await writeFile(file, `${head}\n`);
    return [];
  }
  const [first, ...lines] = text.split('\n');
  if (first !== head) {
    throw new BotError(
      'settings.invalid',
      `${file}: holds another sweep, or one of other settings or recordings, ${first ?? ''}; name another file`,
    );
  }
  // A row that was cut by the end of its process is tried again; the next one begins a line of its own.
  if (!text.endsWith('\n')) await appendFile(file, '\n');
  return lines.flatMap((line) => {
    const row = kept.safeParse(jsonOr(line, ROW_LENGTH_MAX));
    return row.success ? [{ ...row.data, error: row.data.error }] : [];
  });
}
