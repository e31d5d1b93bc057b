// A card: one numbered statement of the interface that a venue can be held to, over plain REST.

export type CardId = `C-${string}`;

/** An answer as it came, and what its envelope says. */
export type Answer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** Parsed JSON; `undefined` when it is none. */
  readonly body: unknown;
  readonly success: unknown;
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
};

/** Asks a venue without any of the client's own reading. */
export interface Rest {
  /** One unsigned request. */
  get(path: string): Promise<Answer>;
  /** The same with HMAC headers; only where the bench has credentials. */
  signedGet(path: string): Promise<Answer>;
}

/** A market to ask about, named as the venue lists it. */
export type Target = {
  readonly eventId: string;
  readonly slug: string;
  readonly category: string;
  readonly title: string;
  readonly tickSize: string;
  readonly marketId: string;
  readonly yes: string;
  readonly no: string;
  readonly yesOutcomeId: string;
};

export type HarmlessBench = {
  readonly rest: Rest;
  readonly target: Target;
  nowMs(): number;
};

export type CardText = {
  readonly id: CardId;
  /** A sentence about the venue. */
  readonly title: string;
  /** The section of the interface that it confirms. */
  readonly spec: string;
  /** Lines of the interface, by the keys that the document gives. */
  readonly covers: readonly string[];
  /** Lines of which it sees no more than that something is there: they are not confirmed by it. */
  readonly touches?: readonly string[];
};

/** Reads only; the result is what was found, for people. */
export type HarmlessCard = CardText & {
  readonly kind: 'harmless';
  readonly needsAccount: boolean;
  readonly run: (bench: HarmlessBench) => Promise<string | undefined>;
};

/** The venue is not as the card says. */
export class CardFailure extends Error {
  override readonly name = 'CardFailure';
}

/** A refusal as an older reference shows it, with a message and no code: nothing there can be held to one. */
export class CodeAbsent extends CardFailure {}

/** @throws {CardFailure} Unless it is so. */
export function holds(isSo: boolean, statement: string): asserts isSo {
  if (!isSo) throw new CardFailure(statement);
}

/** The payload of a success. @throws {CardFailure} For anything else. */
export function payload(answer: Answer, what: string): unknown {
  const isFine = answer.status >= 200 && answer.status < 300 && answer.success === true;
  holds(isFine, `${what}: a success expected, ${seen(answer)}`);
  return answer.data;
}

/** Holds an answer to a refusal with one of the codes. @throws {CardFailure} {@link CodeAbsent} where it has none. */
export function refusal(answer: Answer, ...codes: readonly string[]): void {
  const isRefusal = answer.success === false && answer.status >= 400;
  holds(isRefusal, `a refusal expected (${codes.join(', ')}), ${seen(answer)}`);
  holds(typeof answer.message === 'string', 'a refusal has a message');
  if (answer.code === undefined) {
    throw new CodeAbsent(`${codes.join(' or ')} expected, and no code ${seen(answer)}`);
  }
  holds(codes.includes(String(answer.code)), `${codes.join(' or ')} expected, ${seen(answer)}`);
}

export function seen({ status, text }: Answer): string {
  return `seen ${status} ${text.slice(0, 160)}`;
}
