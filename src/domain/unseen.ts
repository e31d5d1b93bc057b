// Characters that nobody sees and that steer a terminal or turn text around: C1 controls (0x9b begins a sequence as
// ESC [ does), marks of writing direction, separators of lines. JSON leaves them as they are.

const UNSEEN = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;

/** The same JSON, in which they stand as escapes: `\u009b`. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
