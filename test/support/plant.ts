// Deliberate bugs: a change of one text of one file.

/** A change of one text of one file, which has that text exactly once. */
export type PlantedBug = {
  readonly name: string;
  /** What the program then does wrong, as a person would say it. */
  readonly about: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

/** The code with the bug in it. @throws {Error} Unless the text is there exactly once. */
export function planted(code: string, { name, file, from, to }: PlantedBug): string {
  const times = code.split(from).length - 1;
  if (times !== 1) throw new Error(`${name}: ${file} has the text ${times} times`);
  return code.replace(from, () => to);
}
