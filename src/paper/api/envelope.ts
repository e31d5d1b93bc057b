// The envelope that every answer comes in. @spec Resources and their fields

import { VenueRefusal } from '../exchange/refusal.ts';
import type { Dialect } from './dialect.ts';
import type { ApiResponse } from './message.ts';

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** The answer to a request that was served. @spec Resources and their fields */
export function successAnswer(data: unknown): ApiResponse {
  return answerOf(200, { success: true, data });
}

/** The answer to a refused request. @spec Errors */
export function refusalAnswer(refusal: VenueRefusal, dialect: Dialect): ApiResponse {
  const { code, message, status, retryAfterSec } = refusal;
  const body = dialect.failureCodes
    ? { success: false, code, message }
    : { success: false, message };
  const answer = answerOf(status, body);
  if (retryAfterSec === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSec) } };
}

/** What a thrown value becomes: a refusal as it says, anything else an internal error. */
export function failureAnswer(thrown: unknown, dialect: Dialect): ApiResponse {
  const refusal =
    thrown instanceof VenueRefusal
      ? thrown
      : new VenueRefusal('internal_error', 'the venue failed to serve this request');
  return refusalAnswer(refusal, dialect);
}

function answerOf(status: number, body: unknown): ApiResponse {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(body) };
}
