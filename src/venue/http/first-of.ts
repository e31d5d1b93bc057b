// One request asked of two pools: it leaves by the connection that is there first, and by no other.

import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;

/** What cannot leave by either has failed; what waits behind others, or for a name, on one may still leave by the other. */
export function firstOf(one: Dispatcher, other: Dispatcher): Dispatcher {
  return one.compose((dispatch) => (request, handler) => {
    const race: Race = { by: undefined, failures: 0 };
    other.dispatch(request, new Way(handler, race));
    return dispatch(request, new Way(handler, race));
  });
}

type Race = { by: Way | undefined; failures: number };

class Way implements Handler {
  readonly #handler: Handler;
  readonly #race: Race;

  constructor(handler: Handler, race: Race) {
    this.#handler = handler;
    this.#race = race;
  }

  onRequestStart(...args: Parameters<NonNullable<Handler['onRequestStart']>>) {
    this.#race.by ??= this;
    if (this.#race.by === this) this.#handler.onRequestStart?.(...args);
    else args[0].abort(new Error('has left by another connection'));
  }

  onResponseStart(...args: Parameters<NonNullable<Handler['onResponseStart']>>) {
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(...args: Parameters<NonNullable<Handler['onResponseData']>>) {
    this.#handler.onResponseData?.(...args);
  }

  onResponseEnd(...args: Parameters<NonNullable<Handler['onResponseEnd']>>) {
    this.#handler.onResponseEnd?.(...args);
  }

  onResponseError(...args: Parameters<NonNullable<Handler['onResponseError']>>) {
    this.#race.failures += 1;
    const isLast = this.#race.by === undefined && this.#race.failures === 2;
    if (this.#race.by === this || isLast) this.#handler.onResponseError?.(...args);
  }
}
