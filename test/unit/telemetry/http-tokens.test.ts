// What a caller shows, and what it opens.

import { expect, it } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import { Tokens } from '../../../src/telemetry/http-tokens.ts';

it.each([
  ['Bearer correct horse battery staple', 'full'],
  ['bearer   correct horse battery staple  ', 'full'],
  ['Bearer a-token-to-kill-with', 'kill'],
  ['Bearer correct horse battery', undefined],
  ['Bearer correct  horse battery staple', undefined],
  ['Bearer ', undefined],
  ['Basic correct horse battery staple', undefined],
  [undefined, undefined],
] as const)('%s opens %s', (authorization, role) => {
  const tokens = new Tokens({
    controlToken: new Secret('correct horse battery staple'),
    roleTokens: { kill: new Secret('a-token-to-kill-with') },
  });
  expect(tokens.roleOf(authorization)).toBe(role);
});
