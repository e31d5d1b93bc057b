// What leaves the process shows no secret, wherever and however it is written.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, SECRET_MASK } from '../../../src/domain/redact.ts';

const SECRET = 'k3y/+ab"c\\d&e=f~Zy9';

function redactor(...secrets: readonly string[]): Redactor {
  const made = new Redactor();
  for (const secret of secrets) made.learn(secret);
  return made;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Each byte as a number, and what stands before it and between them. */
const bytes = (
  text: string,
  {
    radix,
    length,
    before,
    between,
  }: { radix: number; length: number; before: string; between: string },
): string =>
  [...Buffer.from(text)]
    .map((byte) => before + byte.toString(radix).padStart(length, '0'))
    .join(between);
const hex = (before: string, between: string): string =>
  bytes(SECRET, { radix: 16, length: 2, before, between });
const utf16 = Buffer.from(SECRET, 'utf16le');
const utf16Swapped = Buffer.from(utf16).swap16();
const SHAPES: Readonly<Record<string, string>> = {
  plain: SECRET,
  'in JSON': JSON.stringify({ echo: SECRET }),
  'in JSON within JSON': JSON.stringify({ body: JSON.stringify({ echo: SECRET }) }),
  'in an address': `https://venue.example/?key=${encodeURIComponent(SECRET)}&x=1`,
  'in an address in small letters': encodeURIComponent(SECRET).toLowerCase().replace('zy9', 'Zy9'),
  'in JSON of another writer': JSON.stringify({ echo: SECRET })
    .replaceAll('/', '\\/')
    .replaceAll('+', '\\u002B'),
  'in JSON in JSON in an address': encodeURIComponent(
    JSON.stringify({ body: JSON.stringify({ echo: SECRET }) }),
  ),
  'in a page with codes': `<p>${[...SECRET].map((each) => `&#${each.charCodeAt(0)};`).join('')}</p>`,
  'in a page with other codes': SECRET.replaceAll('/', '&#x2F;').replaceAll('"', '&#34;'),
  'all of it in an address': [...SECRET]
    .map((each) => `%${each.charCodeAt(0).toString(16)}`)
    .join(''),
  'in base64 in an address': encodeURIComponent(base64(SECRET)),
  'as a form': new URLSearchParams({ key: SECRET }).toString(),
  'in a page': `<p>${SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p>`,
  'in base64': base64(SECRET),
  'in base64 behind a user': base64(`user:${SECRET}`),
  'in base64 behind another user': base64(`me:${SECRET}:more`),
  'in base64 for addresses': Buffer.from(SECRET).toString('base64url'),
  'in hex': Buffer.from(SECRET).toString('hex'),
  'in HEX': Buffer.from(SECRET).toString('hex').toUpperCase(),
  'in hex with colons': hex('', ':'),
  'in hex with blanks': hex('', ' ').toUpperCase(),
  'in hex with dashes in an address': encodeURIComponent(hex('', ' - ')),
  'in hex of a program': hex('0x', ', '),
  'in HEX of a program': hex('0X', ',').toUpperCase(),
  'in hex in pairs over lines': hex('', '')
    .replaceAll(/(.{4})/g, '$1 ')
    .replaceAll(/(.{20})/g, '$1\n'),
  'in hex of mixed letters': hex('', '').replaceAll(/[a-f](?=\d)/g, (each) => each.toUpperCase()),
  'in hex in a list of JSON': JSON.stringify(hex('', '.').split('.')),
  'as a buffer prints': inspect(Buffer.from(SECRET)),
  'as a buffer in JSON': JSON.stringify(Buffer.from(SECRET)),
  'as octal codes': bytes(SECRET, { radix: 8, length: 3, before: '\\', between: '' }),
  'with some octal codes': SECRET.replaceAll(
    /[^a-zA-Z0-9]/g,
    (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`,
  ),
  'in octal codes in JSON': JSON.stringify(
    bytes(SECRET, { radix: 8, length: 3, before: '\\', between: '' }),
  ),
  'in base64 of base64': base64(base64(SECRET)),
  'in base64 of base64 amid others': base64(`a: ${base64(`Basic:${SECRET}`)}!`),
  'in base64 of hex': base64(hex('', '')),
  'in hex of base64': Buffer.from(base64(SECRET)).toString('hex'),
  'in UTF-16': utf16.toString('latin1'),
  'in UTF-16 of the other order': utf16Swapped.toString('latin1'),
  'in UTF-16 in JSON': JSON.stringify(utf16.toString('latin1')),
  'in UTF-16 in codes': bytes(utf16.toString('latin1'), {
    radix: 16,
    length: 4,
    before: '\\u',
    between: '',
  }),
  'in UTF-16 of the other order in codes': bytes(utf16Swapped.toString('latin1'), {
    radix: 16,
    length: 4,
    before: '\\u',
    between: '',
  }),
  'in UTF-16 in base64': utf16.toString('base64'),
  'in UTF-16 of the other order in base64': base64(`x${utf16Swapped.toString('latin1')}y`),
  'in UTF-16 in hex': utf16.toString('hex'),
  'in UTF-16 of the other order in hex': utf16Swapped.toString('hex'),
  'from behind': [...SECRET].reverse().join(''),
  'over two lines': `${SECRET.slice(0, 5)}\r\n    ${SECRET.slice(5)}`,
  'over two lines in JSON': `${SECRET.slice(0, 3)}\\n${SECRET.slice(3)}`,
  'in base64 over many lines': base64(SECRET).replace(/(.{5})/g, '$1\n'),
};

/** The parts of a secret that nobody may see. */
function parts(text: string): readonly string[] {
  return [text.slice(0, 9), text.slice(-9)];
}

describe('a secret that somebody repeats', () => {
  it.each(Object.entries(SHAPES))('is masked %s', (_, text) => {
    const shown = redactor(SECRET).redact(`before ${text} behind`);
    expect(shown).toContain(SECRET_MASK);
    expect(shown.startsWith('before ')).toBe(true);
    expect(shown.endsWith(' behind')).toBe(true);
    const bare = shown.replaceAll(/\s|\\n/g, '');
    for (const part of [SECRET, base64(SECRET), Buffer.from(SECRET).toString('hex')].flatMap(
      parts,
    )) {
      expect(bare).not.toContain(part);
    }
  });

  it.each([
    ['base64 for addresses', Buffer.from('>>>???~~~abc').toString('base64url')],
    ['an address of more than ASCII', encodeURIComponent('clé-d-accès-ÿ')],
    ['that address from behind', encodeURIComponent([...'clé-d-accès-ÿ'].reverse().join(''))],
  ])('is masked to its end in %s', (_, text) => {
    const made = redactor('>>>???~~~abc', 'clé-d-accès-ÿ');
    expect(made.redact(`before ${text} behind`)).toBe(`before ${SECRET_MASK} behind`);
  });

  it('is masked to where the text was cut', () => {
    expect(redactor('0123456789abcdef').redact('x 0123456789ab')).toBe(`x ${SECRET_MASK}`);
  });

  it('that begins with a word leaves the word to others, and is masked where it goes on', () => {
    const made = redactor('tomorrow-never-knows', 'services');
    expect(made.redact('Will it rain tomorrow?')).toBe('Will it rain tomorrow?');
    expect(made.redact('x tomorrow-never')).toBe(`x ${SECRET_MASK}`);
    expect(made.redact('services')).toBe(SECRET_MASK);
  });

  it('is masked more often in one text than a call takes arguments', () => {
    const text = `${Buffer.from('012345').toString('hex')}.`.repeat(250_000);
    expect(redactor('0123456789abcdef').redact(text)).not.toContain('303132');
  });

  it('is masked as often as it stands there, also within another one', () => {
    const made = redactor('0123456789', '345678abcd');
    expect(made.redact('0123456789 and 0123456789')).toBe(`${SECRET_MASK} and ${SECRET_MASK}`);
    expect(made.redact('012345678abcd')).toBe(SECRET_MASK);
  });

  it('leaves every other text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(redactor('0123456789abcdef').redact(text)).toBe(text);
      }),
    );
  });

  it('is no word of five letters', () => {
    expect(redactor('rainy').redact('a rainy day')).toBe('a rainy day');
  });

  it('never shows, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(SECRET.length), (before, behind, at) => {
        const text = `${before}${SECRET.slice(0, at)}\n ${SECRET.slice(at)}${behind}`;
        expect(
          redactor(SECRET)
            .redact(text)
            .replaceAll(/[\r\n] */g, ''),
        ).not.toContain(SECRET);
      }),
    );
  });

  it('stays masked while others come and go, as long as it is in use', () => {
    const made = redactor(SECRET);
    for (let turn = 0; turn < 100; turn += 1) {
      made.learn(`rotated-secret-${turn}-value`);
      made.learn(SECRET);
    }
    expect(made.redact(SECRET)).toBe(SECRET_MASK);
  });

  it('may be a number, and numbers stay', () => {
    const text = JSON.stringify({ cashNano: 12_345_678, detail: 'of 12345678', '12345678': ['x'] });
    const made = redactor('12345678');
    expect(JSON.parse(made.redactJson(text))).toEqual({
      cashNano: 12_345_678,
      detail: `of ${SECRET_MASK}`,
      [SECRET_MASK]: ['x'],
    });
    const clean = '{"a":  1}';
    expect(made.redactJson(clean)).toBe(clean);
  });

  it('may be a word that is a name in JSON, and names stay', () => {
    const made = redactor('connection', SECRET);
    const state = { connection: { socket: 'open', detail: 'no connection' }, [SECRET]: 1 };
    expect(JSON.parse(made.redactJson(JSON.stringify(state)))).toEqual({
      connection: { socket: 'open', detail: `no ${SECRET_MASK}` },
      [SECRET_MASK]: 1,
    });
  });

  it('is masked in a list of numbers, and other lists stay', () => {
    const made = redactor('0123456789');
    const text = JSON.stringify({ data: [...Buffer.from('0123456789')], sizes: [1, 2, 48] });
    expect(JSON.parse(made.redactJson(text))).toEqual({ data: SECRET_MASK, sizes: [1, 2, 48] });
  });

  it('is masked however two writers wrote it, one after the other', () => {
    const writers: readonly ((of: Buffer) => string)[] = [
      (of) => of.toString('base64'),
      (of) => of.toString('base64url'),
      (of) => of.toString('hex'),
      (of) => of.toString('hex').toUpperCase(),
    ];
    const as = fc.constantFrom<BufferEncoding>('utf8', 'utf16le');
    const writer = fc.constantFrom(...writers);
    const secret = fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme' });
    const around = fc.string({ unit: 'binary-ascii', maxLength: 5 });
    fc.assert(
      fc.property(secret, as, writer, writer, around, (text, encoding, first, second, other) => {
        const whole = Buffer.concat([Buffer.from(other), Buffer.from(text, encoding)]);
        const shown = redactor(text).redact(second(Buffer.from(other + first(whole))));
        expect(shown).toContain(SECRET_MASK);
      }),
    );
  });

  it('costs no more than a look at a long text', () => {
    const made = redactor(
      ...Array.from({ length: 8 }, (_, n) => `${'a'.repeat(7)}${n}secret-value`),
    );
    for (const text of [
      'a'.repeat(300_000),
      'aaaaaaa1'.repeat(40_000),
      '\n'.repeat(300_000),
      '\\'.repeat(300_000),
      '%25'.repeat(100_000),
    ]) {
      const start = performance.now();
      made.redact(text);
      expect(performance.now() - start).toBeLessThan(3_000);
    }
  });
});
