// A value inside a JSON document by its pointer (RFC 6901).

/** `undefined` where nothing is; only a document's own fields are looked at. */
export function valueAt(document: unknown, pointer: string): unknown {
  let at = document;
  for (const part of partsOf(pointer)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

function partsOf(pointer: string): readonly string[] {
  if (pointer === '') return [];
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
