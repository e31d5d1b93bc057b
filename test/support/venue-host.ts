// The process that venues of tests run in: one for all scenes of a test process, started when the first
// of them is asked for. A program start costs more than many venues.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnv } from './processes.ts';

const PROGRAM = fileURLToPath(new URL('venue-process.mjs', import.meta.url));

export type ListedMarket = { readonly id: string; readonly yes: string; readonly no: string };
export type VenueInfo = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly account: {
    readonly apiKey: string;
    readonly apiSecret: string;
    readonly apiPassphrase: string;
  };
  readonly events: readonly { readonly slug: string; readonly markets: readonly ListedMarket[] }[];
};

/** Answers to silences of the interface that a scene chooses. */
export type VenueRules = {
  readonly partiallyFilledCancellable?: boolean;
  /** Of what a settlement takes, and balances lag; a small part of it where nothing is said. */
  readonly timeScale?: number;
};

type Verb = 'start' | 'stop';
type Answer = { readonly verb: Verb; readonly id: number; readonly info: VenueInfo | undefined };
type Waiting = {
  readonly resolve: (info: VenueInfo | undefined) => void;
  readonly reject: (error: Error) => void;
};

class VenueHost {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, Waiting>();
  #said = '';
  #lastId = 0;

  constructor() {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    this.#child = fork(PROGRAM, [], { env: cleanEnv(), stdio: [...stdio], execArgv: [] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    this.#child.on('message', (answer: Answer) => this.#onAnswer(answer));
    this.#child.once('close', () => this.#onEnd());
    // It ends with this process, and does not keep it.
    this.#child.unref();
  }

  async start(rules: VenueRules): Promise<{ readonly id: number; readonly info: VenueInfo }> {
    this.#lastId += 1;
    const id = this.#lastId;
    const info = await this.#ask('start', id, rules);
    if (info === undefined) throw new Error(`a venue without an address\n${this.#said}`);
    return { id, info };
  }

  async stop(id: number): Promise<void> {
    await this.#ask('stop', id);
  }

  async #ask(verb: Verb, id: number, rules: VenueRules = {}): Promise<VenueInfo | undefined> {
    return await new Promise((resolve, reject) => {
      this.#waiting.set(`${verb} ${id}`, { resolve, reject });
      this.#child.send({ verb, id, rules });
    });
  }

  #onAnswer({ verb, id, info }: Answer): void {
    const key = `${verb} ${id}`;
    this.#waiting.get(key)?.resolve(info);
    this.#waiting.delete(key);
  }

  #onEnd(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`no venue\n${this.#said}`));
    this.#waiting.clear();
  }
}

let host: VenueHost | undefined;

/** The host of this test process. */
export function venueHost(): VenueHost {
  host ??= new VenueHost();
  return host;
}
