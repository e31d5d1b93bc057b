// Every answer sorted: ok, refused, unknown or not sent. Money hangs on the difference.

import { isVenueCode } from '../../domain/codes.ts';
import { WireError } from '../../domain/errors.ts';
import type { Failure, ReadOutcome } from '../../domain/message.ts';
import type { UnixMs } from '../../domain/time.ts';
import { UNCERTAIN_CODES, VENUE_CODES } from '../../wire/codes.ts';
import { type Envelope, parseEnvelope } from '../../wire/envelope.ts';
import { complaintText } from '../../wire/parse.ts';
import type { Exchange } from './exchange.ts';
import { httpDate } from './http-date.ts';

/** A read changes nothing, so every stated failure of it is a refusal. */
export type CallKind = 'read' | 'write' | 'cancel';

/**
 * Statuses of a refusal. Another one below 500, a 408 say, is of whoever stands between us and the venue,
 * and may have let the request pass. @spec Errors
 */
const REFUSING: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422, 429]);

type Answer = Extract<Exchange, { kind: 'answer' }>;
/** With the wait that it asks for. */
type Timed = Answer & { readonly waitMs: number | undefined };
type Stated = Extract<Envelope, { kind: 'failure' }>;

/** Assumed where a 429 names no time. */
const RETRY_AFTER_DEFAULT_MS = 1_000;
/** A longer wait is another kind of trouble, and an operator should see us ask again. */
const RETRY_AFTER_MAX_MS = 10 * 60_000;

export type Sorting<Value> = {
  readonly kind: CallKind;
  readonly access: 'public' | 'auth';
  readonly parse: (data: unknown) => Value;
  /** When the answer came, by the venue's clock. */
  readonly venueNowMs: UnixMs;
};

/**
 * Sorts what came of a request.
 *
 * A refusal needs the venue's own word for it: a failure envelope with a 4xx status, or a 429 that
 * says when to come back. Everything else that may have reached the venue is unknown.
 * @spec Errors
 */
export function classify<Value>(
  result: Exchange,
  { kind, access, parse, venueNowMs }: Sorting<Value>,
): ReadOutcome<Value> {
  if (result.kind === 'failed') {
    const { wasSent, cause, detail } = result;
    return wasSent ? { kind: 'unknown', cause, detail } : { kind: 'notSent', detail };
  }
  const envelope = parseEnvelope(result.text);
  const timed = { ...result, waitMs: retryAfterMs(result.retryAfter, venueNowMs) };
  switch (envelope.kind) {
    case 'success':
      return succeeded(result, () => parse(envelope.data));
    case 'failure':
      return stated(timed, kind, envelope);
    case 'unreadable':
      return unreadable(timed, access === 'auth' && kind !== 'write', envelope.detail);
  }
}

/** More than a date or a number of seconds takes. */
const RETRY_AFTER_LENGTH_MAX = 60;
const SECONDS = /^\d+(?:\.\d+)?$/;
/**
 * How long `Retry-After` asks us to wait: it names seconds, or a date of the venue's clock.
 * @param venueNowMs - The venue's time, as far as it is known: our own clock may be off by more than the wait.
 * @returns `undefined` for a header that is neither. @spec Limits
 */
export function retryAfterMs(header: string | undefined, venueNowMs: UnixMs): number | undefined {
  if (header === undefined || header.length > RETRY_AFTER_LENGTH_MAX) return undefined;
  const text = header.trim();
  const atMs = SECONDS.test(text) ? venueNowMs + Number(text) * 1_000 : httpDate(text, venueNowMs);
  if (atMs === undefined) return undefined;
  const waitMs = atMs - venueNowMs;
  return Math.min(Math.max(0, Math.ceil(waitMs)), RETRY_AFTER_MAX_MS);
}

function succeeded<Value>(answer: Answer, read: () => Value): ReadOutcome<Value> {
  if (answer.status < 200 || answer.status > 299) {
    return { kind: 'unknown', cause: 'serverError', detail: `success with ${answer.status}` };
  }
  try {
    return { kind: 'ok', value: read() };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { kind: 'unknown', cause: 'unreadable', detail: complaintText(error) };
  }
}

function stated(answer: Timed, kind: CallKind, failure: Stated): Failure {
  const isUncertain = kind === 'write' && mayBeThere(answer.status, failure.code);
  const isSure = kind === 'read' || (!isUncertain && isRefusal(answer.status, failure.code));
  if (isSure) return refused(answer, failure);
  const detail = `${answer.status} ${failure.code ?? ''}: ${failure.message}`;
  return { kind: 'unknown', cause: 'serverError', detail };
}

/** A conflict that has no code of the interface, as in the older reference, may be of what is there. */
function mayBeThere(status: number, code: string | undefined): boolean {
  if (code !== undefined && isVenueCode(code)) return UNCERTAIN_CODES.includes(code);
  return status === 409;
}

/**
 * Whether a stated failure confirms that nothing happened. A code of the 5xx group never does,
 * whatever status carries it; a code of the 4xx groups does even under a wrong 2xx status.
 */
function isRefusal(status: number, code: string | undefined): boolean {
  if (status >= 500) return false;
  if (code !== undefined && isVenueCode(code)) return VENUE_CODES[code].every((of) => of < 500);
  return REFUSING.has(status);
}

/**
 * A status alone is a refusal where it says when to come back, and where we are not known and nothing hangs on the
 * difference: else a key that was regenerated is never read again. @spec Authentication › Credentials
 */
function unreadable(answer: Timed, isOfAccount: boolean, detail: string): Failure {
  const isLimited = answer.status === 429 && answer.waitMs !== undefined;
  if (isLimited || (answer.status === 401 && isOfAccount))
    return refused(answer, { kind: 'failure', code: undefined, message: detail });
  const cause = answer.status >= 500 ? 'serverError' : 'unreadable';
  return { kind: 'unknown', cause, detail: `${answer.status} ${detail}` };
}

function refused(answer: Timed, { code, message }: Stated): Failure {
  const isLimited = answer.status === 429 || code === 'rate_limited';
  const wait = answer.waitMs;
  return {
    kind: 'refused',
    refusal: {
      code: isLimited ? 'rate_limited' : code,
      message,
      httpStatus: answer.status,
      // `Retry-After: 0`, or a date that has passed, names no pace: asking at once would only be refused again.
      retryAfterMs: isLimited ? wait || RETRY_AFTER_DEFAULT_MS : wait,
    },
  };
}
