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
    let view: View | undefined = DISGUISE.test(text) ? plainer(viewOf(text)) : undefined;
    for (let round = 1; view !== undefined; round += 1) {
      for (const { from, to } of this.#find(view.text)) {
        found.push({ from: view.starts[from] ?? 0, to: view.ends[to - 1] ?? text.length });
      }
      view = round < ROUNDS_MAX && DISGUISE.test(view.text) ? plainer(view) : undefined;
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

/** A line ends here, or a character may be written in another way, as in JSON, addresses and pages. */
const DISGUISE = /[\r\n\\%&]/;
/** JSON in JSON in an address; each round makes a text shorter. */
const ROUNDS_MAX = 4;

/** A text as its reader understands it, and from where to where each character stood in what was given. */
type View = {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};

function viewOf(text: string): View {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((index) => index + 1) };
}

/**
 * The same without one layer of what hides a text: the ends of its lines with the blanks behind them, and
 * characters that are written by their codes. `undefined` where there is none.
 */
function plainer({ text, starts, ends }: View): View | undefined {
  const own: { readonly starts: number[]; readonly ends: number[] } = { starts: [], ends: [] };
  let result = '';
  let index = 0;
  while (index < text.length) {
    const { length, as } = unitAt(text, index);
    // Only a line end can be nothing, and the blanks behind it go with it.
    const end = as === '' ? endOfBlanks(text, index + length) : index + length;
    if (as !== '') {
      result += as;
      own.starts.push(starts[index] ?? 0);
      own.ends.push(ends[end - 1] ?? 0);
    }
    index = end;
  }
  return result.length === text.length ? undefined : { text: result, ...own };
}

function endOfBlanks(text: string, from: number): number {
  let index = from;
  while (text[index] === ' ' || text[index] === '\t') index += 1;
  return index;
}

type Unit = { readonly length: number; readonly as: string };

/** `\n`, `\u002b`, `%2B`, `&#43;` and their like; longer than any of them no code is. */
const CODE =
  /^(?:[\r\n]|\\[rn"'\\/]|(?:\\u00|%|\\x)[0-9a-f]{2}|&(?:amp|lt|gt|quot|apos|#\d{2,3}|#x[0-9a-f]{2});)/i;
const CODE_LENGTH_MAX = 7;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unitAt(text: string, index: number): Unit {
  const first = text[index] ?? '';
  if (!DISGUISE.test(first)) return { length: 1, as: first };
  const [code] = CODE.exec(text.slice(index, index + CODE_LENGTH_MAX)) ?? [];
  return code === undefined
    ? { length: 1, as: first }
    : { length: code.length, as: meaningOf(code) };
}

function meaningOf(code: string): string {
  if (code === '\r' || code === '\n' || /^\\[rn]$/i.test(code)) return '';
  if (code.length === 2) return code.slice(1);
  const hex = /^(?:\\u00|%|\\x|&#x)([0-9a-f]{2})/i.exec(code)?.[1];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
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
