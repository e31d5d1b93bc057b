// What an operator asks for over HTTP, passed on to those who do it: a kill to the guard and to the trader at
// once, everything else to the trader. Who asks gets an answer in time, and it says what is known by then.

import { randomInt } from 'node:crypto';
import type { SetsOrder } from '../domain/sets.ts';
import type { Timers } from '../domain/time.ts';
import type { EditAsk, MarketAsk, Operator, Outcome } from '../telemetry/http-operator.ts';
import { readConfig, readEdited, readForm } from './config-reader.ts';
import type { FromServer, KillUpdate } from './http-parent.ts';
import { type Ask, type FromTrader, settingsText, type ToTrader } from './http-words.ts';

export type HttpOperatorOptions = {
  readonly configFile: string;
  /** Somebody kills without the trader. */
  readonly hasKiller: boolean;
  /** The longest that a kill may take until it is confirmed. */
  readonly proofMsMax: number;
  readonly trader: { readonly isConnected: boolean; say(word: ToTrader): void };
  readonly tellParent: (message: FromServer) => void;
  readonly timers: Timers;
  readonly readers?: Readers;
};

/** What reads configurations, each in a thread of its own. */
export type Readers = {
  readonly text: typeof readConfig;
  readonly edited: typeof readEdited;
  readonly form: typeof readForm;
};

const READERS: Readers = { text: readConfig, edited: readEdited, form: readForm };
/** People who look at the same time. */
const READINGS_MAX = 4;

/** A trader that turns takes what is asked up within a turn. */
const TAKEN_MS = 60;
/** Before the guard ends one that does not turn, and another trader begins. */
const LATCH_MS = 400;
/** A kill is answered by then, whatever is known. */
const KILL_MS = 150;
/** Longer than a trader waits for a pause or a resume to have its effect. */
const DONE_MS = 4_000;
/** A core that quotes a thousand markets takes its time. */
const PREVIEW_MS = 10_000;
const PREVIEW_GAP_MS = 1_000;
/** People, and their scripts. A kill is never refused; what is forgotten for it is answered as not confirmed. */
const OPEN_MAX = 64;
const KEPT_MAX = 2 * OPEN_MAX;
const ID_FIRST_MAX = 2 ** 47;
const AS_SOON_AS_IT_TURNS = 'told; it obeys as soon as it turns';
const NOBODY: Outcome = { status: 503, body: { error: 'no trader is running; nothing was done' } };

const STALE: Outcome = {
  status: 409,
  body: { error: 'the file has changed since it was shown; look at it again', kind: 'stale' },
};

type Open = {
  readonly ask: Ask;
  isTaken: boolean;
  done: Outcome | undefined;
  /** What the independent kill path has said last. */
  step: string | undefined;
  ended: Extract<KillUpdate, { kind: 'ended' }> | undefined;
  /** It was begun while there was no trader: what it confirms needs no word of one. */
  isAlone: boolean;
  /** Nobody waits for it any more. */
  isLeft: boolean;
  readonly waiting: Set<() => void>;
};

/** It keeps quotes away: a trader that begins is notified of it again. */
function isStop(ask: Ask): boolean {
  if (ask.kind === 'market') return ask.of.order !== 'resume';
  return ask.kind === 'kill' || ask.kind === 'pause';
}

function wake({ waiting }: Open): void {
  for (const each of [...waiting]) each();
}

export class HttpOperator implements Operator {
  readonly #options: HttpOperatorOptions;
  readonly #open = new Map<number, Open>();
  /** Answers to a process before this one may come yet: none of them has the number of a question of now. */
  #lastId = randomInt(ID_FIRST_MAX);
  #isPreviewing = false;
  #readings = 0;

  constructor(options: HttpOperatorOptions) {
    this.#options = options;
  }

  async kill(by: string, isProofPending: boolean): Promise<Outcome> {
    const { hasKiller, trader, proofMsMax, tellParent } = this.#options;
    if (!hasKiller && !trader.isConnected) return NOBODY;
    const [id, open] = this.#ask({ kind: 'kill', by });
    if (hasKiller) tellParent({ kind: 'kill', id, by });
    this.#latchUnless(open, by);
    await this.#until(open, () => open.isTaken || !trader.isConnected, TAKEN_MS);
    if (!isProofPending) {
      const isTold = () => open.done !== undefined || open.step !== undefined || !hasKiller;
      await this.#until(open, isTold, KILL_MS - TAKEN_MS);
      // It goes on, and stays known for a trader that begins meanwhile.
      void this.#proof(id, open, proofMsMax);
      return this.#underWay(open);
    }
    return await this.#proof(id, open, proofMsMax);
  }

  async pause(by: string): Promise<Outcome> {
    return await this.#done({ kind: 'pause', by }, AS_SOON_AS_IT_TURNS);
  }

  async resume(by: string): Promise<Outcome> {
    this.#forgetLeft((ask) => ask.kind === 'pause');
    return await this.#done({ kind: 'resume', by }, AS_SOON_AS_IT_TURNS);
  }

  async ofMarket(ask: MarketAsk): Promise<Outcome> {
    if (ask.order === 'resume') {
      const { market } = ask;
      this.#forgetLeft((left) => left.kind === 'market' && left.of.market === market);
    }
    return await this.#done({ kind: 'market', of: ask }, AS_SOON_AS_IT_TURNS);
  }

  async sets(order: SetsOrder): Promise<Outcome> {
    return await this.#done({ kind: 'sets', order }, 'told; what comes of it is in the state');
  }

  async config(): Promise<Outcome> {
    return await this.#reading(async ({ form, file }) => {
      const read = await form(file);
      if (read.kind === 'failed') return { status: 422, body: { error: read.detail } };
      return { status: 200, body: read };
    });
  }

  async preview(next: string | EditAsk): Promise<Outcome> {
    if (this.#isPreviewing) return { status: 429, body: { error: 'one preview a second' } };
    this.#isPreviewing = true;
    this.#options.timers.after(PREVIEW_GAP_MS, () => {
      this.#isPreviewing = false;
    });
    return await this.#reading(async ({ text, edited, file }) => {
      const read = await (typeof next === 'string' ? text(next, file) : edited(next, file));
      if (read.kind === 'failed') return { status: 422, body: { error: read.detail } };
      if (read.kind === 'stale') return STALE;
      if (read.kind === 'refused') return { status: 200, body: read };
      const ask = { kind: 'preview', settings: settingsText(read.settings) } as const;
      return await this.#done(ask, 'it is busy; ask again', PREVIEW_MS);
    });
  }

  /** Read here first: the trader is told only what is right. */
  async edit(ask: EditAsk, by: string): Promise<Outcome> {
    return await this.#reading(async ({ edited, file }) => {
      const read = await edited(ask, file);
      if (read.kind === 'failed') return { status: 422, body: { error: read.detail } };
      if (read.kind === 'stale') return STALE;
      if (read.kind === 'refused') {
        return { status: 422, body: { error: 'not a right configuration', ...read } };
      }
      return await this.#done({ kind: 'edit', of: ask, by }, AS_SOON_AS_IT_TURNS);
    });
  }

  /** Each reading has a thread of its own while it lasts. */
  async #reading(
    task: (readers: Readers & { file: string }) => Promise<Outcome>,
  ): Promise<Outcome> {
    if (this.#readings >= READINGS_MAX) return { status: 429, body: { error: 'busy; ask again' } };
    this.#readings += 1;
    try {
      const { readers = READERS, configFile: file } = this.#options;
      return await task({ ...readers, file });
    } finally {
      this.#readings -= 1;
    }
  }

  /** The trader has taken something up, or is done with it. */
  onWord(word: Extract<FromTrader, { kind: 'taken' | 'done' }>): void {
    const open = this.#open.get(word.id);
    if (open === undefined) return;
    open.isTaken = true;
    if (word.kind === 'done') open.done = { status: word.status, body: word.body };
    if (word.kind === 'done' && open.isLeft) this.#open.delete(word.id);
    wake(open);
  }

  onUpdate(id: number, update: KillUpdate): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (update.kind === 'step') open.step = update.detail;
    else open.ended = update;
    wake(open);
  }

  /** One that begins is told what keeps quotes away and has not been done; never what would bring them back. */
  onTrader(): void {
    for (const [id, { ask, done }] of this.#open) {
      if (isStop(ask) && done === undefined) this.#options.trader.say({ kind: 'ask', id, ask });
    }
  }

  /** What it was told may be lost with it: the independent kill path looks anew, from its end on. */
  onTraderGone(): void {
    for (const [id, open] of this.#open) {
      if (open.done === undefined) this.#killAlone(id, open);
      wake(open);
    }
  }

  /** A trader that turns latches by itself: two who write one file would be in each other's way. */
  #latchUnless(open: Open, by: string): void {
    const { hasKiller, timers, trader, tellParent } = this.#options;
    if (!hasKiller) return;
    const look = (): void => {
      if (!open.isTaken) tellParent({ kind: 'latch', by });
    };
    if (trader.isConnected) timers.after(LATCH_MS, look);
    else look();
  }

  /** Whoever had taken it up may have ended before he latched, and who confirms it alone is asked by no next trader. */
  #killAlone(id: number, open: Open): void {
    const { hasKiller, tellParent } = this.#options;
    if (open.ask.kind !== 'kill' || open.isAlone || !hasKiller) return;
    open.isAlone = true;
    open.ended = undefined;
    tellParent({ kind: 'kill', id, by: open.ask.by });
    if (open.isTaken) tellParent({ kind: 'latch', by: open.ask.by });
  }

  /** By the trader, or, where there is none, by the independent kill path. */
  async #proof(id: number, open: Open, withinMs: number): Promise<Outcome> {
    const isKnown = () => open.done !== undefined || (open.isAlone && open.ended !== undefined);
    await this.#until(open, isKnown, withinMs);
    this.#open.delete(id);
    const { done, ended } = open;
    if (done !== undefined) {
      if (done.status === 200) this.#options.tellParent({ kind: 'confirmed', id });
      return done;
    }
    if (open.isAlone && ended !== undefined) {
      return { status: ended.isConfirmed ? 200 : 500, body: ended.body };
    }
    const detail = open.step ?? 'nobody has answered';
    return { status: 500, body: { error: 'not confirmed', kind: 'unconfirmed', detail } };
  }

  /** What is known so early. */
  #underWay({ isTaken, step, done }: Open): Outcome {
    const { hasKiller, trader } = this.#options;
    if (done !== undefined && done.status !== 200) return done;
    const absent = trader.isConnected ? 'has not turned yet' : 'is not there';
    const body = {
      accepted: 'kill',
      trader: isTaken ? 'has taken it up' : absent,
      guard: hasKiller ? (step ?? 'cancels') : 'none: only the trader cancels',
      proof: 'POST /control/kill?wait=proof, or the phase in /api/state',
    };
    return { status: 202, body };
  }

  async #done(ask: Ask, untilThen: string, withinMs = DONE_MS): Promise<Outcome> {
    const { trader } = this.#options;
    if (!trader.isConnected) return NOBODY;
    if (this.#open.size >= OPEN_MAX) return { status: 429, body: { error: 'too much is open' } };
    const [id, open] = this.#ask(ask);
    const isOver = () => open.done !== undefined || !trader.isConnected;
    await this.#until(open, isOver, withinMs);
    if (open.done !== undefined) {
      this.#open.delete(id);
      return open.done;
    }
    // A stop is kept until a trader has obeyed it.
    open.isLeft = true;
    if (!isStop(ask)) this.#open.delete(id);
    const accepted = ask.kind === 'market' ? ask.of.order : ask.kind;
    return { status: 202, body: { accepted, isConfirmed: false, detail: untilThen } };
  }

  /** A resume takes back the stops that no trader has obeyed yet. */
  #forgetLeft(isMeant: (ask: Ask) => boolean): void {
    for (const [id, { ask, isLeft }] of this.#open) {
      if (isLeft && isMeant(ask)) this.#open.delete(id);
    }
  }

  #ask(ask: Ask): readonly [number, Open] {
    this.#lastId += 1;
    const id = this.#lastId;
    const { trader } = this.#options;
    const isAlone = !trader.isConnected;
    const open: Open = {
      ...{ ask, isTaken: false, done: undefined, step: undefined, ended: undefined, isAlone },
      isLeft: false,
      waiting: new Set(),
    };
    this.#open.set(id, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > KEPT_MAX && oldest !== undefined) this.#open.delete(oldest);
    trader.say({ kind: 'ask', id, ask });
    return [id, open];
  }

  async #until(open: Open, isSo: () => boolean, withinMs: number): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        callOff();
        open.waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isSo()) end();
      };
      const callOff = this.#options.timers.after(withinMs, end);
      open.waiting.add(look);
    });
  }
}
