// Text on a terminal: widths, clipping, and nothing from outside that could steer the terminal.

/** Replaces control characters, so that a title or a detail cannot move the cursor. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}

/** The same for a text of several lines. */
export function harmlessLines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}

/** The colours of `paint.ts`, which whoever prints may have put there. */
const ESCAPE = String.fromCharCode(27);
const PAINTED = new RegExp(`(${ESCAPE}\\[(?:0|1|2|31|32|33)m)`);

/** The last look at what goes to a terminal: of all that could steer one, colours of ours alone are left. */
export function paintedOnly(text: string): string {
  return text
    .split(PAINTED)
    .map((part, at) => (at % 2 === 1 ? part : harmlessLines(part)))
    .join('');
}

/** The text without the colours of ours. */
export function plainText(text: string): string {
  return text
    .split(PAINTED)
    .filter((_, at) => at % 2 === 0)
    .join('');
}

/** Columns that a text takes: wide characters two, marks none. */
export function columns(text: string): number {
  let sum = 0;
  for (const character of text) sum += characterColumns(character);
  return sum;
}

/** The text in exactly `width` columns: cut with an ellipsis, or filled with spaces. */
export function fitted(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const clipped = clip(text, width);
  const space = ' '.repeat(Math.max(0, width - columns(clipped)));
  return align === 'left' ? clipped + space : space + clipped;
}

/** At most `width` columns of a text; what was cut shows as an ellipsis. */
export function clip(text: string, width: number): string {
  if (columns(text) <= width) return text;
  if (width <= 0) return '';
  let result = '';
  let used = 0;
  for (const character of text) {
    used += characterColumns(character);
    if (used > width - 1) break;
    result += character;
  }
  return `${result}…`;
}

function characterColumns(character: string): number {
  if (/^(?:\p{M}|\p{Cf}|\p{Variation_Selector})/u.test(character)) return 0;
  return isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
}

/** Blocks that terminals draw two columns wide: East Asian scripts, full-width forms, emoji. */
const WIDE_BLOCKS: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return WIDE_BLOCKS.some(([from, to]) => codePoint >= from && codePoint <= to);
}
