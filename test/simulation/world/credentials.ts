// Credentials as an operator keeps them in a file: regenerated at the venue, written a while later.

import { type Credentials, Secret } from '../../../src/domain/secret.ts';
import type { DirectVenue } from '../../../src/paper/direct.ts';

export type KeyTexts = DirectVenue['account'];

export class KeyFile {
  #texts: KeyTexts;
  /** The venue takes what is in the file. */
  isCurrent = true;

  constructor(texts: KeyTexts) {
    this.#texts = texts;
  }

  /** The venue knows other ones from now on, and nobody has written them down. */
  expire(): void {
    this.isCurrent = false;
  }

  write(texts: KeyTexts): void {
    this.#texts = texts;
    this.isCurrent = true;
  }

  read(): KeyTexts {
    return this.#texts;
  }
}

/** What one process read of the file; it reads again when it is told to. */
export class KeyReader {
  readonly #file: KeyFile;
  #texts: KeyTexts;

  constructor(file: KeyFile) {
    this.#file = file;
    this.#texts = file.read();
  }

  current(): Credentials {
    return {
      apiKey: new Secret(this.#texts.apiKey),
      apiSecret: new Secret(this.#texts.apiSecret),
      apiPassphrase: new Secret(this.#texts.apiPassphrase),
    };
  }

  reload(): Promise<boolean> {
    const before = this.#texts;
    this.#texts = this.#file.read();
    return Promise.resolve(before.apiKey !== this.#texts.apiKey);
  }
}
