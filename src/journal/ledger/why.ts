// What went wrong, in words.

export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
