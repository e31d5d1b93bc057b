// `replay`: what a daemon recorded, told to the same core again; nothing is sent anywhere.

import { type Command, Option } from 'commander';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { type ReplayResult, replay } from '../app/replay.ts';
import { loadStrategies, strategiesFor } from '../app/strategies.ts';
import { FillAudit } from '../backtest/fill-audit.ts';
import { BotError } from '../domain/errors.ts';
import type { UnixMs } from '../domain/time.ts';
import {
  lastTimeOf,
  type RecordedRun,
  recordedItems,
  recordedRuns,
  runAt,
  runOfFile,
} from '../journal/recording.ts';
import { CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { fillJson, fillLines } from './fill-lines.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { paintFor } from './paint.ts';
import { Progress } from './progress.ts';
import { replayJson, replayLines } from './replay-lines.ts';
import { parseTime } from './times.ts';

type ReplayCommandOptions = {
  readonly config?: string;
  readonly at?: UnixMs;
  readonly until?: UnixMs;
  readonly fills?: boolean;
  readonly json?: boolean;
};

/** A pipe has no width; nothing is cut. */
const PIPE_WIDTH = 10_000;

export function replayCommand(io: CliIo, finish: Finish): Command {
  return command(
    'replay',
    'a recorded run again: are its commands the same, what was seen and decided',
  )
    .argument('<recording>', 'folder of *.inputs.ndjson, or one of the files: its run')
    .option(CONFIG_FLAG, 'configuration that names strategies of your own by their paths')
    .option('--until <time>', 'stop there, and show it, as 2026-11-23T10:00:00.250Z', parseTime)
    .option('--at <time>', 'show this moment, and go on', parseTime)
    .addOption(
      new Option(
        '--fills',
        'instead: own fills beside those that the queue models of a backtest would have given the same orders',
      ).conflicts(['at', 'until']),
    )
    .option(JSON_FLAG, JSON_DOC)
    .action(async (path: string, options: ReplayCommandOptions) => {
      const run = await chosenRun(path, options);
      if (options.fills === true) {
        finish(await auditFills(run, options, io));
        return;
      }
      const { config, until: untilMs, at: atMs } = options;
      const strategies = await (config === undefined ? loadStrategies() : strategiesFor(config));
      const progress = new Progress(io);
      const fromMs = run.about.startedAtMs;
      const toMs = untilMs ?? (await lastTimeOf(run));
      const onProgress = (nowMs: UnixMs): void => {
        const what = () => `replayed up to ${new Date(nowMs).toISOString()}`;
        if (toMs === undefined || toMs <= fromMs) progress.show(what);
        else progress.showPart((nowMs - fromMs) / (toMs - fromMs), what);
      };
      const result = await replay({ run, strategies, untilMs, atMs, onProgress });
      progress.clear();
      const width = io.stdout.isTTY ? (io.stdout.columns ?? 80) : PIPE_WIDTH;
      const paint = paintFor({ isTTY: io.stdout.isTTY ?? false }, io.env);
      const lines = replayLines(result, { width, paint });
      printResult(io, { json: replayJson(result), lines }, options);
      finish(exitOf(result));
    });
}

async function auditFills(
  run: RecordedRun,
  options: ReplayCommandOptions,
  io: CliIo,
): Promise<ExitCode> {
  const audit = new FillAudit();
  let isBroken = false;
  for await (const item of recordedItems(run)) {
    if (item.kind === 'input') audit.input(item.input);
    if (item.kind === 'commands') audit.commands(item.commands);
    if (item.kind !== 'over' || item.end.how !== 'broken') continue;
    complain(io, `BROKEN at ${item.end.detail}: what came before it is counted`);
    isBroken = true;
  }
  const report = audit.report();
  const width = io.stdout.columns ?? PIPE_WIDTH;
  printResult(io, { json: fillJson(report), lines: fillLines(report, width) }, options);
  return isBroken ? EXIT.failed : EXIT.done;
}

async function chosenRun(path: string, { at, until }: ReplayCommandOptions): Promise<RecordedRun> {
  const runs = await recordedRuns(path);
  const ofFile = runOfFile(runs, path);
  if (ofFile !== undefined) return ofFile;
  const atMs = until ?? at;
  const run = atMs === undefined ? runs.at(-1) : runAt(runs, atMs);
  if (run !== undefined) return run;
  const first = runs[0]?.about.startedAtMs ?? 0;
  throw new BotError('replay.file', `${path} begins at ${new Date(first).toISOString()}`);
}

function exitOf({ difference, end }: ReplayResult): ExitCode {
  const isBroken = end !== 'stopped' && end.how === 'broken';
  return difference === undefined && !isBroken ? EXIT.done : EXIT.failed;
}
