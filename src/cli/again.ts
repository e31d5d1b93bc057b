// What a person types next, whole: a command that is named without its configuration is not one to type.

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns `npx bookend resume --config my.yaml`; without `npx` where nothing of npm started this program. */
export function typed(env: Environment, command: string, config: string): string {
  const program = env['npm_command'] === undefined ? 'bookend' : 'npx bookend';
  return `${program} ${command} --config ${config}`;
}

/** What clears something, with the resume that it names as it is to be typed. */
export function typedClears(clears: string, resume: string | undefined): string {
  return resume === undefined ? clears : clears.replace(/\bbookend resume\b/, () => resume);
}
