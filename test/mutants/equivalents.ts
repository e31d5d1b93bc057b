// Mutants that change nothing that anybody could see, each with why. They count for nothing.

export type Equivalent = {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** On this line alone, by a part of its text; wherever it stands in the file where none is given. */
  readonly on?: string;
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
  {
    ...{ file: 'src/guard/own-book.ts', from: '<', to: '<=' },
    why: 'the earlier of two equal times is the same one',
  },
  {
    ...{ file: 'src/app/guard-kill.ts', from: '0', to: '1', on: 'inFlightUntilMs: () =>' },
    why: 'any moment of long ago says that nothing is waited for',
  },
  {
    ...{ file: 'src/app/kept-latch.ts', from: 'callOff();', to: ';' },
    why: 'a latch that was answered is no longer the one that is waited for',
  },
];
