// Mutants that change nothing that anybody could see, each with why. They count for nothing.

export type Equivalent = {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
};

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    ...{ file: 'src/guard/waiting.ts', from: 'callOff();', to: ';' },
    why: 'a timer that runs out behind its wait wakes whoever waits then, and he looks again',
  },
  {
    ...{ file: 'src/guard/child.ts', from: 'clearTimeout(timer);', to: ';' },
    why: 'an end that is told a second time, within 200 ms, is told to nobody',
  },
];
