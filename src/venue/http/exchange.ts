// One request and its answer on a connection pool, with a verdict whether it left this process.

import type { Dispatcher } from 'undici';
import { excerpt } from '../../domain/excerpt.ts';
import type { Timers } from '../../domain/time.ts';
import type { Method } from '../../wire/signature.ts';

export type WireRequest = {
  readonly method: Method;
  /** With the base address's own prefix. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Exchange =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly text: string;
      /** The same as it came, for readers that need no text. */
      readonly bytes?: Uint8Array;
    }
  | {
      readonly kind: 'failed';
      readonly cause: 'timeout' | 'connection' | 'unreadable';
      /** False only when not one byte of it can have left. */
      readonly wasSent: boolean;
      readonly detail: string;
    };

/** Why a request must not leave any more; `undefined` while it may. */
export type CalledOff = () => string | undefined;

type Limits = {
  readonly totalMs: number;
  readonly timers: Timers;
  /** Why it must not leave; asked at the moment before the first byte does, and then it is still not sent. */
  readonly calledOff?: CalledOff | undefined;
};

/**
 * Sends one request and waits for the whole answer, at most `totalMs`.
 *
 * Whether it was sent is not read off an error's text: the pool tells when it is about to write to
 * a connection, and before that moment nothing has left.
 */
export function exchange(
  pool: Dispatcher,
  request: WireRequest,
  { totalMs, timers, calledOff = () => undefined }: Limits,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const settle = (result: Exchange): void => {
      callOff();
      resolve(result);
    };
    const handler = new AnswerHandler(settle, calledOff);
    const callOff = timers.after(totalMs, () => handler.giveUp(`no answer in ${totalMs} ms`));
    const { method, path, headers, body } = request;
    try {
      pool.dispatch({ method, path, headers, body: body === '' ? null : body }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
    }
  });
}

const TIMEOUT_CODES = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Each part takes a hundred bytes beside its own: an answer of single bytes would take half a gigabyte. */
const PARTS_MAX = 50_000;

/** Collects one answer; whatever happens after the first verdict changes nothing. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #settle: (result: Exchange) => void;
  readonly #calledOff: CalledOff;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #wasSent = false;
  #status = 0;
  #retryAfter: string | undefined;

  constructor(settle: (result: Exchange) => void, calledOff: CalledOff) {
    this.#settle = settle;
    this.#calledOff = calledOff;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // What was given up or called off while it waited for a connection must not leave any more.
    const why = this.#isSettled ? 'given up' : this.#calledOff();
    if (why !== undefined) {
      controller.abort(new Error(why));
      return;
    }
    this.#controller = controller;
    this.#wasSent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    const retryAfter = headers['retry-after'];
    this.#status = status;
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#chunks.push(chunk) <= PARTS_MAX) return;
    const detail = `an answer in more than ${PARTS_MAX} parts`;
    this.#finish({ kind: 'failed', cause: 'unreadable', wasSent: this.#wasSent, detail });
    controller.abort(new Error(detail));
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#chunks);
    const text = bytes.toString('utf8');
    const [status, retryAfter] = [this.#status, this.#retryAfter];
    this.#finish({ kind: 'answer', status, retryAfter, text, bytes });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
    this.#finish({
      kind: 'failed',
      cause: causeOf(code),
      wasSent: this.#wasSent,
      detail: excerpt(`${code}: ${error.message}`, 200),
    });
  }

  giveUp(detail: string): void {
    this.#finish({ kind: 'failed', cause: 'timeout', wasSent: this.#wasSent, detail });
    this.#controller?.abort(new Error(detail));
  }

  #finish(result: Exchange): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle(result);
  }
}

function causeOf(code: string): 'timeout' | 'connection' | 'unreadable' {
  if (TIMEOUT_CODES.has(code)) return 'timeout';
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'unreadable' : 'connection';
}
