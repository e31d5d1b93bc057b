// Reads `@spec` tags out of comments, and compares them with the headings of the interface document.

export type SpecTag = { readonly line: number; readonly section: string };

/** The titles of one heading and of those above it, outermost first. */
export type Way = readonly string[];

/**
 * Tags of a source file. A tag ends with its line or its comment; several sections may be joined
 * by a semicolon, and what follows a comma says which rule of the section is meant.
 */
export function specTags(source: string): readonly SpecTag[] {
  return source.split('\n').flatMap((text, index) => {
    const tag = /@spec\s+(.*?)\s*(?:\*\/|$)/.exec(text)?.[1] ?? '';
    return tag
      .split(';')
      .map((part) => part.split(',')[0]?.replace(/\.$/, '').trim() ?? '')
      .filter((section) => section !== '' && !/^Architecture decisions? \d/.test(section))
      .map((section) => ({ line: index + 1, section }));
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
