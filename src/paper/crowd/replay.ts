// Plays a recording to the exchange as the crowd's book, at the recording's own pace or faster.

import { assert } from '../../domain/assert.ts';
import { BotError } from '../../domain/errors.ts';
import type { Timers, UnixMs } from '../../domain/time.ts';
import type { Desk } from '../exchange/desk.ts';
import { Halt } from './halt.ts';
import { Pace } from './pace.ts';
import type { RecordedFrame } from './recorded-frame.ts';
import type { Recording } from './recording.ts';
import { Stage } from './stage.ts';

export type ReplayOptions = {
  readonly timers: Timers;
  /** Recorded time per real time: 1 as it was, 10 ten times as fast, infinite without any wait. */
  readonly speed: number;
  /**
   * Where to start, in the recording's time; what goes before builds the books in silence. Without
   * it the recording's own `startsAtMs`: the last reopening ten minutes or more before its end.
   */
  readonly fromTs?: UnixMs | 'beginning';
  /** Starts over at the end instead of settling the markets. */
  readonly loop?: boolean;
  /** A longer silence is cut to this, in real time; 2 s unless told. */
  readonly silenceMsMax?: number;
};

export type ReplayProgress = {
  readonly state: 'rebuilding' | 'playing' | 'paused' | 'done' | 'stopped' | 'failed';
  /** Frames played to the exchange, over all rounds. */
  readonly framesApplied: number;
  /** Frames before the start, which only built the books. */
  readonly framesRebuilt: number;
  readonly badLines: number;
  /** The first few of them, with what is wrong. */
  readonly badLineExamples: readonly string[];
  /** The recording's own time. */
  readonly recordedAtMs: UnixMs | undefined;
  readonly endsAtMs: UnixMs | undefined;
  /** How much of it was read in this round, 0 to 1. */
  readonly readPart: number;
  /** Times the recording was played to its end. */
  readonly rounds: number;
  /** Time given up because frames came faster than they could be applied. */
  readonly lostMs: number;
  readonly failure: BotError | undefined;
};

export type Replay = {
  progress(): ReplayProgress;
  /** Holds the recording where it is; books stay as they are. Before the first frame the books are built first. */
  pause(): void;
  resume(): void;
  /** Ends the replay and closes the file; markets and books stay as they are. */
  stop(): Promise<void>;
  /** Settles when nothing more will be played; a damaged file is the result `failed`. */
  readonly finished: Promise<ReplayProgress>;
};

const SILENCE_MS_MAX = 2_000;
/** Frames applied in one turn of the event loop; sockets get their turn in between. */
const FRAMES_PER_TURN = 500;
const BAD_LINE_EXAMPLES_MAX = 10;

/**
 * Starts playing. Frames of one recorded moment are applied together, in their order; a file is
 * read only as fast as it is played, so that one chunk of it is all that is ever held.
 *
 * The exchange stamps what it sends with its own clock; the recording's time goes no further than
 * `progress`. At the end, markets whose outcome is known resolve and the others close.
 */
export function startReplay(desk: Desk, recording: Recording, options: ReplayOptions): Replay {
  assert(options.speed > 0, 'a replay runs forwards');
  const player = new Player(desk, recording, options);
  const finished = player.run();
  return {
    progress: () => player.progress(),
    pause: () => player.pause(),
    resume: () => player.resume(),
    stop: async () => {
      player.stop();
      await finished;
    },
    finished,
  };
}

class Player {
  readonly #recording: Recording;
  readonly #options: ReplayOptions;
  readonly #fromMs: number;
  readonly #silenceMsMax: number;
  readonly #stage: Stage;
  readonly #pace: Pace;
  readonly #halt: Halt;
  #state: 'rebuilding' | 'playing' | 'done' | 'stopped' | 'failed' = 'rebuilding';
  #appliedInTurn = 0;
  #framesApplied = 0;
  #framesRebuilt = 0;
  #badLines = 0;
  #badLineExamples: readonly string[] = [];
  #recordedAtMs: UnixMs | undefined;
  #readPart = 0;
  #rounds = 0;
  #failure: BotError | undefined;

  constructor(desk: Desk, recording: Recording, options: ReplayOptions) {
    const { speed, fromTs = recording.startsAtMs ?? 'beginning' } = options;
    this.#recording = recording;
    this.#options = options;
    this.#fromMs = fromTs === 'beginning' ? Number.NEGATIVE_INFINITY : fromTs;
    this.#silenceMsMax = options.silenceMsMax ?? SILENCE_MS_MAX;
    this.#stage = new Stage(recording, { settles: !(options.loop ?? false) });
    this.#stage.meet(desk);
    this.#pace = new Pace({ nowMs: () => desk.nowMs(), speed, silenceMsMax: this.#silenceMsMax });
    this.#halt = new Halt(options.timers);
  }

  progress(): ReplayProgress {
    return {
      state: this.#state === 'playing' && this.#halt.isPaused ? 'paused' : this.#state,
      framesApplied: this.#framesApplied,
      framesRebuilt: this.#framesRebuilt,
      badLines: this.#badLines,
      badLineExamples: this.#badLineExamples,
      recordedAtMs: this.#recordedAtMs,
      endsAtMs: this.#recording.endsAtMs,
      readPart: this.#readPart,
      rounds: this.#rounds,
      lostMs: this.#pace.lostMs,
      failure: this.#failure,
    };
  }

  pause(): void {
    this.#halt.pause();
  }

  resume(): void {
    this.#halt.resume();
  }

  stop(): void {
    this.#halt.stop();
  }

  /** A recording that cannot be read on is a result; any other error is a fault of ours. */
  async run(): Promise<ReplayProgress> {
    try {
      await this.#playRounds();
      this.#state = this.#halt.isStopped ? 'stopped' : 'done';
    } catch (cause) {
      if (!(cause instanceof BotError)) throw cause;
      this.#failure = cause;
      this.#state = 'failed';
      this.#stage.fail();
    }
    return this.progress();
  }

  async #playRounds(): Promise<void> {
    do {
      this.#state = 'rebuilding';
      await this.#playOnce();
      if (this.#halt.isStopped) return;
      this.#rounds += 1;
      this.#stage.end();
      this.#stage.clear();
      // A break between rounds, and never a rush of rounds over a recording without frames.
      if (this.#options.loop) await this.#halt.wait(this.#silenceMsMax);
    } while (this.#options.loop && !this.#halt.isStopped);
  }

  async #playOnce(): Promise<void> {
    for await (const batch of this.#recording.batches()) {
      this.#countBad(batch.badLines);
      this.#readPart = batch.readPart;
      for (const frame of batch.frames) {
        if (this.#state === 'rebuilding' && frame.atMs < this.#fromMs) this.#rebuild(frame);
        else await this.#play(frame);
        if (this.#halt.isStopped) return;
      }
    }
    if (this.#state === 'rebuilding') this.#open();
  }

  #rebuild(frame: RecordedFrame): void {
    this.#stage.rebuild(frame);
    this.#framesRebuilt += 1;
    this.#recordedAtMs = frame.atMs;
  }

  #open(): void {
    this.#stage.open();
    this.#pace.restart();
    this.#state = 'playing';
  }

  async #play(frame: RecordedFrame): Promise<void> {
    if (this.#state === 'rebuilding') this.#open();
    const waitMs = this.#pace.waitMs(frame.atMs);
    // Timers know whole milliseconds only; a shorter wait is made up for by the next one.
    if (waitMs >= 1 || this.#appliedInTurn >= FRAMES_PER_TURN) await this.#rest(waitMs);
    if (this.#halt.isPaused) await this.#pauseHere();
    if (this.#halt.isStopped) return;
    this.#stage.apply(frame);
    this.#appliedInTurn += 1;
    this.#framesApplied += 1;
    this.#recordedAtMs = frame.atMs;
  }

  async #rest(waitMs: number): Promise<void> {
    this.#appliedInTurn = 0;
    await this.#halt.wait(waitMs);
  }

  async #pauseHere(): Promise<void> {
    await this.#halt.untilResumed();
    this.#pace.restart();
  }

  #countBad(badLines: readonly string[]): void {
    this.#badLines += badLines.length;
    if (badLines.length === 0 || this.#badLineExamples.length >= BAD_LINE_EXAMPLES_MAX) return;
    const examples = [...this.#badLineExamples, ...badLines];
    this.#badLineExamples = examples.slice(0, BAD_LINE_EXAMPLES_MAX);
  }
}
