// What stands between a client that only reads and its connections: nothing but GET passes, and every answer is shown
// to whoever records.

import type { Dispatcher } from 'undici';

/** An answer as it came, for a recording. */
export type RawAnswer = {
  /** With the prefix and the query. */
  readonly path: string;
  readonly status: number;
  readonly body: string;
};

/** What would change anything at the venue is a mistake of ours, and is never sent. */
export function getOnly(
  onAnswer: (answer: RawAnswer) => void,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (request, handler) => {
    if (request.method !== 'GET') {
      throw new Error(`${request.method} ${request.path}: this client only reads`);
    }
    return dispatch(request, new Witness(request.path, handler, onAnswer));
  };
}

/** Hands everything on, and keeps a copy of the answer until it is whole. */
class Witness implements Dispatcher.DispatchHandler {
  readonly #path: string;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onAnswer: (answer: RawAnswer) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;

  constructor(
    path: string,
    handler: Dispatcher.DispatchHandler,
    onAnswer: (answer: RawAnswer) => void,
  ) {
    this.#path = path;
    this.#handler = handler;
    this.#onAnswer = onAnswer;
  }

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>) {
    this.#handler.onRequestStart?.(...args);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>) {
    this.#status = args[1];
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>) {
    this.#chunks.push(args[1]);
    this.#handler.onResponseData?.(...args);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>) {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#onAnswer({ path: this.#path, status: this.#status, body });
    this.#handler.onResponseEnd?.(...args);
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>) {
    this.#handler.onResponseError?.(...args);
  }
}
