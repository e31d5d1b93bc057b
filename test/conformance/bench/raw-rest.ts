// Plain HTTP against any venue, signed by a computation of its own: the client of this project is not
// involved, so that the two readings of the interface check each other.

import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Answer, Rest } from '../../../src/cli/doctor/card.ts';
import { at } from '../../../src/cli/doctor/shape.ts';

export type Keys = {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly apiPassphrase: string;
};

export type Asked = {
  /** Serialised as it is. */
  readonly body?: unknown;
  /** Sent in place of `body`, whatever it holds. */
  readonly rawBody?: string;
  /** Unsigned when `nobody`; the account of this instance otherwise. */
  readonly as?: Keys | 'nobody';
  /** Signed in place of the path that is sent. */
  readonly signedPath?: string;
  readonly signedMethod?: string;
  readonly signedBody?: string;
  /** Added to the clock before the timestamp is written. */
  readonly shiftSec?: number;
  /** Replace or, as `undefined`, remove what would be sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

/** A venue that says nothing for this long does not answer. */
const ANSWER_MS_MAX = 15_000;

export class RawRest implements Rest {
  readonly baseUrl: string;
  readonly keys: Keys | undefined;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(baseUrl: string, keys?: Keys) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.keys = keys;
    const isSecure = this.baseUrl.startsWith('https:');
    this.#agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 8 });
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path, { as: 'nobody' });
  }

  signedGet(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.ask('POST', path, { body });
  }

  delete(path: string): Promise<Answer> {
    return this.ask('DELETE', path);
  }

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const body = asked.rawBody ?? (asked.body === undefined ? '' : JSON.stringify(asked.body));
    const keys = asked.as === 'nobody' ? undefined : (asked.as ?? this.keys);
    const headers = defined({
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      'content-length': String(Buffer.byteLength(body)),
      ...(keys ? signedHeaders({ method, path, body, keys, asked }) : {}),
      ...asked.headers,
    });
    return await this.#send(path, { method, headers, agent: this.#agent }, body);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, options: RequestOptions, body: string): Promise<Answer> {
    const url = new URL(this.baseUrl);
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // The path goes out exactly as it was signed: no library may tidy it up.
    const target = { ...options, host: url.hostname, port: url.port, path: url.pathname + path };
    return new Promise((resolve, reject) => {
      const request = open(target, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve(answerOf(response.statusCode ?? 0, response.headers, text));
        });
      });
      request.setTimeout(ANSWER_MS_MAX, () => request.destroy(new Error('no answer in time')));
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** `base64(HMAC-SHA256(apiSecret, message))`. @spec Authentication › Signature */
export function hmac(secret: string, message: string): string {
  return createHmac('sha256', secret).update(message, 'utf8').digest('base64');
}

export function nowSec(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Reads the envelope of an answer, whatever it holds. */
export function answerOf(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  text: string,
): Answer {
  const body = parsed(text);
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    ...{ status, text, body, headers: Object.fromEntries(plain) },
    success: at(body, 'success'),
    code: at(body, 'code'),
    message: at(body, 'message'),
    data: at(body, 'data'),
  };
}

function signedHeaders(of: {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly keys: Keys;
  readonly asked: Asked;
}): Record<string, string> {
  const { keys, asked } = of;
  const timestamp = String(nowSec() + (asked.shiftSec ?? 0));
  const method = asked.signedMethod ?? of.method;
  const message = `${timestamp}${method}${asked.signedPath ?? of.path}${asked.signedBody ?? of.body}`;
  return {
    'SERVICE-API-KEY': keys.apiKey,
    'SERVICE-TIMESTAMP': timestamp,
    'SERVICE-PASSPHRASE': keys.apiPassphrase,
    'SERVICE-SIGNATURE': hmac(keys.apiSecret, message),
  };
}

function defined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) given[name] = value;
  }
  return given;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
