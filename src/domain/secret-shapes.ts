// Every way in which a secret may be written, made beforehand; all of them are found in one look at a text.

/** A shorter secret is a word like others, and would mask half of what is said. */
export const LENGTH_MIN = 6;
/**
 * So many letters of a secret are taken for it, with all that follows of it: a text that was cut in the middle of
 * one still shows a part. In a code fewer are enough, since nobody writes one by chance.
 */
const HEAD_LENGTH = 8;
const HEAD_LENGTH_IN_CODE = 6;
/** What begins with a word, as a passphrase may: `tomorrow` stands in names of markets. */
const HEAD_LENGTH_OF_WORDS = 12;

/** A way to write a secret; what begins as its head does is masked. */
export type Shape = { readonly whole: string; readonly headLength: number };

/** `texts` stand in a text as it is, `numbers` in what `squeezed` makes of it. */
export type Shapes = { readonly texts: readonly Shape[]; readonly numbers: readonly Shape[] };

/** What one form of a secret is written as; the letters of what is given stand for bytes. */
type Writing = (bytes: string) => readonly string[];

const AS_BYTES: Writing = (text) => [utf8(text), utf16(text, [0, 8]), utf16(text, [8, 0])];
const HEX: Writing = (bytes) => [numbers(bytes, 16, 2)];
/** As in `6b:33`, `0x6b, 0x33`, `[107,51]` and `\153\063`. */
const AS_NUMBERS: Writing = (bytes) => [...HEX(bytes), numbers(bytes, 10, 1), numbers(bytes, 8, 3)];
const AS_TEXT: Writing = (bytes) => [
  ...base64Texts(bytes),
  ...HEX(bytes),
  ...HEX(bytes).map((text) => text.toUpperCase()),
];

/** Bytes of each kind, text of those bytes, and text of that text once more: UTF-16 in hex, base64 of base64. */
export function shapesOf(secret: string): Shapes {
  const plain = [secret, reversed(secret)].map((whole) => ({ whole, headLength: headOf(whole) }));
  const bytes = written([{ whole: secret, headLength: HEAD_LENGTH_IN_CODE }], AS_BYTES);
  const once = written(bytes, AS_TEXT);
  return {
    texts: distinct([
      ...plain,
      // As a form writes blanks, and as an address writes what is not ASCII.
      ...written(plain, (text) => [text.replaceAll(' ', '+'), encodeURIComponent(text)]),
      ...written(plain, AS_BYTES),
      ...written([...bytes, ...once], base64Texts),
    ]),
    // Hex is found here alone, with and without what parts it.
    numbers: distinct([...written(bytes, AS_NUMBERS), ...written(once, HEX)]),
  };
}

function headOf(whole: string): number {
  const isWord = /^[a-z]{8}/i.test(whole);
  return isWord ? Math.min(HEAD_LENGTH_OF_WORDS, whole.length) : HEAD_LENGTH;
}

function written(shapes: readonly Shape[], writing: Writing): readonly Shape[] {
  return shapes.flatMap(({ whole, headLength }) =>
    writing(whole).map((text) => ({
      whole: text,
      headLength: Math.round((headLength * text.length) / whole.length),
    })),
  );
}

function distinct(shapes: readonly Shape[]): readonly Shape[] {
  const byText = new Map(shapes.map((shape) => [shape.whole, shape]));
  return [...byText.values()].filter(({ whole }) => whole.length >= LENGTH_MIN);
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}

function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** The two bytes of each unit in the order of `shifts`. */
function utf16(text: string, shifts: readonly number[]): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return String.fromCharCode(...units.flatMap((unit) => shifts.map((by) => (unit >> by) & 0xff)));
}

function numbers(bytes: string, radix: number, length: number): string {
  return [...bytes]
    .map((byte) => byte.charCodeAt(0).toString(radix).padStart(length, '0'))
    .join('');
}

/** Characters at the beginning that also depend on what stands before, by how many bytes that is. */
const UNSURE_HEAD = [0, 2, 3] as const;

/**
 * In base64, by itself and amid other bytes, as a user with a password is: what comes of it there depends on
 * where among three bytes it begins. The characters that hold bits of its neighbours are left out. Also as addresses
 * write it.
 */
function base64Texts(bytes: string): readonly string[] {
  return UNSURE_HEAD.flatMap((unsure, before) => {
    const length = before + bytes.length;
    const whole = btoa('\0'.repeat(before) + bytes).slice(unsure, Math.floor((length * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
