// A credential that prints as a mask wherever it ends up.

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
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
