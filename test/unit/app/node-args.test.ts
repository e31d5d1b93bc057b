import { describe, expect, it } from 'vitest';
import { traderNodeArgs } from '../../../src/app/node-args.ts';

describe('the young generation of a trader', () => {
  it('is bounded', () => {
    const args = traderNodeArgs({ execArgv: ['--enable-source-maps'], nodeOptions: undefined });
    expect(args).toEqual(['--max-semi-space-size=2']);
  });

  it.each([
    { execArgv: ['--max-semi-space-size=8'], nodeOptions: undefined },
    { execArgv: ['--max_semi_space_size=8'], nodeOptions: undefined },
    { execArgv: [], nodeOptions: '--no-warnings --max-semi-space-size=8' },
  ])('is what an operator chose: $execArgv $nodeOptions', (chosen) => {
    expect(traderNodeArgs(chosen)).toEqual([]);
  });
});
