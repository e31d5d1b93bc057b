// What a file or database says went wrong.

export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
