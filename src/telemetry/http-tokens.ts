// Tokens by role. Which of them a caller shows is found in constant time, whichever it is.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../domain/secret.ts';
import type { GivenRight, Role } from './http-table.ts';

/** The control token, and those that give less. */
export type TokensGiven = {
  readonly controlToken: Secret | undefined;
  readonly roleTokens?: Readonly<Partial<Record<GivenRight, Secret>>> | undefined;
};

const TOKEN_LENGTH_MAX = 4_096;

export class Tokens {
  readonly #known: readonly { readonly role: Role; readonly digest: Buffer }[];

  constructor({ controlToken, roleTokens = {} }: TokensGiven) {
    const { view, trade, kill } = roleTokens;
    const given = [
      { role: 'full', token: controlToken },
      { role: 'view', token: view },
      { role: 'trade', token: trade },
      { role: 'kill', token: kill },
    ] as const;
    this.#known = given.flatMap(({ role, token }) =>
      token === undefined ? [] : [{ role, digest: digestOf(token.reveal()) }],
    );
  }

  /** Without one nothing is open. */
  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** Compares digests, and all of them: neither a match so far nor a length shows, nor whose it is. */
  roleOf(authorization: string | undefined): Role | undefined {
    const isLong = authorization === undefined || authorization.length > TOKEN_LENGTH_MAX;
    // Blanks within it are its own, as of a token that is a few words.
    const given = /^Bearer +(\S.*)$/i.exec(isLong ? '' : authorization)?.[1] ?? '';
    const digest = digestOf(given.trimEnd());
    const found = this.#known.filter((each) => timingSafeEqual(digest, each.digest));
    return found.at(0)?.role;
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
