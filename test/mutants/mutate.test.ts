import { describe, expect, it } from 'vitest';
import { mutantsOf, mutated } from './mutate.ts';

const all = (code: string) => mutantsOf('a.ts', code).map((each) => mutated(code, each));

describe('the mutants of a program', () => {
  it('weaken or sharpen a comparison', () => {
    expect(all('const a = b < c;')).toEqual(['const a = b <= c;']);
  });

  it('turn a condition round', () => {
    expect(all('if (a) b();')).toEqual(['if (!(a)) b();', 'if (a) ;']);
  });

  it('change a number and a truth value', () => {
    expect(all('const a = 1_000; const b = true;')).toEqual([
      'const a = 2000; const b = true;',
      'const a = 1_000; const b = false;',
    ]);
  });

  it('swap and, or and what an absent value is replaced by', () => {
    expect(all('f = a && b;')).toEqual([';', 'f = a || b;']);
    expect(all('const a = b ?? c;')).toEqual(['const a = b && c;']);
  });

  it('leave out a statement', () => {
    expect(all('stop();')).toEqual([';']);
  });

  it('leave types, assertions and text that is put together as they are', () => {
    expect(all("type A = 1 | true; assert(a); const b = 'c' + d;")).toEqual([]);
  });

  it('leave what is only said in the log', () => {
    expect(all("log.warn('a'); this.#log.error('b', { c }); this.#options.log.info('d');")).toEqual(
      [],
    );
  });

  it('say which line they are in', () => {
    expect(mutantsOf('a.ts', '\n\nstop();')).toMatchObject([{ line: 3, from: 'stop();', to: ';' }]);
  });
});
