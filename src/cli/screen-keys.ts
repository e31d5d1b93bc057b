// What the keys of the live status do: choose a market, ask, and act once the question has a yes. It knows nothing of
// a terminal; whoever draws the screen shows `chosen`, `line` and `help`.

import type { UnixMs } from '../domain/time.ts';
import type { ShownMarket } from './state-schema.ts';
import { harmless } from './text.ts';

/** What a person at the terminal asks for. */
export type KeyOrder = {
  readonly order: 'pause' | 'resume' | 'kill' | 'end';
  /** One market by its id; `undefined` for the whole account. */
  readonly marketId: string | undefined;
};

export type ScreenKeysOptions = {
  readonly nowMs: () => UnixMs;
  readonly markets: () => readonly Pick<ShownMarket, 'marketId' | 'title' | 'eventSlug'>[];
  /** @returns What came of it, in a few words. Never rejects. */
  readonly act: (order: KeyOrder) => Promise<string>;
};

type Question = { readonly order: KeyOrder; readonly text: string; readonly askedAtMs: UnixMs };

/** A yes that comes sooner was pasted, or typed ahead of the question. */
const ANSWER_MS_MIN = 300;
/** A question that nobody has answered by then is forgotten: a later `y` means something else. */
const ANSWER_MS_MAX = 20_000;
const TOLD_MS = 15_000;
/** Rows that a page of markets moves on. */
const PAGE = 10;

const ORDERS: Readonly<Record<string, KeyOrder['order']>> = {
  p: 'pause',
  r: 'resume',
  k: 'kill',
  q: 'end',
};

const QUESTIONS: Readonly<Record<KeyOrder['order'], string>> = {
  pause: 'Cancel the quotes and place no more until a resume',
  resume: 'Lift what stops it, and quote again',
  kill: 'KILL: cancel every order, and stay stopped, over restarts too, until a resume',
  end: 'Cancel everything and end',
};

const UNDER_WAY: Readonly<Record<KeyOrder['order'], string>> = {
  pause: 'pausing',
  resume: 'resuming',
  kill: 'KILLING: cancelling, and looking until nothing is left',
  end: 'ending',
};

export const KEY_LINE = 'keys: ↑ ↓ market · p pause · r resume · k kill · q end · ? help';

export const KEY_HELP: readonly string[] = [
  '↑ ↓  Tab     choose a market; Page ↑ ↓, Home and End move further; Esc chooses none',
  'p            pause: cancel the quotes, and place no more until a resume',
  'r            resume: lift a kill, a pause or a halt, and quote again',
  'k            kill: cancel every order; it stays stopped, over restarts too, until a resume',
  'q  Ctrl-C    cancel everything, confirm it, and end',
  '?            this help, and away with it',
  'p, r and k mean the chosen market, and the whole account while none is chosen.',
  'Each of them asks, and `y` is the yes. It is on record as done at this terminal.',
];

export class ScreenKeys {
  readonly #options: ScreenKeysOptions;
  #chosen: string | undefined;
  #question: Question | undefined;
  #told: { readonly text: string; readonly atMs: UnixMs } | undefined;
  #isHelp = false;

  constructor(options: ScreenKeysOptions) {
    this.#options = options;
  }

  /** The id of the market that is chosen. */
  get chosen(): string | undefined {
    return this.#options.markets().some(({ marketId }) => marketId === this.#chosen)
      ? this.#chosen
      : undefined;
  }

  get isHelp(): boolean {
    return this.#isHelp;
  }

  /** The last line of the screen: a question, what came of the last order, or which keys there are. */
  get line(): { readonly text: string; readonly isQuestion: boolean } {
    const nowMs = this.#options.nowMs();
    if (this.#question !== undefined && nowMs - this.#question.askedAtMs > ANSWER_MS_MAX) {
      this.#question = undefined;
      this.#tell('nobody answered: nothing is done');
    }
    if (this.#question !== undefined) return { text: this.#question.text, isQuestion: true };
    if (this.#told !== undefined && nowMs - this.#told.atMs <= TOLD_MS) {
      return { text: this.#told.text, isQuestion: false };
    }
    return { text: KEY_LINE, isQuestion: false };
  }

  press(key: string): void {
    if (this.line.isQuestion) this.#answer(key);
    else if (ORDERS[key] !== undefined) this.#ask(ORDERS[key]);
    else if (key === '?' || key === 'h') this.#isHelp = !this.#isHelp;
    else if (key === 'escape') this.#leave();
    else this.#choose(key);
  }

  #leave(): void {
    this.#told = undefined;
    if (this.#isHelp) this.#isHelp = false;
    else this.#chosen = undefined;
  }

  #choose(key: string): void {
    const ids = this.#options.markets().map(({ marketId }) => marketId);
    const at = this.#chosen === undefined ? -1 : ids.indexOf(this.#chosen);
    const to = target(key, at, ids.length);
    if (to !== undefined) this.#chosen = ids[to];
  }

  #ask(order: KeyOrder['order']): void {
    const marketId = order === 'end' ? undefined : this.chosen;
    const whose = marketId === undefined ? '' : `${this.#nameOf(marketId)} only · `;
    const text = `${whose}${QUESTIONS[order]}? y / n`;
    this.#question = { order: { order, marketId }, text, askedAtMs: this.#options.nowMs() };
  }

  #answer(key: string): void {
    const question = this.#question;
    this.#question = undefined;
    if (question === undefined) return;
    const isTyped = this.#options.nowMs() - question.askedAtMs >= ANSWER_MS_MIN;
    if (key !== 'y') this.#tell('nothing is done');
    else if (isTyped) void this.#act(question.order);
    else this.#tell('nothing is done: the yes came before anybody could read the question');
  }

  async #act(order: KeyOrder): Promise<void> {
    this.#tell(UNDER_WAY[order.order]);
    this.#tell(await this.#options.act(order));
  }

  #tell(text: string): void {
    this.#told = { text, atMs: this.#options.nowMs() };
  }

  #nameOf(marketId: string): string {
    const market = this.#options.markets().find((each) => each.marketId === marketId);
    if (market === undefined) return marketId;
    return harmless(market.title === '' ? market.eventSlug : market.title);
  }
}

/** The row that a key goes to from row `at`, of which -1 is none. */
function target(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  const last = count - 1;
  const within = (row: number): number => Math.max(0, Math.min(last, row));
  switch (key) {
    case 'down':
      return within(at + 1);
    case 'up':
      return at < 0 ? last : within(at - 1);
    case 'tab':
      return (at + 1) % count;
    case 'backtab':
      return at <= 0 ? last : at - 1;
    case 'pagedown':
      return within(at + PAGE);
    case 'pageup':
      return within(at - PAGE);
    case 'home':
      return 0;
    case 'end':
      return last;
    default:
      return undefined;
  }
}
