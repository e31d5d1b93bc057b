// A run of a daemon again: its recorded inputs told to a fresh core, and what that one asks for compared with what
// the daemon's core asked for, command by command.

import { createEngine, type Engine } from '../core/engine.ts';
import type { Command } from '../domain/command.ts';
import { BotError } from '../domain/errors.ts';
import type { Input } from '../domain/input.ts';
import { addMs, type UnixMs } from '../domain/time.ts';
import type { StateView } from '../domain/view.ts';
import { Chain } from '../journal/chain.ts';
import {
  type Place,
  type RecordedItem,
  type RecordedRun,
  type RecordingEnd,
  recordedItems,
} from '../journal/recording.ts';
import { decodeLine, encodeCommands } from '../journal/recording-line.ts';
import type { StrategyMap } from './strategies.ts';
import { NO_MARKS } from './strategy-marks.ts';
import { Suspensions, watchedStrategies } from './watched-strategies.ts';

export type ReplayOptions = {
  readonly run: RecordedRun;
  readonly strategies: StrategyMap;
  /** Shown as it was then. */
  readonly atMs?: UnixMs | undefined;
  /** Nothing later is told to the core; shown as it was then. */
  readonly untilMs?: UnixMs | undefined;
  /** Called now and then, with the time in the recording. */
  readonly onProgress?: (atMs: UnixMs) => void;
};

/** One input, and everything that the core answered. */
export type Step = { readonly input: Input; readonly commands: readonly Command[] };

/** What the core saw and decided at a moment. */
export type Moment = {
  readonly view: StateView;
  /** The second before it, oldest first. */
  readonly steps: readonly Step[];
};

/** Where the two part: the first command that is not the same; `undefined` where one side has none. */
export type Difference = {
  readonly atMs: UnixMs;
  readonly place: Place;
  readonly input: number;
  readonly recorded: unknown;
  readonly replayed: unknown;
};

export type ReplayResult = {
  readonly run: RecordedRun;
  readonly inputs: number;
  readonly commands: number;
  readonly fromMs: UnixMs | undefined;
  readonly toMs: UnixMs | undefined;
  /** Over every command so far; `recorded` as the daemon reckoned it at its last mark, `undefined` before the first. */
  readonly digest: { readonly replayed: string; readonly recorded: string | undefined };
  readonly difference: Difference | undefined;
  /** The core threw at the last input that it was told. */
  readonly threw: string | undefined;
  readonly end: RecordingEnd | 'stopped';
  readonly moment: Moment | undefined;
};

/** What is shown in front of a moment. */
const BEFORE_MS = 1_000;
/** Of it, as many steps as are held: the busiest feeds have a thousand frames a second. */
const STEPS_MAX = 5_000;

const PROGRESS_INPUTS = 1_000;

/** Replays one run. @throws {BotError} `strategy.unknown` when one that it quoted with is not there. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const replayer = new Replayer(options);
  for await (const item of recordedItems(options.run)) {
    if (!replayer.take(item)) break;
    if (item.kind === 'input' && item.number % PROGRESS_INPUTS === 0)
      options.onProgress?.(item.input.atMs);
  }
  return replayer.result();
}

class Replayer {
  readonly #options: ReplayOptions;
  readonly #engine: Engine;
  readonly #digest = new Chain();
  readonly #recent = new RecentSteps();
  #recordedDigest: string | undefined;
  #inputs = 0;
  #commands = 0;
  #fromMs: UnixMs | undefined;
  #last: { readonly input: Input; readonly place: Place } | undefined;
  /** What the core asked for at the last input, until the recording says what it was then. */
  #open: readonly Command[] = [];
  #difference: Difference | undefined;
  #threw: string | undefined;
  #end: RecordingEnd | 'stopped' = 'stopped';
  #moment: Moment | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { about } = options.run;
    const suspensions = new Suspensions(about.suspended, about.startedAtMs);
    const strategies = watchedStrategies(options.strategies, NO_MARKS, suspensions);
    this.#engine = createEngine({ strategies });
  }

  /** Whether it wants more. */
  take(item: RecordedItem): boolean {
    switch (item.kind) {
      case 'input':
        return this.#onInput(item);
      case 'commands':
        this.#compare(item);
        return true;
      case 'mark':
        this.#onDigest(item.commands);
        // What is damaged shows at the next mark, and may be why they part.
        return this.#difference === undefined;
      case 'over':
        this.#onOver(item.end);
        return false;
      default:
        return item satisfies never;
    }
  }

  result(): ReplayResult {
    const { untilMs } = this.#options;
    // A moment that was asked for before it stays the one that is shown.
    const isShown = untilMs === undefined || this.#moment !== undefined;
    if (!isShown && this.#difference === undefined) this.#show();
    return {
      run: this.#options.run,
      inputs: this.#inputs,
      commands: this.#commands,
      fromMs: this.#fromMs,
      toMs: this.#last?.input.atMs,
      digest: { replayed: this.#digest.digest(), recorded: this.#recordedDigest },
      difference: this.#difference,
      threw: this.#threw,
      end: this.#end,
      moment: this.#moment,
    };
  }

  #onInput({ input, place }: Extract<RecordedItem, { kind: 'input' }>): boolean {
    if (this.#difference !== undefined) return true;
    if (this.#threw !== undefined) {
      this.#part(undefined, `the core threw: ${this.#threw}`);
      return true;
    }
    this.#unanswered();
    if (this.#difference !== undefined) return true;
    const { atMs = Number.POSITIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = this.#options;
    if (input.atMs > atMs && this.#moment === undefined) this.#show();
    if (input.atMs > untilMs) return false;
    this.#step(input, place);
    return true;
  }

  #step(input: Input, place: Place): void {
    this.#inputs += 1;
    this.#fromMs ??= input.atMs;
    this.#last = { input, place };
    if (input.kind === 'settings') checkStrategies(input, this.#options.strategies, place);
    try {
      const commands = this.#engine.step(input);
      this.#open = commands.filter(({ kind }) => kind === 'venue');
      this.#recent.add({ input, commands });
    } catch (error) {
      this.#threw = error instanceof Error ? error.message : String(error);
    }
  }

  /** What housekeeping asked for left behind what the tick itself had, and was recorded for itself. */
  #tend(): void {
    if (this.#open.length > 0 || this.#last === undefined || this.#threw !== undefined) return;
    try {
      const commands = this.#engine.tend();
      this.#open = commands.filter(({ kind }) => kind === 'venue');
      if (commands.length > 0) this.#recent.add({ input: this.#last.input, commands });
    } catch (error) {
      this.#threw = error instanceof Error ? error.message : String(error);
    }
  }

  #compare({ line, commands, place }: Extract<RecordedItem, { kind: 'commands' }>): void {
    if (this.#difference !== undefined) return;
    this.#tend();
    const own = encodeCommands(this.#inputs, this.#open);
    if (own !== line) {
      const replayed = own === undefined ? [] : commandsIn(own);
      const at = commands.findIndex((each, index) => !isSame(each, replayed[index]));
      const index = at < 0 ? commands.length : at;
      this.#part(commands[index], replayed[index], place);
      return;
    }
    this.#digest.add(`${own}\n`);
    this.#commands += this.#open.length;
    this.#open = [];
  }

  /** Another input follows, and the recording has nothing of what the core asked for. */
  #unanswered(): void {
    this.#tend();
    const own = encodeCommands(this.#inputs, this.#open);
    if (own !== undefined) this.#part(undefined, commandsIn(own).at(0));
  }

  /** A mark may stand between an input and what was asked for at it. */
  #onDigest(recorded: string): void {
    if (this.#difference !== undefined) return;
    this.#recordedDigest = recorded;
    const replayed = this.#digest.digest();
    if (recorded !== replayed) this.#part(`checksum ${recorded}`, `checksum ${replayed}`);
  }

  /** What was decided last may not have left any more, or may not have been written. */
  #onOver(end: RecordingEnd): void {
    this.#end = end;
    if (end.commands !== undefined) this.#onDigest(end.commands);
    const wantsMoment = this.#options.atMs !== undefined && this.#moment === undefined;
    if (wantsMoment && this.#difference === undefined) this.#show();
  }

  #part(recorded: unknown, replayed: unknown, place = this.#last?.place ?? ''): void {
    const atMs = this.#last?.input.atMs ?? this.#options.run.about.startedAtMs;
    this.#difference = { atMs, place, input: this.#inputs, recorded, replayed };
  }

  #show(): void {
    this.#moment = { view: this.#engine.view(), steps: this.#recent.all() };
  }
}

/** What the core was told and answered in the second before now. */
class RecentSteps {
  #steps: Step[] = [];

  add(step: Step): void {
    this.#steps.push(step);
    if (this.#steps.length >= 2 * STEPS_MAX) this.#steps = this.#steps.slice(-STEPS_MAX);
  }

  all(): readonly Step[] {
    const newest = this.#steps.at(-1);
    if (newest === undefined) return [];
    const fromMs = addMs(newest.input.atMs, -BEFORE_MS);
    return this.#steps.slice(-STEPS_MAX).filter(({ input }) => input.atMs >= fromMs);
  }
}

function checkStrategies(
  { settings }: Extract<Input, { kind: 'settings' }>,
  strategies: StrategyMap,
  place: Place,
): void {
  const unknown = settings.markets.find(({ strategy }) => !strategies.has(strategy));
  if (unknown === undefined) return;
  const means = 'give the configuration that names it by --config';
  throw new BotError('strategy.unknown', `${unknown.strategy} (${place}): ${means}`);
}

/** As a recording has them. */
function commandsIn(line: string): readonly unknown[] {
  const read = decodeLine(line);
  return read?.kind === 'commands' ? read.commands : [];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
