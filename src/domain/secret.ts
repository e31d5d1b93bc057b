// A credential that prints as a mask wherever it ends up, and whose value is masked in what others say of it.

import { REDACTOR, SECRET_MASK } from './redact.ts';

/** So short a part of an address may be a word that others hold too: `services`, `webhooks`. */
const GUESSED_LENGTH_MAX = 15;

export class Secret {
  readonly #text: string;

  constructor(text: string, parts: readonly string[] = [text]) {
    this.#text = text;
    for (const part of parts) REDACTOR.learn(part);
  }

  /** Of an address only what nobody could guess is masked elsewhere: `https://` and its host stay legible. */
  static ofAddress(text: string): Secret {
    const { pathname, searchParams, password } = new URL(text);
    const parts = [...pathname.split('/'), ...searchParams.values()];
    return new Secret(text, [
      ...parts.filter((part) => part.length > GUESSED_LENGTH_MAX),
      password,
    ]);
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return SECRET_MASK;
  }

  toJSON(): string {
    return SECRET_MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SECRET_MASK;
  }
}

export type Credentials = {
  readonly apiKey: Secret;
  readonly apiSecret: Secret;
  readonly apiPassphrase: Secret;
};

/**
 * A browser session's token. It expires and has a much smaller budget: a daemon uses an API key.
 * @spec Authentication › Bearer token (browser sessions)
 */
export type BearerSession = { readonly bearerToken: Secret };

/** Who we are to the venue. */
export type Identity = Credentials | BearerSession;

export function isBearer(identity: Identity): identity is BearerSession {
  return 'bearerToken' in identity;
}
