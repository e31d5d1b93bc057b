// Colours as functions; without colour each is the identity.

export type Paint = {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly careful: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
};

const same = (text: string): string => text;

export const PLAIN: Paint = { good: same, bad: same, careful: same, dim: same, strong: same };

export const COLOURED: Paint = {
  good: wrap(32),
  bad: wrap(31),
  careful: wrap(33),
  dim: wrap(2),
  strong: wrap(1),
};

/** Colours only for a terminal that wants them: `NO_COLOR` and `TERM=dumb` are respected. */
export function paintFor(
  terminal: { readonly isTTY: boolean },
  env: { readonly NO_COLOR?: string | undefined; readonly TERM?: string | undefined },
): Paint {
  const isUnwanted = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return terminal.isTTY && !isUnwanted ? COLOURED : PLAIN;
}

function wrap(code: number): (text: string) => string {
  return (text) => `\u001b[${code}m${text}\u001b[0m`;
}
