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
    if (secret.length < LENGTH_MIN || this.#shapes.has(secret)) return;
    const [oldest] = this.#shapes.keys();
    if (this.#shapes.size >= SECRETS_MAX && oldest !== undefined) this.#shapes.delete(oldest);
    this.#shapes.set(secret, shapesOf(secret));
  }

  /** The text with every known secret masked; what it costs grows with the length of the text alone. */
  redact(text: string): string {
    if (this.#shapes.size === 0 || text.length < LENGTH_MIN) return text;
    const found = this.#find(text);
    const joined = BREAK.test(text) ? withoutBreaks(text) : undefined;
    // A value that is split over two lines is whole without their ends.
    if (joined !== undefined) {
      for (const { from, to } of this.#find(joined.text)) {
        found.push({ from: joined.places[from] ?? 0, to: (joined.places[to - 1] ?? 0) + 1 });
      }
    }
    return found.length === 0 ? text : masked(text, found);
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

/** The end of a line, as it is and as JSON writes it. */
const BREAK = /[\r\n]|\\[rn]/;

/** A text without the ends of its lines and the blanks behind them, and where each character stood. */
function withoutBreaks(text: string): {
  readonly text: string;
  readonly places: readonly number[];
} {
  const places: number[] = [];
  let result = '';
  let index = 0;
  while (index < text.length) {
    const end = endOfBreak(text, index);
    if (end > index) {
      index = end;
      continue;
    }
    result += text[index] ?? '';
    places.push(index);
    index += 1;
  }
  return { text: result, places };
}

/** Behind the line ends that begin at `from`, and their indentation; `from` where none begins. */
function endOfBreak(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const character = text[index] ?? '';
    const isEscaped = character === '\\' && /[rn]/.test(text[index + 1] ?? '');
    if (isEscaped) index += 2;
    else if (character === '\r' || character === '\n') index += 1;
    else if (index > from && (character === ' ' || character === '\t')) index += 1;
    else break;
  }
  return index;
}

function shapesOf(secret: string): readonly Shape[] {
  const plain = [secret, reversed(secret)];
  const escaped = plain.flatMap((text) => [
    jsonText(text),
    jsonText(jsonText(text)),
    htmlText(text),
  ]);
  const url = plain.flatMap((text) => [encodeURIComponent(text), encodeURI(text), formText(text)]);
  const hex = hexText(secret);
  const all = [
    ...[...plain, ...escaped, ...url, ...url.map(lowerEscapes), hex, hex.toUpperCase()],
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

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function htmlText(text: string): string {
  const named = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return named.replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

function formText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** `%2F` as `%2f`. */
function lowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
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
