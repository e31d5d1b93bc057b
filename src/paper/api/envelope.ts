// The envelope that every answer comes in. @spec Resources and their fields

import type { VenueCode } from '../../domain/codes.ts';
import { VENUE_CODES } from '../../wire/codes.ts';
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
  const answer = answerOf(dialect.codeStatus === 'ours' ? status : otherStatus(code, status), body);
  if (retryAfterSec === undefined) return answer;
  const retryAfter = retryAfterText(retryAfterSec, dialect);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

/** Another status of the code's group, where the group has several. */
function otherStatus(code: VenueCode, status: number): number {
  return VENUE_CODES[code].find((other) => other !== status) ?? status;
}

function retryAfterText(waitSec: number, { retryAfterAs }: Dialect): string {
  if (retryAfterAs === 'seconds') return String(waitSec);
  // Any date will do: whoever cannot read dates does not read this one either.
  return retryAfterAs === 'fraction' ? `${waitSec}.0` : 'Wed, 21 Oct 2026 07:28:00 GMT';
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
