// JSON and percent-encoded text of strangers, read without an exception in sight.

/** The parsed value in a box, since it may itself be `undefined`-like; no box when it is no JSON. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

/** The decoded text, or `undefined` when its encoding is broken. */
export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
