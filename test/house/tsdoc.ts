// Finds exported functions without a doc comment.

export type Export = { readonly line: number; readonly name: string };

/** Exported functions whose line before is not the end of a doc comment. */
export function undocumentedExports(source: string): readonly Export[] {
  const lines = source.split('\n');
  return lines.flatMap((text, index) => {
    const name = /^export (?:async )?function\*? (\w+)/.exec(text)?.[1];
    // Further signatures of one function stand under the first, which carries the comment.
    const isOverload = new RegExp(`^export (?:async )?function ${name}\\b`).test(
      lines[index - 1] ?? '',
    );
    const isDocumented = /\*\/\s*$/.test(lines[index - 1] ?? '');
    return name === undefined || isDocumented || isOverload ? [] : [{ line: index + 1, name }];
  });
}
