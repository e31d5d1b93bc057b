// Parts of texts that others sent. A slice of a text keeps the whole of it in memory for as long as the slice
// is kept: a complaint of a hundred characters would hold the eight megabytes that it was about.

/** The first characters of a text, and nothing of the rest. */
export function excerpt(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : standalone(text.slice(0, lengthMax));
}

/** The same, with a sign of what was left out. */
export function clipped(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${excerpt(text, lengthMax)}…`;
}

/** The same characters in memory of their own; for short texts that were found in long ones. */
export function standalone(text: string): string {
  return text.split('').join('');
}
