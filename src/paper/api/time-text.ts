// ISO 8601 texts of points in time.

/** @returns For example `2026-01-31T12:00:00.000Z`. */
export function isoText(atMs: number): string {
  return new Date(atMs).toISOString();
}
