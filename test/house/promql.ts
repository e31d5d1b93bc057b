// Just enough of PromQL to find out which series and labels an expression relies on.

/** One series of an expression, with the labels its matchers name. */
export type Selector = { readonly name: string; readonly labels: readonly string[] };

/** Series of our own in an expression; functions, keywords and other series are left out. */
export function selectorsOf(expression: string): readonly Selector[] {
  return [...expression.matchAll(/\b(bookend_\w+)(?:\{([^}]*)\})?/g)].map(([, name, matchers]) => ({
    name: String(name),
    labels: [...(matchers ?? '').matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => String(label)),
  }));
}

/** Labels that an expression groups or joins by. */
export function groupLabelsOf(expression: string): readonly string[] {
  const lists = [...expression.matchAll(/\b(?:by|on|group_left|without)\s*\(([^)]*)\)/g)];
  return lists.flatMap(([, list]) =>
    String(list)
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}

/** The expression as Prometheus takes it, with the dashboard's variables filled in. */
export function withoutVariables(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$market', '.*')
    .replaceAll('$instance', '.*');
}

/** Anchors of the headings of a page, as they stand in links. */
export function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    String(title)
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
