// Mutants that change nothing that anybody could see, each with why. They count for nothing.

export type Equivalent = {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
};

export const EQUIVALENTS: readonly Equivalent[] = [];
