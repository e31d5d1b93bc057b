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
