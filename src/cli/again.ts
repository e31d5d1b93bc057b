// What a person types next, whole: a command that is named without its configuration is not one to type.

import { harmless } from './text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns `npx bookend resume --config my.yaml`; without `npx` where nothing of npm started this program. */
export function typed(env: Environment, command: string, config: string): string {
  const program = env['npm_command'] === undefined ? 'bookend' : 'npx bookend';
  return `${program} ${command} --config ${shellWord(config)}`;
}

/** One word of a shell, whatever is in it: an id is the venue's text, and who pastes it runs it. */
export function shellWord(text: string): string {
  const word = harmless(text);
  return /^[\w.:@%+,/=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What clears something, with the resume that it names as it is to be typed. */
export function typedClears(clears: string, resume: string | undefined): string {
  return resume === undefined ? clears : clears.replace(/\bbookend resume\b/, () => resume);
}
