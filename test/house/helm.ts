// As much of Helm's templates as ops/helm uses: values, `quote`, and `if` without `else`. Anything else is an error.

type Values = { readonly [key: string]: unknown };

/** @throws {Error} On what this does not know, so that the chart stays as simple as it is. */
export function rendered(template: string, values: Values): string {
  const lines: string[] = [];
  /** Whether each open `if` holds. */
  const open: boolean[] = [];
  for (const line of template.split('\n')) {
    const [, condition] = /^\s*\{\{- if (\S+) \}\}$/.exec(line) ?? [];
    if (condition !== undefined) open.push(Boolean(valueAt(condition, values)));
    else if (/^\s*\{\{- end \}\}$/.test(line)) {
      if (open.pop() === undefined) throw new Error(`nothing ends here: ${line}`);
    } else if (open.every(Boolean)) lines.push(filled(line, values));
  }
  if (open.length > 0) throw new Error('an `if` has no end');
  return lines.join('\n');
}

function filled(line: string, values: Values): string {
  return line.replaceAll(/\{\{(.*?)\}\}/g, (_, inside: string) => {
    const [, path = '', quote] = /^ (\.[\w.]+)( \| quote)? $/.exec(inside) ?? [];
    if (path === '') throw new Error(`not known here: ${line.trim()}`);
    const value = valueAt(path, values);
    return quote === undefined ? String(value) : JSON.stringify(String(value));
  });
}

function valueAt(path: string, values: Values): unknown {
  const found = path
    .split('.')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Values | undefined)?.[key], values);
  if (found === undefined) throw new Error(`no value ${path}`);
  return found;
}
