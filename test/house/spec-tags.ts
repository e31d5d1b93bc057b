// Reads `@spec` tags out of comments, and compares them with the headings of the interface document and
// with the numbered decisions of `src/README.md`.

export type SpecTag = { readonly line: number; readonly section: string };
/** `@spec Architecture decisions 10 and 11` names two of them. */
export type DecisionTag = { readonly line: number; readonly decisions: readonly number[] };

const ARCHITECTURE = /^Architecture\b/;

/** The titles of one heading and of those above it, outermost first. */
export type Way = readonly string[];

/**
 * Tags of a source file. A tag ends with its line or its comment; several sections may be joined
 * by a semicolon, and what follows a comma says which rule of the section is meant.
 */
export function specTags(source: string): readonly SpecTag[] {
  return parts(source)
    .filter(({ part }) => !ARCHITECTURE.test(part))
    .map(({ line, part }) => ({
      line,
      section: part.split(',')[0]?.replace(/\.$/, '').trim() ?? '',
    }))
    .filter(({ section }) => section !== '');
}

/** Tags that name decisions of the architecture; one that names no number has an empty list. */
export function decisionTags(source: string): readonly DecisionTag[] {
  return parts(source)
    .filter(({ part }) => ARCHITECTURE.test(part))
    .map(({ line, part }) => ({ line, decisions: numbersOf(part) }));
}

function numbersOf(part: string): readonly number[] {
  if (!/^Architecture decisions? \d/.test(part)) return [];
  return [...part.matchAll(/\d+/g)].map(([digits]) => Number(digits));
}

/** Numbers of the list below the heading `Decisions`. */
export function decisionsOf(document: string): readonly number[] {
  const below = document.split(/^## Decisions$/m)[1]?.split(/^## /m)[0] ?? '';
  return [...below.matchAll(/^(\d+)\. \*\*/gm)].map(([, digits]) => Number(digits));
}

function parts(source: string): readonly { readonly line: number; readonly part: string }[] {
  return source.split('\n').flatMap((text, index) => {
    const tag = /@spec\s+(.*?)\s*(?:\*\/|$)/.exec(text)?.[1] ?? '';
    return tag.split(';').map((part) => ({ line: index + 1, part: part.trim() }));
  });
}

/** Every heading of a document with its way from the top. */
export function headingsOf(document: string): readonly Way[] {
  const way: string[] = [];
  return [...document.matchAll(/^(#{2,5}) (.+)$/gm)].map(([, marks, title]) => {
    way.length = Math.min(way.length, String(marks).length - 2);
    way.push(plain(String(title)));
    return [...way];
  });
}

/** A tag names a heading by its title, after as many of the titles above it as it likes. */
export function isHeading(headings: readonly Way[], section: string): boolean {
  const parts = section.split('›').map(plain);
  return headings.some((way) => way.at(-1) === parts.at(-1) && isWithin(way, parts));
}

function isWithin(way: Way, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = way.indexOf(part, from);
    from = at + 1;
    return at >= 0;
  });
}

/** A title without the remark in brackets that some end with, `Orders (all Auth)`. */
function plain(title: string): string {
  return title.replace(/\s*\([^)]*\)\s*$/, '').trim();
}
