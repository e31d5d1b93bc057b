// Tokens of roles as the environment gives them.

import { describe, expect, it } from 'vitest';
import { Problems } from '../../../src/settings/problems.ts';
import { readRoleTokens, tokenFault } from '../../../src/settings/role-tokens.ts';

const LONG = 'a-token-that-is-long-enough';

function read(env: Readonly<Record<string, string>>) {
  const problems = new Problems();
  const tokens = readRoleTokens(env, problems);
  return { roles: Object.keys(tokens), problems: problems.all().map(({ message }) => message) };
}

describe('tokens of roles', () => {
  it('are those that are set', () => {
    expect(read({ BOOKEND_VIEW_TOKEN: LONG, BOOKEND_KILL_TOKEN: ' ' })).toEqual({
      roles: ['view'],
      problems: [],
    });
  });

  it('are none where they are too short, and the complaint names the variable', () => {
    expect(read({ BOOKEND_TRADE_TOKEN: 'short' })).toEqual({
      roles: [],
      problems: ['BOOKEND_TRADE_TOKEN must have 16 characters or more'],
    });
  });

  it('are none where no header carries them, and may be a few words', () => {
    const { roles, problems } = read({ BOOKEND_KILL_TOKEN: 'пароль-пароль-пароль' });
    expect(roles).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('no characters beyond ASCII')]);
    expect(tokenFault('correct horse battery staple')).toBeUndefined();
  });

  it.each(['BOOKEND_CONTROL_TOKEN', 'BOOKEND_KILL_TOKEN'])(
    'give nothing where the same is in %s: it would give more than it says',
    (other) => {
      const { roles, problems } = read({ BOOKEND_VIEW_TOKEN: LONG, [other]: LONG });
      expect(roles).toEqual([]);
      expect(problems).toContain(`BOOKEND_VIEW_TOKEN must not be the same as ${other}`);
    },
  );

  it('show nobody what they are', () => {
    expect(JSON.stringify(readRoleTokens({ BOOKEND_VIEW_TOKEN: LONG }))).not.toContain(LONG);
  });
});
