// A recording as the world of a backtest: its frames move the clock.

import { BotError } from '../domain/errors.ts';
import type { MarketId } from '../domain/ids.ts';
import type { Event } from '../domain/market.ts';
import { type UnixMs, unixMs } from '../domain/time.ts';
import type { FrameBatch, RecordedFrame } from '../paper/crowd/recorded-frame.ts';
import type { Recording } from '../paper/crowd/recording.ts';
import { Stage as Board } from '../paper/crowd/stage.ts';
import type { WorthOf } from './watch.ts';
import type { OnProgress, Stage, World } from './world.ts';

const BAD_LINE_EXAMPLES_MAX = 10;
/** So far the clock moves at once; in a longer silence whoever waits hears how far it is, and may end it. */
const STRIDE_MS = 3_600_000;
/** A frame of a file that is dated back further was written by a clock that had been set back. */
const BACK_MS_MAX = 3_600_000;
/** In a folder whoever wrote it dates every line, so that none is out of order by itself. */
const RAW_BACK_MS_MAX = 1_000;
/** Quotes on books of a week ago say nothing of a strategy, and take minutes. */
const SILENCE_MS_MAX = 7 * 24 * STRIDE_MS;

/**
 * Reads a recording up to where it is to start, so that its books stand when the daemon comes. One that cannot
 * be read so far says so when it is played.
 *
 * @param fromTs - In the recording's own time; the recording's own start where absent.
 */
export async function openRecordedWorld(
  recording: Recording,
  fromTs: UnixMs | 'beginning' | undefined,
): Promise<World> {
  const world = new RecordedWorld(recording, fromTs ?? recording.startsAtMs ?? 'beginning');
  await world.readAhead();
  return world;
}

class RecordedWorld implements World {
  readonly name: string;
  readonly events: readonly Event[];
  readonly #recording: Recording;
  readonly #fromMs: number;
  readonly #batches: AsyncGenerator<FrameBatch, void, undefined>;
  readonly #board: Board;
  /** Read, and not played yet. */
  #waiting: readonly RecordedFrame[] = [];
  #stage: Stage | undefined;
  #startsAtMs: UnixMs | undefined;
  #failure: BotError | undefined;
  #frames = 0;
  #badLines = 0;
  #badLineExamples: readonly string[] = [];
  #readPart = 0;
  /** What the recorder's clock was set back by so far. */
  #setBackMs = 0;

  constructor(recording: Recording, fromTs: UnixMs | 'beginning') {
    this.name = recording.name;
    this.events = recording.events;
    this.#recording = recording;
    this.#fromMs = fromTs === 'beginning' ? Number.NEGATIVE_INFINITY : fromTs;
    this.#batches = recording.batches();
    this.#board = new Board(recording, { settles: true });
  }

  get startsAtMs(): UnixMs {
    return this.#startsAtMs ?? unixMs(0);
  }

  async readAhead(): Promise<void> {
    try {
      await this.#readPast();
    } catch (cause) {
      if (!(cause instanceof BotError)) throw cause;
      this.#failure = cause;
    }
  }

  async #readPast(): Promise<void> {
    let lastMs: UnixMs | undefined;
    for (let batch = await this.#next(); batch; batch = await this.#next()) {
      const first = batch.findIndex(({ atMs }) => atMs >= this.#fromMs);
      const past = first < 0 ? batch : batch.slice(0, first);
      for (const frame of past) this.#board.rebuild(frame);
      this.#frames += past.length;
      lastMs = past.at(-1)?.atMs ?? lastMs;
      this.#waiting = first < 0 ? [] : batch.slice(first);
      if (first >= 0) break;
    }
    this.#startsAtMs = this.#waiting[0]?.atMs ?? lastMs;
    if (this.#waiting.length === 0) this.#failure = nothingToPlay(this.#recording.path, lastMs);
  }

  open(stage: Stage): void {
    this.#stage = stage;
    this.#board.meet(stage.desk);
    this.#board.open();
  }

  async play(onProgress: OnProgress): Promise<void> {
    if (this.#failure) throw this.#failure;
    for (;;) {
      for (const frame of this.#waiting) {
        const atMs = this.#dated(frame);
        if (atMs - this.#nowMs > STRIDE_MS) await this.#pass(atMs, onProgress);
        this.#apply(frame, atMs);
      }
      await this.#tell(onProgress);
      const batch = await this.#next();
      if (!batch) return;
      this.#waiting = batch;
    }
  }

  get #nowMs(): number {
    return this.#stage?.clock.nowMs() ?? this.startsAtMs;
  }

  async #tell(onProgress: OnProgress): Promise<void> {
    const { endsAtMs: toMs } = this.#recording;
    const [fromMs, atMs, readPart] = [this.startsAtMs, this.#nowMs, this.#readPart];
    await onProgress({ fromMs, atMs, toMs, readPart });
  }

  /** Hours in which nothing was recorded. */
  async #pass(toMs: number, onProgress: OnProgress): Promise<void> {
    if (toMs - this.#nowMs > SILENCE_MS_MAX) throw tooLong(this.#recording.path, this.#nowMs, toMs);
    while (this.#stage && toMs - this.#nowMs > STRIDE_MS) {
      this.#stage.clock.runUntil(this.#nowMs + STRIDE_MS);
      await this.#tell(onProgress);
    }
  }

  close(): void {
    this.#board.end();
  }

  worthOf(marketId: MarketId): ReturnType<WorthOf> {
    const winner = this.#recording.winners.get(marketId);
    if (winner === undefined) return undefined;
    const markets = this.events.flatMap(({ markets: listed }) => listed);
    const isYes = markets.some(({ id, yes }) => id === marketId && yes.tokenId === winner);
    return { mark: 'settlement', value: isYes ? 1 : 0 };
  }

  counts() {
    return {
      frames: this.#frames,
      badLines: this.#badLines,
      badLineExamples: this.#badLineExamples,
    };
  }

  /**
   * Behind a clock that was set back, time goes on from where it was: hours are not played in one moment. Where it is
   * set right again, or a few frames alone were dated so, as of books that had long stood still, no silence is made up.
   */
  #dated({ atMs }: RecordedFrame): number {
    const backMsMax = this.#recording.isRaw ? RAW_BACK_MS_MAX : BACK_MS_MAX;
    const aheadMs = atMs + this.#setBackMs - this.#nowMs;
    if (aheadMs < -backMsMax) this.#setBackMs -= aheadMs;
    else if (aheadMs > BACK_MS_MAX) this.#setBackMs -= Math.min(aheadMs, this.#setBackMs);
    return atMs + this.#setBackMs;
  }

  #apply(frame: RecordedFrame, atMs: number): void {
    const clock = this.#stage?.clock;
    // A frame that is dated back a little is played where it stands.
    if (clock && atMs > clock.nowMs()) clock.runUntil(atMs);
    this.#board.apply(frame);
    this.#frames += 1;
  }

  async #next(): Promise<readonly RecordedFrame[] | undefined> {
    const { value, done } = await this.#batches.next();
    if (done === true || !value) return undefined;
    this.#readPart = value.readPart;
    this.#badLines += value.badLines.length;
    const room = BAD_LINE_EXAMPLES_MAX - this.#badLineExamples.length;
    if (room > 0 && value.badLines.length > 0) {
      this.#badLineExamples = [...this.#badLineExamples, ...value.badLines.slice(0, room)];
    }
    return value.frames;
  }
}

function tooLong(path: string, fromMs: number, toMs: number): BotError {
  const [from, to] = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString());
  const silence = `nothing was recorded from ${from} to ${to}, more than a week`;
  return new BotError('replay.file', `${path}: ${silence}; --from ${to} plays what comes after it`);
}

function nothingToPlay(path: string, lastMs: UnixMs | undefined): BotError {
  if (lastMs === undefined) return new BotError('replay.file', `${path}: no frame could be read`);
  const last = new Date(lastMs).toISOString();
  return new BotError('replay.file', `${path}: its last frame is of ${last}, before the start`);
}
