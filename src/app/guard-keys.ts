// Keys of the live status, handed on to the trader, who draws what follows from them. While none answers, as one that
// hangs, dies or still loads, `k` is taken here: a kill must not depend on what may be the reason for it.

import type { Clock } from '../domain/time.ts';
import type { Killer, KillUpdate } from './http-parent.ts';

/** The terminal that the keys come from. */
export type KeyTerminal = {
  /** As latch and record name whoever types there. */
  readonly by: string;
  /** A line for that person, below whatever a trader has drawn last. */
  readonly say: (line: string) => void;
  /** Given whom the keys are for. */
  readonly onPress: (press: (key: string) => void) => void;
};

export type GuardKeysOptions = {
  readonly clock: Clock;
  readonly killer: Pick<Killer, 'kill' | 'latch'>;
  readonly terminal: Pick<KeyTerminal, 'by' | 'say'>;
  readonly isAnswering: () => boolean;
  readonly pass: (key: string) => void;
};

/** A yes that comes sooner was pasted, or typed ahead of the question. */
const ANSWER_MS_MIN = 300;
/** A question that nobody has answered by then is forgotten: a later `y` means something else. */
const ANSWER_MS_MAX = 20_000;

export class GuardKeys {
  readonly #options: GuardKeysOptions;
  #askedAtMs: number | undefined;
  /** Below zero: HTTP counts its own kills upwards, and neither takes a word for the other's. */
  #killId = 0;

  constructor(options: GuardKeysOptions) {
    this.#options = options;
  }

  press(key: string): void {
    const { clock, isAnswering, pass } = this.#options;
    const askedAtMs = this.#askedAtMs;
    this.#askedAtMs = undefined;
    const agoMs = clock.nowMs() - (askedAtMs ?? Number.NEGATIVE_INFINITY);
    if (agoMs <= ANSWER_MS_MAX) this.#answer(key, agoMs);
    else if (key === 'k' && !isAnswering()) this.#ask();
    else pass(key);
  }

  #ask(): void {
    this.#askedAtMs = this.#options.clock.nowMs();
    this.#say(
      'the trader does not answer; the watchdog can KILL: cancel every order, and stay stopped, over restarts too, until a resume? y / n',
    );
  }

  #answer(key: string, agoMs: number): void {
    if (key !== 'y') this.#say('nothing is done');
    else if (agoMs >= ANSWER_MS_MIN) this.#kill();
    else this.#say('nothing is done: the yes came before anybody could read the question');
  }

  #kill(): void {
    const { killer, terminal } = this.#options;
    this.#killId -= 1;
    this.#say('KILLING: cancelling, and looking until nothing is left');
    killer.latch(terminal.by);
    killer.kill(this.#killId, terminal.by, (update) => this.#say(textOf(update)));
  }

  #say(line: string): void {
    this.#options.terminal.say(line);
  }
}

function textOf(update: KillUpdate): string {
  if (update.kind === 'step') return update.detail;
  if (!update.isConfirmed) return 'KILL NOT CONFIRMED: run `bookend kill` in another terminal';
  const whose = Reflect.get(update.body, 'scope') === 'own' ? ' of ours' : '';
  return `killed: no open order${whose} is left; it stays so until a resume (r)`;
}
