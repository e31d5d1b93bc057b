import { describe, expect, it } from 'vitest';
import { importsOf, Reach } from './reach.ts';

describe('what a file loads', () => {
  it('is what it imports, passes on, or asks for later, and no type', () => {
    const code = `import { a } from './a.ts';
      import type { B } from './b.ts';
      export { c } from '../c.ts';
      export * from './d.ts?planted=bug';
      import process from 'node:process';
      const e = await import('./e.ts');`;
    expect(importsOf('src/x/file.ts', code)).toEqual([
      ...['src/x/a.ts', 'src/c.ts', 'src/x/d.ts', 'src/x/e.ts'],
    ]);
  });
});

describe('the tests that are asked of a change', () => {
  it('are those that load the file, the nearest first', () => {
    const tests = new Reach(process.cwd()).testsOf('src/guard/backoff.ts', ['test/unit/guard']);
    expect(tests).toContain('test/unit/guard/supervisor.test.ts');
    expect(tests).not.toContain('test/unit/guard/marks.test.ts');
    expect(tests.slice(-2).join()).toMatch(/planted.*silence/);
  });
});
