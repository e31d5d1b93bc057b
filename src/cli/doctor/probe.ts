// Plain requests of the doctor: no retries, no cures, so that what the venue says is what is shown.

import { withoutEndSlashes } from '../../domain/address.ts';
import { jsonOr } from '../../domain/json.ts';
import { type Identity, isBearer } from '../../domain/secret.ts';
import { type UnixMs, unixSec } from '../../domain/time.ts';
import { boundedText } from '../../feeds/http-source.ts';
import { BODY_LENGTH_MAX } from '../../wire/limits.ts';
import { signature } from '../../wire/signature.ts';
import type { Answer, Rest } from './card.ts';
import { at } from './shape.ts';

export type ProbeOptions = {
  /** Ends in `/api`. */
  readonly baseUrl: string;
  readonly credentials: Identity | undefined;
  /** The venue's time, as measured. */
  readonly venueNowMs: () => UnixMs;
  readonly timeoutMs: number;
};

/** Opens plain requests to a venue; an unsigned one is sent where there are no credentials. */
export function probe(options: ProbeOptions): Rest {
  return {
    get: async (path) => await get(options, path, {}),
    signedGet: async (path) => await get(options, path, signed(options, path)),
  };
}

/** @spec Authentication › Request headers (HMAC) */
function signed({ credentials, venueNowMs }: ProbeOptions, path: string): Record<string, string> {
  if (!credentials) return {};
  if (isBearer(credentials)) {
    return { authorization: `Bearer ${credentials.bearerToken.reveal()}` };
  }
  const atSec = unixSec(venueNowMs());
  const request = { method: 'GET', path, body: '' } as const;
  return {
    'SERVICE-API-KEY': credentials.apiKey.reveal(),
    'SERVICE-TIMESTAMP': String(atSec),
    'SERVICE-PASSPHRASE': credentials.apiPassphrase.reveal(),
    'SERVICE-SIGNATURE': signature(request, { secret: credentials.apiSecret, atSec }),
  };
}

async function get(
  { baseUrl, timeoutMs }: ProbeOptions,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const url = `${withoutEndSlashes(baseUrl)}${path}`;
  const sent = { headers: { accept: 'application/json', ...headers }, redirect: 'manual' } as const;
  const { response, text } = await answered(url, { ...sent, timeoutMs }).catch((cause: unknown) => {
    throw new Unanswered(`no answer to GET ${path}: ${whyOf(cause)}`, { cause });
  });
  const body = jsonOr(text, BODY_LENGTH_MAX);
  return {
    ...{ status: response.status, headers: Object.fromEntries(response.headers), text, body },
    success: at(body, 'success'),
    code: at(body, 'code'),
    message: at(body, 'message'),
    data: at(body, 'data'),
  };
}

/** The venue has said nothing that could be read whole. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

async function answered(
  url: string,
  { timeoutMs, ...sent }: RequestInit & { readonly timeoutMs: number },
): Promise<{ readonly response: Response; readonly text: string }> {
  const response = await fetch(url, { ...sent, signal: AbortSignal.timeout(timeoutMs) });
  return { response, text: await boundedText(response, BODY_LENGTH_MAX) };
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
