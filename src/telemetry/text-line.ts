// One log record as a line for people: time, level, event, and the fields as words.

const ESCAPE = String.fromCharCode(27);
const COLOURS: Readonly<Record<string, string>> = {
  debug: `${ESCAPE}[2m`,
  info: '',
  warn: `${ESCAPE}[33m`,
  error: `${ESCAPE}[31m`,
};
const RESET = `${ESCAPE}[0m`;

/** Turns a JSON line of the log into text; a line that is no JSON stays as it is. */
export function textLine(json: string, options: { readonly colour: boolean }): string {
  const record = parsed(json);
  if (record === undefined) return json.trimEnd();
  const { level, time, event, ...fields } = record;
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const words = Object.entries(fields).map(([name, value]) => `${name}=${word(value)}`);
  const line = [clock, String(level).toUpperCase().padEnd(5), String(event), ...words].join(' ');
  const colour = options.colour ? (COLOURS[String(level)] ?? '') : '';
  return colour === '' ? line : `${colour}${line}${RESET}`;
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON quotes also keep line ends and escape codes of external text out of the terminal. */
function word(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[\w.:/+@%-]+$/.test(value) ? value : JSON.stringify(value);
}
