// What is wrong with a configuration: all of it at once, each with its place and what would be right.

import { withoutQueries, withoutUsers } from '../domain/address.ts';
import { BotError } from '../domain/errors.ts';

/** Where a value stands: keys of maps and indices of lists, from the root. */
export type Path = readonly (string | number)[];

export type Problem = {
  /** `markets[0].params.levels`; empty for the file as a whole. */
  readonly path: string;
  /** Line of the file, where the value stands in it. */
  readonly line: number | undefined;
  /** What would be right, and what was found. */
  readonly message: string;
};

/** A configuration that cannot be used; `problems` has every reason. */
export class SettingsError extends BotError {
  override readonly name = 'SettingsError';
  readonly file: string;
  readonly problems: readonly Problem[];

  constructor(
    { file, problems }: { readonly file: string; readonly problems: readonly Problem[] },
    options?: ErrorOptions,
  ) {
    super(
      'settings.invalid',
      `${file}${problems.map((problem) => `\n  ${problemText(problem)}`).join('')}`,
      options,
    );
    this.file = file;
    this.problems = problems;
  }
}

/** Whoever has more than these has another file, and to find the line of each in it takes the loop of a trader seconds. */
const PROBLEMS_MAX = 200;

/** Collects problems while a configuration is read: of more than anybody reads, how many there are. */
export class Problems {
  readonly #found: Problem[] = [];
  #count = 0;
  readonly #lineOf: (path: Path) => number | undefined;

  constructor(lineOf: (path: Path) => number | undefined = () => undefined) {
    this.#lineOf = lineOf;
  }

  get count(): number {
    return this.#count;
  }

  add(path: Path, message: string): void {
    this.#count += 1;
    if (this.#count > PROBLEMS_MAX) return;
    this.#found.push({ path: pathText(path), line: this.#lineOf(path), message });
  }

  /** In the order of the file; what stands in no line comes first. */
  all(): readonly Problem[] {
    const found = this.#found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const more = this.#count - found.length;
    if (more === 0) return found;
    return [...found, { path: '', line: undefined, message: `and ${more} more problems` }];
  }
}

/** `['markets', 0, 'params']` as `markets[0].params`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** One value as a complaint may show it: short, on one line. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  // JSON has no word for numbers such as infinity.
  if (typeof value === 'number') return String(value);
  const json = withoutUser(JSON.stringify(value) ?? String(value));
  return json.length > SHOWN_LENGTH_MAX ? `${json.slice(0, SHOWN_LENGTH_MAX)}…` : json;
}

/** A complaint stays one readable line. */
const SHOWN_LENGTH_MAX = 80;

/** An address may carry a password or a key by mistake. */
function withoutUser(json: string): string {
  return withoutQueries(withoutUsers(json));
}

/** One line: the place, what would be right, and where it stands. */
export function problemText(problem: Problem): string {
  const place = problem.path === '' ? '' : `${problem.path}: `;
  const line = problem.line === undefined ? '' : ` (line ${problem.line})`;
  return `${place}${problem.message}${line}`;
}
