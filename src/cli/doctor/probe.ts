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
  const response = await fetch(`${withoutEndSlashes(baseUrl)}${path}`, {
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'manual',
  });
  const text = await boundedText(response, BODY_LENGTH_MAX);
  const body = jsonOr(text, BODY_LENGTH_MAX);
  return {
    ...{ status: response.status, headers: Object.fromEntries(response.headers), text, body },
    success: at(body, 'success'),
    code: at(body, 'code'),
    message: at(body, 'message'),
    data: at(body, 'data'),
  };
}
