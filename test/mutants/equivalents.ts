// Mutants that change nothing that anybody could see, each with why. They count for nothing.

import type { Mutant } from './mutate.ts';

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
    ...{ file: 'src/guard/own-book.ts', from: '<', to: '<=' },
    why: 'the earlier of two equal times is the same one',
  },
  {
    ...{ file: 'src/guard/own-orders-update.ts', from: '||', to: '&&', on: 'Array.isArray(live)' },
    why: 'what is no list is read as nothing by the next lines, too',
  },
  {
    ...{ file: 'src/guard/horizon.ts', from: '&&', to: '||', on: 'const isFull' },
    why: 'where there are sixteen there are a first and a second one',
  },
  {
    ...{ file: 'src/guard/horizon.ts', from: '0', to: '1', on: 'this.#slowestMs === 0 ? 0' },
    why: 'a millisecond is less than any horizon',
  },
  {
    ...{ file: 'src/guard/horizon.ts', from: '>', to: '>=', on: 'if (aheadMs > 0)' },
    why: 'a lead of nothing adds nothing',
  },
  {
    ...{ file: 'src/guard/refusals.ts', from: '0', to: '1', on: '.get(hash) ?? 0) >=' },
    why: 'of each order that a list has shown its refusals are counted already',
  },
  {
    ...{
      file: 'src/guard/sweep.ts',
      from: '||',
      to: '&&',
      on: "outcome.kind !== 'accepted') return;",
    },
    why: 'what a cancel of the whole account has ended nobody asks, and no other answer counts any',
  },
  {
    ...{ file: 'src/guard/sweep.ts', from: '8', to: '9', on: 'HALVINGS_MAX' },
    why: 'behind the eighth request an order of a hundred stands alone, and nothing is left to halve',
  },
  {
    ...{ file: 'src/guard/sweep.ts', from: '<', to: '<=', on: 'halvings < HALVINGS_MAX' },
    why: 'behind the eighth request an order of a hundred stands alone, and nothing is left to halve',
  },
  {
    ...{ file: 'src/guard/sweep.ts', from: '>', to: '>=', on: 'rest.length > 0 && halvings' },
    why: 'of nothing no batches are made',
  },
  {
    ...{ file: 'src/guard/marks.ts', from: '8', to: '9', on: 'recordsAt:' },
    why: 'a place that writer and reader share, with room for one more',
  },
  {
    ...{ file: 'src/app/http-operator.ts', from: 'open.waiting.delete(look);', to: ';' },
    why: 'whoever has his answer is woken for nothing',
  },
  {
    ...{ file: 'src/guard/watch.ts', from: '0', to: '1', on: 'atLeastMs?.() ?? 0' },
    why: 'a millisecond is less than any horizon',
  },
  {
    ...{ file: 'src/guard/marks.ts', from: '4', to: '5', on: 'sampledAt:' },
    why: 'a place that writer and reader share, with room for one more',
  },
  {
    ...{ file: 'src/guard/kill.ts', from: '0', to: '1', on: 'left: left?.length ?? 0' },
    why: 'any moment of long ago says that nothing is waited for, and a list that was never read ends no kill',
  },
  {
    ...{ file: 'src/guard/own-book.ts', from: '0', to: '1', on: '#aheadMs = 0;' },
    why: 'a millisecond beside the two minutes that clocks may differ by',
  },
  {
    ...{ file: 'src/app/in-flight-tracker.ts', from: '0', to: '1', on: 'this.#learntMs = 0;' },
    why: 'a millisecond is less than any horizon',
  },
  {
    ...{ file: 'src/app/http-operator.ts', from: '1', to: '2', on: 'this.#lastId += 1;' },
    why: 'any number that no other question has is as good',
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

export function isEquivalent(
  { file, on: line, from, to }: Mutant,
  known: readonly Equivalent[] = EQUIVALENTS,
): boolean {
  return known.some((each) => {
    const isSame = each.file === file && each.from === from && each.to === to;
    return isSame && line.includes(each.on ?? '');
  });
}
