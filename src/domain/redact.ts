// Secrets, found by what they are and not by the name they stand under: a venue, a proxy or a library may
// repeat a key in any field, header or page, as it is or encoded. What leaves the process passes here.

export const SECRET_MASK = '[secret]';

/** A shorter secret is a word like others, and would mask half of what is said. */
const LENGTH_MIN = 6;
/**
 * So much of the beginning of a secret is masked wherever it stands, with all that follows of it: a text that
 * was cut in the middle of one still shows a part.
 */
const HEAD_LENGTH = 8;
/** Of those known at a time; credentials that are read again and again must not grow this. */
const SECRETS_MAX = 32;

type Shape = { readonly head: string; readonly whole: string };

export class Redactor {
  readonly #shapes = new Map<string, readonly Shape[]>();

  /** From here on the value is masked, in every shape. Values that are short are not. */
  learn(secret: string): void {
    if (secret.length < LENGTH_MIN) return;
    const shapes = this.#shapes.get(secret) ?? shapesOf(secret);
    // One that is read again is in use, however long it has been known.
    this.#shapes.delete(secret);
    const [oldest] = this.#shapes.keys();
    if (this.#shapes.size >= SECRETS_MAX && oldest !== undefined) this.#shapes.delete(oldest);
    this.#shapes.set(secret, shapes);
  }

  /** The text with every known secret masked; what it costs grows with the length of the text alone. */
  redact(text: string): string {
    if (this.#shapes.size === 0 || text.length < LENGTH_MIN) return text;
    const found = this.#find(text);
    let view = plainer(asItIs(text));
    for (let round = 1; view !== undefined; round += 1) {
      for (const { from, to } of this.#find(view.text)) {
        found.push({ from: view.start(from), to: view.end(to - 1) });
      }
      view = round < ROUNDS_MAX ? plainer(view) : undefined;
    }
    return found.length === 0 ? text : masked(text, found);
  }

  /** The same for a JSON text, which stays one: a number that looks like a secret is a number. */
  redactJson(text: string, indent?: number): string {
    if (this.redact(text) === text) return text;
    return JSON.stringify(this.redactValue(JSON.parse(text)), undefined, indent);
  }

  /** The same for a value of JSON: its texts and names are masked, and nothing else changes. */
  redactValue(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((each) => this.redactValue(each));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, each]) => [this.redact(name), this.redactValue(each)]),
    );
  }

  #find(text: string): Range[] {
    const found: Range[] = [];
    for (const shapes of this.#shapes.values()) {
      for (const shape of shapes) findIn(text, shape, found);
    }
    return found;
  }
}

/** The one that everything leaving this process passes; each `Secret` makes itself known to it. */
export const REDACTOR = new Redactor();

/** @see Redactor.redact */
export function redacted(text: string): string {
  return REDACTOR.redact(text);
}

/** @see Redactor.redactJson */
export function redactedJson(text: string, indent?: number): string {
  return REDACTOR.redactJson(text, indent);
}

type Range = { readonly from: number; readonly to: number };

function findIn(text: string, { head, whole }: Shape, found: Range[]): void {
  let from = text.indexOf(head);
  while (from >= 0) {
    let to = from + head.length;
    while (to - from < whole.length && text[to] === whole[to - from]) to += 1;
    found.push({ from, to });
    from = text.indexOf(head, to);
  }
}

function masked(text: string, found: readonly Range[]): string {
  let result = '';
  let done = 0;
  for (const { from, to } of found.toSorted((a, b) => a.from - b.from)) {
    if (from >= done) result += text.slice(done, from) + SECRET_MASK;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}

/**
 * What hides a text from who looks for it: the end of a line with the blanks behind it, and a character that is
 * written by its code: `\n`, `\u002b`, `%2B`, `&#43;` and their like.
 */
const CODE =
  /(?:[\r\n]|\\[rn])[ \t]*|\\["'\\/]|(?:\\u00|%|\\x)[0-9a-f]{2}|&(?:amp|lt|gt|quot|apos|#\d{2,3}|#x[0-9a-f]{2});/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
/** JSON in JSON in an address; each round makes a text shorter. */
const ROUNDS_MAX = 4;

/** A text as its reader understands it, and where each of its characters begins and ends in what was given. */
type View = {
  readonly text: string;
  readonly start: (index: number) => number;
  readonly end: (index: number) => number;
};

function asItIs(text: string): View {
  return { text, start: (index) => index, end: (index) => index + 1 };
}

/** Behind a code: how far the view has come, and the text below it. */
type Mark = { readonly at: number; readonly below: number; readonly isCharacter: boolean };

/** The same without one layer of codes; `undefined` where there is none. */
function plainer(below: View): View | undefined {
  const marks: Mark[] = [{ at: 0, below: 0, isCharacter: false }];
  let text = '';
  let done = 0;
  for (const { 0: code, index } of below.text.matchAll(CODE)) {
    const as = meaningOf(code);
    text += below.text.slice(done, index) + as;
    done = index + code.length;
    marks.push({ at: text.length, below: done, isCharacter: as !== '' });
  }
  if (marks.length === 1) return undefined;
  const start = (index: number): number => {
    const mark = marks[lastAt(marks, index)];
    return (mark?.below ?? 0) + index - (mark?.at ?? 0);
  };
  const end = (index: number): number => {
    const next = marks[lastAt(marks, index) + 1];
    const isCode = next !== undefined && next.at === index + 1 && next.isCharacter;
    return isCode ? next.below : start(index) + 1;
  };
  return {
    text: text + below.text.slice(done),
    start: (index) => below.start(start(index)),
    end: (index) => below.end(end(index) - 1),
  };
}

/** The last mark at or before an index, by halves. */
function lastAt(marks: readonly Mark[], index: number): number {
  let low = 0;
  let high = marks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((marks[middle]?.at ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Nothing for the end of a line. */
function meaningOf(code: string): string {
  const first = code[0] ?? '';
  if (first === '\r' || first === '\n' || /^\\[rn]/i.test(code)) return '';
  const hex = /^(?:\\u00|%|\\x|&#x)([0-9a-f]{2})/i.exec(code)?.[1];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (first === '\\') return code.slice(1);
  const inner = code.slice(1, -1);
  return NAMED[inner.toLowerCase()] ?? String.fromCharCode(Number(inner.slice(1)));
}

function shapesOf(secret: string): readonly Shape[] {
  const plain = [secret, reversed(secret)];
  const hex = hexText(secret);
  const all = [
    ...plain,
    // As a form writes blanks, and as an address writes what is not ASCII.
    ...plain.map((text) => text.replaceAll(' ', '+')),
    ...plain.map(encodeURIComponent),
    ...[hex, hex.toUpperCase()],
    ...base64Texts(secret).flatMap((text) => [
      text,
      text.replaceAll('+', '-').replaceAll('/', '_'),
    ]),
  ];
  return [...new Set(all)]
    .filter((whole) => whole.length >= LENGTH_MIN)
    .map((whole) => ({ whole, head: whole.slice(0, HEAD_LENGTH) }));
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

function bytesOf(text: string): readonly number[] {
  return [...new TextEncoder().encode(text)];
}

function hexText(text: string): string {
  return bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Characters at the beginning that also depend on what stands before, by how many bytes that is. */
const UNSURE_HEAD = [0, 2, 3] as const;

/**
 * In base64, by itself and amid other bytes, as a user with a password is: what comes of it there depends on
 * where among three bytes it begins. The characters that hold bits of its neighbours are left out.
 */
function base64Texts(text: string): readonly string[] {
  return UNSURE_HEAD.map((unsure, before) => {
    const bytes = [...new Array<number>(before).fill(0), ...bytesOf(text)];
    const whole = btoa(String.fromCharCode(...bytes));
    return whole.slice(unsure, Math.floor((bytes.length * 8) / 6));
  });
}
