// Secrets, found by what they are and not by the name they stand under: a venue, a proxy or a library may
// repeat a key in any field, header or page, as it is or encoded. What leaves the process passes here.

import { LENGTH_MIN, type Shapes, shapesOf } from './secret-shapes.ts';
import { type Bytes, type Range, ShapeIndex } from './shape-index.ts';
import { Squeezer, unsqueezed } from './squeezed.ts';

export const SECRET_MASK = '[secret]';

/** Of those known at a time; credentials that are read again and again must not grow this. */
const SECRETS_MAX = 32;
/** As long as names of ours are; no key of a venue is letters alone. */
const WORD = /^[a-z]{1,24}$/i;

export class Redactor {
  readonly #shapes = new Map<string, Shapes>();
  /** Of all of them; made when the next text is looked at. */
  #indices: Indices | undefined;

  /** From here on the value is masked, in every shape. Values that are short are not. */
  learn(secret: string): void {
    if (secret.length < LENGTH_MIN) return;
    const known = this.#shapes.get(secret);
    if (known === undefined) this.#indices = undefined;
    // One that is read again is in use, however long it has been known.
    this.#shapes.delete(secret);
    const [oldest] = this.#shapes.keys();
    if (this.#shapes.size >= SECRETS_MAX && oldest !== undefined) this.#shapes.delete(oldest);
    this.#shapes.set(secret, known ?? shapesOf(secret));
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

  /**
   * The same for a value of JSON: its texts and names are masked, and nothing else changes. A name that is a word
   * stays: programs look for it, and where it is public its mask would tell who reads it the secret.
   */
  redactValue(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return this.#redactList(value);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, each]) => [
        WORD.test(name) ? name : this.redact(name),
        this.redactValue(each),
      ]),
    );
  }

  /** Bytes in a list are a secret together, and none by itself. */
  #redactList(values: readonly unknown[]): unknown {
    const shown = values.map((each) => this.redactValue(each));
    const isFlat = shown.every((each) => typeof each !== 'object');
    if (!isFlat) return shown;
    const text = JSON.stringify(shown);
    return this.redact(text) === text ? shown : SECRET_MASK;
  }

  #find(text: string): Range[] {
    this.#indices ??= indicesOf([...this.#shapes.values()]);
    const bytes = encoded(text);
    const found: Range[] = [];
    this.#indices.texts.find(bytes, found);
    const among: Range[] = [];
    this.#indices.numbers.find(SQUEEZER.squeezed(bytes), among);
    // One by one: a text may name a secret more often than a call takes arguments.
    for (const each of among.length > 0 ? unsqueezed(among, bytes) : []) found.push(each);
    return found.length === 0 || bytes.length === text.length ? found : inUnits(found, text);
  }
}

/** As many bytes are kept for texts; a longer one gets its own. */
const ROOM = 65_536;
const ROOM_TEXT = new Uint8Array(ROOM);
const SQUEEZER = new Squeezer(ROOM);
const ENCODER = new TextEncoder();
/** Of one unit of a text in UTF-8. */
const UNIT_BYTES_MAX = 3;

/** The next call writes over it. */
function encoded(text: string): Bytes {
  if (text.length * UNIT_BYTES_MAX > ROOM) {
    const at = ENCODER.encode(text);
    return { at, length: at.length };
  }
  return { at: ROOM_TEXT, length: ENCODER.encodeInto(text, ROOM_TEXT).written };
}

/** What was found among the bytes of a text that is not all ASCII, counted in its units. */
function inUnits(found: readonly Range[], text: string): Range[] {
  const units: number[] = [];
  let unit = 0;
  for (const character of text) {
    for (const _ of ENCODER.encode(character)) units.push(unit);
    unit += character.length;
  }
  return found.map(({ from, to }) => ({ from: units[from] ?? 0, to: units[to] ?? text.length }));
}

type Indices = { readonly texts: ShapeIndex; readonly numbers: ShapeIndex };

function indicesOf(all: readonly Shapes[]): Indices {
  return {
    texts: new ShapeIndex(all.flatMap(({ texts }) => texts)),
    numbers: new ShapeIndex(all.flatMap(({ numbers }) => numbers)),
  };
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
  /(?:[\r\n]|\\[rn])[ \t]*|\\["'\\/]|\\u[0-9a-f]{4}|(?:%|\\x)[0-9a-f]{2}|\\[0-3][0-7]{2}|&(?:amp|lt|gt|quot|apos|#\d{2,5}|#x[0-9a-f]{2,4});/gi;
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
  const hex = /^(?:\\u|%|\\x|&#x)([0-9a-f]{2,4})/i.exec(code)?.[1];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  const octal = /^\\([0-7]{3})/.exec(code)?.[1];
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (first === '\\') return code.slice(1);
  const inner = code.slice(1, -1);
  return NAMED[inner.toLowerCase()] ?? String.fromCharCode(Number(inner.slice(1)));
}
